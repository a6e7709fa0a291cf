"""Recipes: what is trained, on which data, and how. A strict TOML file of frozen dataclasses."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from fenjie.errors import FenjieError
from fenjie.models import SEGMENTERS, TAGGERS
from fenjie.ranges import Count, Factor, Range, Rate, Share
from fenjie.recipe.datasets import OF_ENTITIES, DataRecipe
from fenjie.recipe.derived import BASE, read, resolve
from fenjie.recipe.toml import Document, dump, numbered
from fenjie.text.normalise import Normaliser


@dataclass(frozen=True)
class VocabularyRecipe:
    """Which characters and bigrams have vectors of their own.

    Attributes:
        minimum: how often a character must occur in the training data.
        bigrams: how often a bigram must occur; 0 = the model reads no bigrams.
        limit: at most this many bigrams, the most frequent; 0 = all. Of bigrams with vectors it is
            those that are most frequent where the vectors come from.
        lexicon: dictionaries whose words the model is shown where they occur, a word a line,
            the rest of the line after a space or tab ignored. For words.
        words: how often a word must occur in the training data to be shown to the model likewise;
            0 = the model is shown no training words. What occurs only as often as that is hidden
            from it while it trains, as an unknown word would be. For words.
        variants: whether traditional characters that the training text lacks are read as the
            simplified ones (OpenCC t2s, character by character).
        ngrams: number of weights for hashed n-grams, a power of two; 0 = none. For words.
        vectors: a folder of vectors (`fenjie vectors train`), from which characters, bigrams and
            words start, and whose words are the lexicon of a model of entities; one of words
            takes characters and bigrams alone. Looked for where the data are.
        lexicon_limit: at most this many words of the vectors, the most frequent ones; 0 = all. For
            named entities.
        components: a file with the components of characters, for the architecture `mect`: a
            character a line, a tab, its components with spaces between. Looked for where the data
            are.
    """

    minimum: Annotated[int, Range(1, 1_000_000_000)] = 1
    bigrams: Count = 0
    limit: Count = 0
    lexicon: tuple[str, ...] = ()
    words: Count = 0
    ngrams: Annotated[int, Range(0, 2**28)] = 0
    variants: bool = False
    vectors: str | None = None
    lexicon_limit: Count = 0
    components: str | None = None

    def __post_init__(self) -> None:
        """Raise a FenjieError where the number of n-grams is no power of two."""
        if self.ngrams & (self.ngrams - 1):
            raise FenjieError(f"ngrams {self.ngrams} is not a power of two")


@dataclass(frozen=True)
class TrainingRecipe:
    """How the model is trained.

    Attributes:
        seed: everything random follows from it.
        start: a model to start from: a shipped one by its name, the folder of a model or of a run.
            One of entities gives the weights that fit; one of words all it has, its vocabulary too.
            The weights of one of entities are taken over by the names of characters, bigrams,
            words and tags; where `vectors` names none, the vocabularies are its own, too.
        start_labels: labels that begin from a label of another name of that model, such as
            `{ TITLE = "POSITION" }`. For named entities.
        epochs: passes over the training data.
        steps: where the epochs together would have fewer steps than this, an epoch is not one
            pass but as many as are needed, so that a model learns from few sentences too.
        tokens: characters in a batch at most, padding counted. A longer sentence stands alone.
        sentences: sentences in a batch; then `tokens` has no effect. 0 = batches by characters.
        accumulate: batches whose gradients are averaged for one step.
        precision: `fp32`, or `bf16` where autocast may use it (weights stay in fp32).
        optimizer: `adam`, or `sgd` with momentum.
        tables: with `adam`, the rate of tables of vectors that start from given ones, as a share of
            the rate of all else. Adam moves a rare row as fast as a frequent one; a small share
            keeps the rows near those of words that the training text does not hold. For named
            entities.
        pretrained_rate: the rate of the weights of a pretrained encoder, as a share of the rate of
            all else. For named entities.
        momentum: of `sgd`.
        learning_rate: the peak; with `noam` the factor in front of the published formula.
        schedule: `noam`, `linear` (to zero at the end), `constant`, or `inverse`: divided by
            1 + `decay` · epochs done.
        decay: of the schedule `inverse`.
        warmup: steps in which the rate rises.
        warmup_epochs: the same in epochs, of mean length; then `warmup` has no effect. 0 = steps.
        betas: of Adam.
        epsilon: of Adam.
        weight_decay: decoupled (AdamW); 0 = Adam.
        clip: the norm of the gradient is at most this; 0 = no clipping.
        clip_value: each number of the gradient is at most this; 0 = no clipping.
        average: decay of an exponential moving average of the weights, which then gives the dev
            score and the saved model; 0 = none.
        unknown: probability with which an id is replaced by the unknown one in training. For words;
            for entities it is `word_dropout` of the model.
        evaluate_every: steps between two dev scores; 0 = at the end of each epoch alone.
        checkpoint_every: steps between two checkpoints; 0 = at the end of each epoch alone.
        checkpoint_minutes: minutes between two checkpoints; 0 = no clock.
    """

    seed: Annotated[int, Range(0, 2**63 - 1)] = 1
    start: str | None = None
    start_labels: dict[str, str] = field(default_factory=dict)
    epochs: Annotated[int, Range(1, 10_000)] = 20
    steps: Annotated[int, Range(0, 1_000_000)] = 0
    tokens: Annotated[int, Range(1, 1_000_000_000)] = 4096
    sentences: Count = 0
    accumulate: Annotated[int, Range(1, 65_536)] = 1
    precision: Literal["fp32", "bf16"] = "fp32"
    optimizer: Literal["adam", "sgd"] = "adam"
    tables: Factor = 1.0
    pretrained_rate: Factor = 1.0
    momentum: Rate = 0.9
    learning_rate: Factor = 1.0
    schedule: Literal["noam", "linear", "constant", "inverse"] = "noam"
    decay: Factor = 0.05
    warmup: Count = 8000
    warmup_epochs: Annotated[float, Range(0, 10_000)] = 0.0
    betas: tuple[Rate, Rate] = (0.9, 0.98)
    epsilon: Share = 1e-9
    weight_decay: Factor = 0.0
    clip: Factor = 0.0
    clip_value: Factor = 0.0
    average: Rate = 0.0
    unknown: Rate = 0.0
    evaluate_every: Count = 0
    checkpoint_every: Count = 0
    checkpoint_minutes: Factor = 10.0

    def __post_init__(self) -> None:
        """Raise a FenjieError where two settings do not go together."""
        if self.schedule == "noam" and self.warmup < 1:
            raise FenjieError("the noam schedule needs a warmup of at least one step")
        if self.optimizer == "sgd" and self.weight_decay:
            raise FenjieError("weight_decay is for the optimizer adam; found sgd")
        if self.start_labels and self.start is None:
            raise FenjieError("start_labels is for a model that starts from another one")


@dataclass(frozen=True)
class Recipe:
    """All of a training run.

    Attributes:
        data: the files.
        task: `segment`, or `ner` for named entities.
        architecture: a name in `fenjie.models.SEGMENTERS` or, for entities, in `TAGGERS`.
        text: how texts are normalised.
        vocabulary: what has vectors.
        model: the `Config` of the architecture.
        training: how it is trained.
    """

    data: DataRecipe
    model: Any
    task: Literal["segment", "ner"] = "segment"
    architecture: str = "sams"
    text: Normaliser = field(default_factory=Normaliser)
    vocabulary: VocabularyRecipe = field(default_factory=VocabularyRecipe)
    training: TrainingRecipe = field(default_factory=TrainingRecipe)

    def __post_init__(self) -> None:
        """Raise a FenjieError where a setting is for the other task, or for other models."""
        self.data.check_task(self.task)
        self._check_task(self.vocabulary)
        self._check_task(self.training)
        if self.task == "segment" and self.training.start is not None:
            self._check_vocabulary()
        if self.data.standards and self.vocabulary.ngrams:
            raise FenjieError("ngrams have weights of one standard; expected ngrams = 0")
        if self.training.schedule == "noam" and not hasattr(self.model, "dim"):
            raise FenjieError(
                "schedule is noam, which needs an architecture with a setting dim; expected "
                "linear, constant or inverse"
            )

    def _check_task(self, settings: VocabularyRecipe | TrainingRecipe) -> None:
        """Refuse what is read for the other task alone."""
        others, owner = _OTHERS[self.task]
        given, defaults = vars(settings), vars(type(settings)())
        for name in given:
            if name in others and given[name] != defaults[name]:
                raise FenjieError(f"{name} is for {owner}; found task {self.task}")

    def _check_vocabulary(self) -> None:
        """Refuse a vocabulary beside a segmenter that has one to start from."""
        for name, value in vars(VocabularyRecipe()).items():
            if getattr(self.vocabulary, name) != value:
                raise FenjieError(
                    f"{name} is that of the model to start from; expected nothing in [vocabulary]"
                )


_OTHERS = {
    "segment": (
        ("lexicon_limit", "components", "tables", "pretrained_rate", "start_labels"),
        "entities (task ner)",
    ),
    "ner": (("lexicon", "words", "ngrams", "unknown"), "words (task segment)"),
}
"""By task: the settings of `[vocabulary]` and `[training]` that are read for the other one alone,
and what they are for."""

_TABLES = ("task", "architecture", "data", "text", "vocabulary", "model", "training")


def load(path: Path) -> Recipe:
    """Read a recipe, and the one that it names as its `base`.

    Raises:
        FileError: the file or its base cannot be read, is not TOML, has an unknown key (the message
            names the line and the nearest known key, or all), lacks one, or holds a wrong value.
    """
    return _recipe(read(path))


def loads(text: str, path: str = "recipe.toml") -> Recipe:
    """Read a recipe from a text; `path` stands in the messages, and its folder may have a `base`.

    Raises:
        FileError: as `load`.
    """
    return _recipe(resolve(Document(Path(path), text)))


def _recipe(document: Document) -> Recipe:
    values = dict(document.values)
    document.check_keys(values, (BASE, *_TABLES))
    hints = {
        "task": Literal["segment", "ner"],
        "architecture": str,
        "data": DataRecipe,
        "text": Normaliser,
        "vocabulary": VocabularyRecipe,
        "training": TrainingRecipe,
    }
    model = values.pop("model", {})
    made = {key: document.convert(hints[key], value, (key,)) for key, value in values.items()}
    if "data" not in made:
        raise document.error(("data",), "the table [data] is missing")
    known = TAGGERS if made.get("task") == "ner" else SEGMENTERS
    name = made.setdefault("architecture", next(iter(known)))
    if name not in known:
        expected = " or ".join(sorted(known))
        raise document.error(
            ("architecture",), "unknown architecture", found=name, expected=expected
        )
    config = document.convert(known[name].Config, model, ("model",))
    try:
        return Recipe(model=config, **made)
    except FenjieError as error:
        raise document.error(_place(document.values, error), str(error)) from error


def _place(values: dict[str, Any], error: FenjieError) -> tuple[str, ...]:
    """The key of what does not go with the others: the task itself where the file names one."""
    setting = str(error).partition(" ")[0].rstrip(":")
    tables = [name for name, value in values.items() if isinstance(value, dict)]
    owner = next((name for name in tables if setting in values[name]), None)
    if setting == "schedule":
        return ("architecture",) if owner is None else (owner, setting)
    return ("task",) if "task" in values or owner is None else (owner, setting)


def tables(recipe: Recipe) -> dict[str, Any]:
    """The recipe as nested dictionaries, in the order of the file."""
    values = dataclasses.asdict(recipe)
    data = values["data"]
    if recipe.data.corpora:
        values["data"] = {name: data[name] for name in ("lists", "passage", "corpora")}
        for corpus in data["corpora"] if recipe.task == "segment" else ():
            for name in OF_ENTITIES:
                del corpus[name]
    else:
        del data["corpora"]
    if not recipe.training.start_labels:
        del values["training"]["start_labels"]
    return {name: values[name] for name in _TABLES}


def dumps(recipe: Recipe) -> str:
    """The recipe as TOML, every setting written out; `loads` reads it back."""
    return dump(tables(recipe))


def difference(one: Recipe, other: Recipe) -> str | None:
    """The first setting in which two recipes differ, in words; None if they are equal."""
    return differing(tables(one), tables(other))


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The first of some nested settings that was another one, in words; None if none was."""
    left, right = flat(one), flat(other)
    for name in [*left, *right]:
        if left.get(name) != right.get(name):
            return f"{name} was {left.get(name)!r}, now {right.get(name)!r}"
    return None


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings by their whole names, such as `model.dim`."""
    made: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, tuple) and any(isinstance(item, dict) for item in value):
            value = numbered(value)
        if isinstance(value, dict):
            made |= flat(value, f"{prefix}{name}.")
        else:
            made[prefix + name] = value
    return made


class MissingError(FenjieError):
    """What a recipe names is not there, or not as it must be.

    Attributes:
        names: keys or values of the recipe, the first of which that it has tells the line.
    """

    def __init__(self, message: str, *names: str) -> None:
        """Say what is missing."""
        super().__init__(message)
        self.names = names


def locate(name: str, wanted: str = "no such file") -> Path:
    """The file or folder that a recipe names: under FENJIE_DATA, else under the working directory.

    Args:
        name: as the recipe has it.
        wanted: what is said where there is none.

    Raises:
        MissingError: there is none; the message names the places.
    """
    folders = [os.environ.get("FENJIE_DATA", ""), "."]
    places = [Path(folder) / name for folder in folders if folder]
    for place in places:
        if place.exists():
            return place
    hint = "" if folders[0] else " (FENJIE_DATA is not set)"
    looked_for = " and ".join(map(str, places))
    raise MissingError(f"{name}: {wanted}; looked for {looked_for}{hint}", name)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Where what a recipe names is looked for: the error of what is missing gets the line.

    Args:
        path: the file of the recipe.

    Raises:
        FileError: it names something that is not there.
    """
    try:
        yield
    except MissingError as error:
        document = read(path)
        if (keys := next(filter(None, map(document.place, error.names)), None)) is None:
            raise  # it is of another recipe, or named by the command
        raise document.error(keys, str(error)) from error
