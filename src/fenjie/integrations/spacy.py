"""spaCy: words as tokens, entities as `Doc.ents`.

    >>> nlp = spacy.blank("zh", config={"nlp": {"tokenizer": {"@tokenizers": "fenjie.words.v1"}}})
    >>> nlp.add_pipe("fenjie_entities")
    >>> nlp("王小明在北京大学读书").ents
    (王小明, 北京大学)

spaCy finds both by entry points; nothing of fenjie is imported.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from fenjie.errors import FenjieError, FileError, needing
from fenjie.files import atomic
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.folder import SHIPPED
from fenjie.runtime.load import load_entity_tagger, load_segmenter
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_words import UserWord, weight_of
from fenjie.text.span import Sentence

with needing("fenjie.integrations.spacy needs", "spacy"):
    from spacy.language import Language
    from spacy.scorer import get_ner_prf
    from spacy.tokens import Doc, Span, SpanGroup, Token
    from spacy.training import Example
    from spacy.vocab import Vocab

MODEL = "model"
"""The folder of the model in the folder of a saved pipeline, where it is not a shipped one."""

WORDS = "words.json"
"""The user words in the folder of a saved pipeline."""

CONFIDENCE = "confidence"
"""The extension of spans: `ent._.confidence`, the probability of just this entity."""

_LOADING = Lock()
"""Held while a model is loaded, so that threads that use it at the same time have the same one."""

if not Span.has_extension(CONFIDENCE):
    Span.set_extension(CONFIDENCE, default=None)


def make_words(model: str = "segment", threads: int = 1) -> Callable[[Language], Words]:
    """Make the tokenizer `fenjie.words.v1`.

    Args:
        model: a shipped model that finds words, or the path of a model folder.
        threads: number of threads that one call may use.
    """
    return lambda nlp: Words(nlp.vocab, model, threads)


@Language.factory(
    "fenjie_entities",
    default_config={"model": "ner", "threads": 1},
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    default_score_weights={"ents_f": 1.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None},
    retokenizes=True,
)
def make_entities(nlp: Language, name: str, model: str, threads: int) -> Entities:
    """Make the component `fenjie_entities`.

    Args:
        nlp: the pipeline.
        name: the name of the component in it.
        model: a shipped model that finds entities, or the path of a model folder.
        threads: number of threads that one call may use.
    """
    return Entities(nlp.vocab, name, model, threads)


class Words:
    """A tokenizer: a text's words are its tokens, and no whitespace is lost.

    As elsewhere in spaCy, one space after a word belongs to its token; other whitespace is a token.

    Attributes:
        vocab: the vocabulary of the pipeline.
    """

    def __init__(self, vocab: Vocab, model: str = "segment", threads: int = 1) -> None:
        """Take the model, which is loaded when it is first used."""
        self.vocab = vocab
        self._model, self._threads = model, threads
        self._segmenter: Segmenter | None = None

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter; `tokenizer.segmenter.words` are the user words."""
        if self._segmenter is None:
            with _LOADING:
                if self._segmenter is None:
                    self._segmenter = load_segmenter(self._model, threads=self._threads)
        return self._segmenter

    def __call__(self, text: str) -> Doc:
        """The tokens of a text."""
        return self._doc(self.segmenter.cut(text))

    def pipe(self, texts: Iterable[str], **_: Any) -> Iterator[Doc]:
        """The tokens of texts, many at a time: faster than one text after the other."""
        return (self._doc(sentence.words) for sentence in self.segmenter.stream(texts))

    def to_disk(self, path: str | Path, **_: Any) -> None:
        """Save the user words and, where it is not a shipped one, the model."""
        _save(path, self.segmenter, self.to_bytes())

    def from_disk(self, path: str | Path, **_: Any) -> Words:
        """Take the model and the user words that `to_disk` has saved."""
        self._model = _saved(path, self._model)
        return self.from_bytes((Path(path) / WORDS).read_bytes())

    def to_bytes(self, **_: Any) -> bytes:
        """The user words; the model is named in the config of the pipeline."""
        return _dump(self.segmenter.words.known)

    def from_bytes(self, data: bytes, **_: Any) -> Words:
        """Take the user words of `to_bytes` in place of those that are there."""
        segmenter = load_segmenter(self._model, threads=self._threads)
        segmenter.words.put(_read(data))
        self._segmenter = segmenter
        return self

    def _doc(self, words: Iterable[str]) -> Doc:
        tokens: list[str] = []
        spaces: list[bool] = []
        for word in words:
            if word[0] == " " and tokens:
                spaces[-1] = True
                word = word[1:]
            if word:
                tokens.append(word)
                spaces.append(False)
        return Doc(self.vocab, words=tokens, spaces=spaces)


class Entities:
    """A component: the entities of a text as `Doc.ents`, with `ent._.confidence`.

    Entities that a document has already are kept; of fenjie's those are added that do not touch
    them. Where an entity begins or ends inside of a token, the token is split there: what is found
    stands in `Doc.ents` at just its characters.

    Attributes:
        vocab: the vocabulary of the pipeline.
        name: the name of the component in it.
    """

    def __init__(
        self, vocab: Vocab, name: str = "fenjie_entities", model: str = "ner", threads: int = 1
    ) -> None:
        """Take the model, which is loaded when it is first used."""
        self.vocab, self.name = vocab, name
        self._model, self._threads = model, threads
        self._tagger: EntityTagger | None = None

    @property
    def tagger(self) -> EntityTagger:
        """The tagger; `component.tagger.lexicon` takes words of your own."""
        if self._tagger is None:
            with _LOADING:
                if self._tagger is None:
                    self._tagger = load_entity_tagger(self._model, threads=self._threads)
        return self._tagger

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of entities that the model knows; none where there is no model.

        spaCy asks for them before it loads what was saved, where the model may be.
        """
        try:
            return self.tagger.labels
        except FenjieError:
            return ()

    def __call__(self, doc: Doc) -> Doc:
        """Find the entities of a document."""
        _set_entities(doc, self.tagger(doc.text))
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 1000) -> Iterator[Doc]:
        """Find the entities of documents, a batch at a time."""
        rest = iter(stream)
        while docs := list(islice(rest, batch_size)):
            for doc, sentence in zip(docs, self.tagger([doc.text for doc in docs]), strict=True):
                _set_entities(doc, sentence)
                yield doc

    def score(self, examples: Iterable[Example], **_: Any) -> dict[str, Any]:
        """Precision, recall and F1 of `Doc.ents`, which `nlp.evaluate` gives."""
        found: dict[str, Any] = get_ner_prf(examples)
        return found

    def to_disk(self, path: str | Path, **_: Any) -> None:
        """Save the user words and, where it is not a shipped one, the model."""
        _save(path, self.tagger, self.to_bytes())

    def from_disk(self, path: str | Path, **_: Any) -> Entities:
        """Take the model and the user words that `to_disk` has saved."""
        self._model = _saved(path, self._model)
        return self.from_bytes((Path(path) / WORDS).read_bytes())

    def to_bytes(self, **_: Any) -> bytes:
        """The words that were added; the model is named in the config of the pipeline.

        Words of the model's own that were removed are not kept.
        """
        return _dump(self.tagger.lexicon.known)

    def from_bytes(self, data: bytes, **_: Any) -> Entities:
        """Take the words of `to_bytes` in place of those that are there."""
        tagger = load_entity_tagger(self._model, threads=self._threads)
        tagger.lexicon.put(_read(data))
        self._tagger = tagger
        return self


def _set_entities(doc: Doc, sentence: Sentence) -> None:
    """Let a document have the entities of its text besides those that it has."""
    kept = list(doc.ents)
    taken = bytearray(len(sentence.text))
    for own in kept:
        taken[own.start_char : own.end_char] = b"\1" * (own.end_char - own.start_char)
    found = [span for span in sentence.spans if not any(taken[span.start : span.end])]
    made = [doc.char_span(span.start, span.end, label=span.label) for span in found]
    if None in made:
        _split(doc, {edge for span in found for edge in (span.start, span.end)})
        kept = list(doc.ents)
        made = [doc.char_span(span.start, span.end, label=span.label) for span in found]
    for one, span in zip(made, found, strict=True):
        assert one is not None, "every edge is one of a token"
        if span.confidence is not None:
            one._.set(CONFIDENCE, span.confidence)
        kept.append(one)
    doc.ents = kept


def _split(doc: Doc, edges: set[int]) -> None:
    """Split the tokens inside of which there are edges, offsets in the text.

    spaCy leaves the spans in `Doc.spans` at the numbers of their tokens: here they keep their
    characters.
    """
    tokens = list(_cut_by(doc, edges))
    groups = {key: (group, [_characters(one) for one in group]) for key, group in doc.spans.items()}
    with doc.retokenize() as retokenizer:
        for token, parts in tokens:
            own = (token, 0)
            first = own if token.head.i == token.i else token.head
            retokenizer.split(token, parts, [first, *[own] * (len(parts) - 1)])
    for key, (group, places) in groups.items():
        spans = [_span_at(doc, *place) for place in places]
        doc.spans[key] = SpanGroup(doc, name=group.name, attrs=group.attrs, spans=spans)


def _characters(span: Span) -> tuple[int, int, dict[str, Any]]:
    """Where a span starts and ends in the text, and what else `Doc.char_span` takes."""
    names = {"label": span.label, "kb_id": span.kb_id, "span_id": span.id}
    return span.start_char, span.end_char, names


def _span_at(doc: Doc, start: int, end: int, names: dict[str, Any]) -> Span:
    """The span of `_characters`, after tokens were split."""
    span = doc.char_span(start, end, **names)
    assert span is not None, "no tokens were joined"
    return span


def _cut_by(doc: Doc, edges: set[int]) -> Iterator[tuple[Token, list[str]]]:
    """The tokens inside of which there are edges, each with its parts.

    Args:
        doc: a document.
        edges: offsets in its text.
    """
    waiting = sorted(edges, reverse=True)
    for token in doc:
        start, text = token.idx, token.text
        while waiting and waiting[-1] <= start:
            waiting.pop()
        if not waiting:
            return
        inside = []
        while waiting and waiting[-1] < start + len(text):
            inside.append(waiting.pop() - start)
        if inside:
            yield token, [text[low:high] for low, high in pairwise([0, *inside, len(text)])]


def _dump(words: Mapping[str, UserWord]) -> bytes:
    """Each word with its weight, its label, and whether it is forced, which JSON has no number for.

    {"云计算": [10.0, null, false], "李教授": [null, "PER", true]}
    """
    lines = []
    for word, (weight, label) in words.items():
        forced = weight == FORCED
        known = [None if forced else weight, label, forced]
        lines.append(f"{json.dumps(word, ensure_ascii=False)}: {json.dumps(known)}")
    return ("{" + ",\n".join(lines) + "}").encode()


def _read(data: bytes) -> dict[str, UserWord]:
    """The words of `_dump`, or as earlier versions of fenjie wrote them: words or their labels."""
    found = json.loads(data)
    words = {}
    for word, known in (found if isinstance(found, dict) else dict.fromkeys(found)).items():
        weight, label, forced = known if isinstance(known, list) else (None, known, False)
        words[word] = UserWord(weight_of(weight, None, forced), label)
    return words


def _save(path: str | Path, tagger: Segmenter | EntityTagger, words: bytes) -> None:
    """Write the part of a pipeline: its words, and its model unless that comes with fenjie."""
    with atomic(path) as made:
        made.mkdir()
        (made / WORDS).write_bytes(words)
        if tagger.folder.path.parent != SHIPPED:
            shutil.copytree(tagger.folder.path, made / MODEL)


def _saved(path: str | Path, model: str) -> str:
    """The model of a saved part of a pipeline.

    Args:
        path: the folder of the part.
        model: the name of the model that the pipeline was made with.

    Raises:
        FileError: the folder is not one that `_save` has made.
    """
    if not (Path(path) / WORDS).is_file():
        raise FileError(
            path, "is not a saved part of a pipeline", expected=f"a folder with {WORDS}"
        )
    folder = Path(path) / MODEL
    return str(folder) if folder.exists() else model
