"""Formats that `fenjie segment` and `fenjie tag` both write, part by part of a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from fenjie.scale.blocks import Line
from fenjie.scale.rendering import Render

if TYPE_CHECKING:
    from fenjie.text.span import Sentence


def jsonl(
    sentences: Iterable[Sentence],
    line: Line,
    more: Callable[[Sentence, int], Iterable[Any]] | None = None,
    key: str = "",
) -> Iterator[str]:
    """A JSON object per line: the text and spans as `fenjie.corpus` reads them, and one list more.

    Args:
        sentences: tile the line.
        line: the line.
        more: items of the further list, from a sentence and its offset; None for no such list.
        key: its key.
    """
    offset = 0
    items: list[str] = []
    yield f'{{"text": {_json(line.text)}, "spans": ['
    begun = False
    for sentence in sentences:
        spans = [[offset + span.start, offset + span.end, span.label] for span in sentence.spans]
        if spans:
            yield (", " if begun else "") + _json(spans)[1:-1]
            begun = True
        if more is not None:
            items += map(_json, more(sentence, offset))
        offset += len(sentence.text)
    yield "]}\n" if more is None else f'], "{key}": [{", ".join(items)}]}}\n'


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
