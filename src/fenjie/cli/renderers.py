"""Formats that `fenjie segment` and `fenjie tag` both write, a sentence at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fenjie.cli.streams import Line

if TYPE_CHECKING:
    from fenjie.text.span import Sentence

Render = Callable[["Sentence", Line], str]
"""Writes a sentence and the line that it was read from."""


def jsonl(sentence: Sentence, **more: Any) -> str:
    """A JSON object per line: the text, spans as `fenjie.corpus` reads them, and more."""
    spans = [[span.start, span.end, span.label] for span in sentence.spans]
    value = {"text": sentence.text, "spans": spans, **more}
    return json.dumps(value, ensure_ascii=False) + "\n"


def columns(scheme: str) -> Render:
    """A function that writes a character and its tag per line, then an empty line."""

    def written(sentence: Sentence, _: Line) -> str:
        from fenjie.text.schemes import encode

        tags = encode(sentence.spans, len(sentence.text), scheme)
        pairs = zip(sentence.text, tags, strict=True)
        return "".join([*(f"{character} {tag}\n" for character, tag in pairs), "\n"])

    return written
