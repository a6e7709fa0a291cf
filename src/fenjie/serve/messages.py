"""Bodies of requests and answers: strict JSON, no key that is not known."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, Strict, ValidationError

from fenjie.errors import shorten
from fenjie.serve.limits import RefusedError
from fenjie.serve.request_words import Labels, Weights
from fenjie.serve.strict import Message, Strings

EXAMPLE = "王小明昨天在北京大学听了李教授的课"

Texts = Annotated[
    str | Strings,
    Field(
        description="A text, or texts.",
        examples=[EXAMPLE, [EXAMPLE, "你好"]],
        union_mode="left_to_right",
    ),
]
ModelName = Annotated[
    str | None, Field(description="A name of `GET /v1/models`; without it the first of its task.")
]


class Request(Message):
    """A request for the annotations of texts."""

    text: Texts
    model: ModelName = None

    @property
    def texts(self) -> list[str]:
        """The texts, a list also of one."""
        return [self.text] if isinstance(self.text, str) else self.text


class SegmentRequest(Request):
    """A request for words."""

    words: Annotated[
        Strings | Weights,
        Field(
            default_factory=list,
            description="User words of this request: words that the model prefers, with a weight "
            "or null; one that is forced is found wherever it occurs.",
            examples=[["李教授"], {"和服": 1000, "云原生": {"force": True}}],
        ),
    ]

    standard: Annotated[
        str | None,
        Field(
            description="The standard by which words are cut, one of the model's; without it its "
            "first.",
            examples=["msr"],
        ),
    ] = None


class LatticeRequest(Request):
    """A request for the lexicon words that a model of entities sees."""

    words: Annotated[
        Strings | Labels,
        Field(
            default_factory=list,
            description="User words of this request: the model sees them; one with a label is "
            "preferred as an entity of that type; one that is forced is found wherever it occurs.",
            examples=[
                {"李教授": "PER", "云原生": None, "Tim Cook": {"label": "PER", "force": True}}
            ],
        ),
    ]

    @property
    def standard(self) -> None:
        """Entities have none."""


class TagRequest(LatticeRequest):
    """A request for entities."""

    labels: Annotated[
        Strings | None,
        Field(
            description="The types of entities that are answered, some of the model's; without it "
            "all.",
            examples=[["PER", "LOC", "ORG"]],
        ),
    ] = None


class LabelledText(Message):
    """A sentence and its entities, as a line of fenjie's JSONL has them."""

    text: Annotated[str, Field(examples=["王小明用了飞天引擎"])]
    spans: Annotated[
        list[Annotated[tuple[int, int, str], Strict(False)]],  # JSON has lists alone
        Field(
            fail_fast=True,
            description="Offsets of the first code point and after the last one, and the label.",
            examples=[[[0, 3, "PER"], [5, 9, "PRODUCT"]]],
        ),
    ]


class TrainRequest(Message):
    """A request to train a model of entities."""

    name: Annotated[str, Field(description="Of the model.", examples=["mine"])]
    sentences: Annotated[
        list[LabelledText], Field(fail_fast=True, description="What it learns from.")
    ]
    start: Annotated[
        str | None, Field(description="A model to start from, one of `starts`; null for none.")
    ] = None

    @property
    def texts(self) -> list[str]:
        """The texts of the sentences."""
        return [sentence.text for sentence in self.sentences]


class AttentionRequest(Message):
    """A request for the attention of a model on a sentence."""

    text: Annotated[str, Field(description="One sentence.", examples=["王小明在北京大学读书"])]
    model: ModelName = None

    @property
    def texts(self) -> list[str]:
        """The sentence."""
        return [self.text]


class AttentionAnswer(Message):
    """The weights of the attention of a model."""

    model: Annotated[str, Field(examples=["mine"])]
    names: Annotated[list[str], Field(description="The characters, then the words.")]
    layers: Annotated[
        list[list[list[list[float]]]],
        Field(description="Of each layer `[heads][queries][keys]`, in the order of `names`."),
    ]


class RunFound(Message):
    """How far a run is."""

    name: Annotated[str, Field(description="Of the model.")]
    phase: Literal["training", "exporting", "done", "failed", "stopped"]
    step: Annotated[int, Field(description="Steps done.")]
    steps: Annotated[int, Field(description="Steps in all; 0 while that is not known.")]
    loss: float | None
    f1: Annotated[float | None, Field(description="The best score so far.")]
    seen: Annotated[bool, Field(description="Whether that is of the sentences that it learns.")]
    seconds: float
    message: Annotated[str | None, Field(description="Why it failed.")]


class TrainingAnswer(Message):
    """What can be trained here, and the last run."""

    available: bool
    reason: Annotated[str | None, Field(description="Why nothing can be trained here.")]
    starts: Annotated[list[str], Field(description="Models that one can start from.")]
    run: RunFound | None


class WordsFound(Message):
    """The words of a text; joined, they are the text."""

    words: Annotated[list[str], Field(examples=[["王", "小明", "昨天", "在", "北京大学"]])]


class EntityFound(Message):
    """An entity, at its offsets in code points."""

    text: Annotated[str, Field(examples=["北京大学"])]
    label: Annotated[str, Field(examples=["ORG"])]
    start: Annotated[int, Field(description="Offset of its first code point.", examples=[6])]
    end: Annotated[int, Field(description="Offset after its last code point.", examples=[10])]
    confidence: Annotated[
        float | None, Field(description="Probability of just this entity.", examples=[0.9999])
    ]


class EntitiesFound(Message):
    """The entities of a text, in order."""

    entities: list[EntityFound]


class SegmentAnswer(Message):
    """The words of each text, in order."""

    model: Annotated[str, Field(examples=["segment"])]
    sentences: list[WordsFound]


class TagAnswer(Message):
    """The entities of each text, in order."""

    model: Annotated[str, Field(examples=["ner"])]
    sentences: list[EntitiesFound]


class SeenWord(Message):
    """A lexicon word, at its offsets in code points."""

    text: Annotated[str, Field(examples=["北京"])]
    start: Annotated[int, Field(description="Offset of its first code point.", examples=[6])]
    end: Annotated[int, Field(description="Offset after its last code point.", examples=[8])]


class WordsSeen(Message):
    """The lexicon words of a text, by their start; they may overlap."""

    words: list[SeenWord]


class LatticeAnswer(Message):
    """The lexicon words of each text, in order."""

    model: Annotated[str, Field(examples=["ner"])]
    sentences: list[WordsSeen]


class ModelFound(Message):
    """A model that the service has."""

    name: Annotated[str, Field(examples=["ner"])]
    task: Annotated[str, Field(description="`segment` or `ner`.", examples=["ner"])]
    labels: Annotated[
        list[str], Field(description="The types of entities.", examples=[["LOC", "ORG", "PER"]])
    ]
    lattice: Annotated[bool, Field(description="Whether it sees words of a lexicon.")]
    standards: Annotated[
        list[str],
        Field(description="The standards of words that it knows.", examples=[[]]),
    ]
    attention: Annotated[bool, Field(description="Whether its attention can be looked at.")]


class ModelsAnswer(Message):
    """The models, the first of each task being its default."""

    models: list[ModelFound]


class ErrorAnswer(Message):
    """The reason why a request was refused, one sentence."""

    error: Annotated[str, Field(examples=["text: expected a string or a list of strings"])]


_EXPECTED = {
    "text": "a string or a list of strings",
    "model": "a string or null",
    "standard": "a string or null",
    "labels": "a list of strings or null",
    "words": "a list of strings, or an object of weights, null or "
    '{"weight": …, "force": …} by word',
    "name": "a string",
    "start": "a string or null",
    "sentences": 'a list of {"text": "…", "spans": [[start, end, "label"], …]}',
}
_LABELLED = (
    "a list of strings, or an object of labels, null or "
    '{"label": "…", "weight": …, "force": …} by word'
)

AnyRequest = TypeVar("AnyRequest", bound=Message)


def read(kind: type[AnyRequest], body: bytes) -> AnyRequest:
    """Read the body of a request.

    Raises:
        RefusedError: 422; it is not JSON in UTF-8, or not of this form.
    """
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_context=False)[0]
    raise RefusedError(422, _reason(kind, first["type"], first["loc"], first["msg"]))


def _reason(kind: type[Message], fault: str, place: tuple[int | str, ...], message: str) -> str:
    if fault == "json_invalid":
        return f"the body is not JSON in UTF-8: {message.partition(': ')[2]}"
    if not place:
        return "the body is not a JSON object"
    name = str(place[0])
    if fault == "extra_forbidden" and len(place) == 1:
        known = ", ".join(kind.model_fields)
        return f"unknown key {shorten(name)}; expected {known}"
    if fault == "missing" and len(place) == 1:
        return f"{name} is missing"
    if kind is AttentionRequest and name == "text":
        return "text: expected a string"
    labelled = name == "words" and issubclass(kind, LatticeRequest)
    return f"{name}: expected {_LABELLED if labelled else _EXPECTED[name]}"
