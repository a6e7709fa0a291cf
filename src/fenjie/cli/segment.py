"""`fenjie segment`: words out of any text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli.streams import STANDARD, Line, bunches, output

if TYPE_CHECKING:
    from fenjie.text.span import Sentence


class Format(StrEnum):
    """How segmented lines are written."""

    SPACED = "spaced"
    JSONL = "jsonl"
    BMES = "bmes"
    COLOR = "color"


def segment(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE…|-]",
            help="Text files, plain, gzip or xz; - or none for standard input.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="spaced: a space between words; jsonl: text and offsets; bmes: a character and "
            "its tag a line. Without it spaced, and color in a terminal.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="A shipped model, or a model folder.")
    ] = "segment",
    words: Annotated[
        Path | None,
        typer.Option(
            help="A file of user words, in UTF-8, a word a line; a frequency and a part of speech "
            "behind it are ignored. Found from left to right, at each place the longest; each one "
            "found is exactly one word and wins over the model and the rules for numbers, Latin "
            "words and addresses.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file, written whole or not at all."),
    ] = None,
    encoding: Annotated[str, typer.Option(help="The encoding of the files.")] = "utf-8",
    threads: Annotated[int, typer.Option(min=1, help="How many threads to use.")] = 1,
) -> None:
    """Segment text: every line comes back with its words marked.

    Lines are written as soon as they are done, so fenjie works in a pipe, and memory does not
    grow with the length of a file.
    """
    from fenjie.runtime.ready import load

    tagger = load(model, threads=threads, words=() if words is None else words)
    render = RENDERERS[form or _default(to)]
    last: Line | None = None
    with output(to) as write:
        for path in files or [STANDARD]:
            if last is not None and not last.end:
                write("\n")
            last = None
            for bunch in bunches(path, encoding):
                found = tagger.stream(line.text for line in bunch)
                for sentence, line in zip(found, bunch, strict=True):
                    write(render(sentence, line.end))
                last = bunch[-1]


def _default(to: Path | None) -> Format:
    in_terminal = to is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return Format.COLOR if in_terminal else Format.SPACED


def spaced(sentence: Sentence, end: str) -> str:
    """Words with a space between them; whitespace in the text stays as it is."""
    words = sentence.words
    if not any(map(str.isspace, words)):
        return " ".join(words) + end
    parts = []
    after_word = False
    for word in words:
        is_word = not word.isspace()
        parts += [" ", word] if is_word and after_word else [word]
        after_word = is_word
    return "".join(parts) + end


def jsonl(sentence: Sentence, _: str) -> str:
    """A JSON object: the text, and the start, end and label of each span."""
    spans = [[span.start, span.end, span.label] for span in sentence.spans]
    return json.dumps({"text": sentence.text, "spans": spans}, ensure_ascii=False) + "\n"


def bmes(sentence: Sentence, _: str) -> str:
    """A character and its tag a line, and an empty line."""
    rows = []
    for span in sentence.spans:
        size = span.end - span.start
        tags = "S" if size == 1 else f"B{'M' * (size - 2)}E"
        rows += [f"{char} {tag}\n" for char, tag in zip(span.of(sentence.text), tags, strict=True)]
    return "".join(rows) + "\n"


def color(sentence: Sentence, end: str) -> str:
    """Neighbouring words in different colours; control characters are shown, not obeyed."""
    shades = cycle(_SHADES)
    parts = [word if word.isspace() else f"{next(shades)}{word}{_PLAIN}" for word in sentence.words]
    return "".join(parts).translate(_CONTROL_PICTURES).replace("\0", "\x1b") + end


_SHADES = ("\0[36m", "\0[33m")
_PLAIN = "\0[0m"
_CONTROL_PICTURES = {
    **{code: 0x2400 + code for code in range(1, 0x20) if chr(code) != "\t"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}

RENDERERS: dict[Format, Callable[[Sentence, str], str]] = {
    Format.SPACED: spaced,
    Format.JSONL: jsonl,
    Format.BMES: bmes,
    Format.COLOR: color,
}
