"""Formats that `fenjie segment` and `fenjie tag` both write, part by part of a line."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fenjie.scale.blocks import Line
from fenjie.scale.rendering import Render
from fenjie.tables.names import end_of
from fenjie.text.span import WORD, Entity, Sentence, Span

_SLICE = 1 << 16
"""Characters of a text that are written at once."""


FORMS = {".jsonl": "jsonl", ".bmes": "bmes", ".bio": "bio", ".ann": "brat"}
"""Formats of text by the end of a name."""


def form_of(to: Path | None, known: Collection[str], default: str) -> str:
    """The format that text is written in, where none is asked for: as the name of the file says.

    Args:
        to: the file that is written; None for standard output.
        known: the formats that there are.
        default: the format where the name says none of them.
    """
    if to is None:
        return default
    form = FORMS.get(end_of(to))
    return form if form is not None and form in known else default


def jsonl(sentences: Iterable[Sentence], line: Line, entities: bool = False) -> Iterator[str]:
    """A JSON object per line: the text and spans as `fenjie.corpus` reads them, slice by slice.

    Args:
        sentences: tile the line.
        line: the line.
        entities: whether a list of the entities, with their texts and confidences, follows.
    """
    text = line.text
    yield '{"text": "'
    for at in range(0, len(text), _SLICE):
        yield _json(text[at : at + _SLICE])[1:-1]
    yield '", "spans": ['
    offset, begun, kept = 0, False, Kept()
    for sentence in sentences:
        spans = [[offset + span.start, offset + span.end, span.label] for span in sentence.spans]
        if spans:
            yield (", " if begun else "") + _json(spans)[1:-1]
            begun = True
        if entities:
            kept.add(sentence.spans, offset)
        offset += len(sentence.text)
    if entities:
        yield '], "entities": ['
        for number, entity in enumerate(kept.entities(text)):
            yield (", " if number else "") + _json(entity._asdict())
    yield "]}\n"


class Kept:
    """The entities of a line, kept in some 32 bytes each until all of its spans are written."""

    def __init__(self) -> None:
        self._labels: dict[str, int] = {}
        self._places, self._confidences = array("q"), array("d")

    def add(self, spans: Iterable[Span], offset: int) -> None:
        """Keep the spans that are not words, of a sentence that begins at an offset of the line."""
        for span in spans:
            if span.label != WORD:
                label = self._labels.setdefault(span.label, len(self._labels))
                self._places.extend((offset + span.start, offset + span.end, label))
                self._confidences.append(round(span.confidence or 0.0, 4))

    def entities(self, text: str) -> Iterator[Entity]:
        """The entities, in the order in which they came."""
        labels, places = list(self._labels), iter(self._places)
        rows = zip(places, places, places, self._confidences, strict=True)
        for start, end, label, confidence in rows:
            yield Entity(text[start:end], labels[label], start, end, confidence)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def columns(scheme: str) -> Render:
    """A function that writes a character and its tag per line, then an empty line."""
    return partial(_columns, scheme)


def _columns(scheme: str, sentences: Iterable[Sentence], _: Line) -> Iterator[str]:
    from fenjie.text.schemes import encode

    for sentence in sentences:
        tags = encode(sentence.spans, len(sentence.text), scheme)
        pairs = zip(sentence.text, tags, strict=True)
        yield "".join([f"{character} {tag}\n" for character, tag in pairs])
    yield "\n"
