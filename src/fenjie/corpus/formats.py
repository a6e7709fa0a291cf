"""The formats of annotated files, by name, and which of them a file is in."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fenjie.corpus import (
    brat,
    columns,
    conllu,
    doccano,
    jsonl,
    label_studio,
    spaced,
    tag_places,
)
from fenjie.corpus.lines import Corpus, FilePath, Lines
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence


class Format(NamedTuple):
    """How a kind of file is read and written.

    Attributes:
        read: lines and the file's name to a corpus; raises FileError for what is not in this
            format.
        render: a sentence to its lines, the last line end included; raises FenjieError for what
            cannot be said in this format.
        title: what it is, in a few words.
        opening: what stands before the sentences.
        between: what stands between two of them.
        closing: the text after them.
    """

    read: Callable[[Lines, FilePath], Corpus]
    render: Callable[[Sentence], str]
    title: str
    opening: str = ""
    between: str = ""
    closing: str = ""


FORMATS = {
    "columns": Format(columns.read, columns.render, "a character and its tag a line"),
    "spaced": Format(spaced.read, spaced.render, "a sentence a line, spaces between words"),
    "conllu": Format(conllu.read, conllu.render, "CoNLL-U of Universal Dependencies"),
    "weibo": Format(
        columns.read_weibo, columns.render_weibo, "as columns, with the position (科0)"
    ),
    "jsonl": Format(jsonl.read, jsonl.render, "a JSON object with text and spans a line"),
    "doccano": Format(doccano.read, doccano.render, "JSON Lines of doccano"),
    "label-studio": Format(
        label_studio.read,
        label_studio.render,
        "JSON of Label Studio",
        label_studio.OPENING,
        label_studio.BETWEEN,
        label_studio.CLOSING,
    ),
}
"""The formats of one file, by name."""

NAMES = (*FORMATS, brat.NAME)
"""All formats; those of brat are two files."""


def named(name: str) -> Format:
    """The format of one file that has this name."""
    if name not in FORMATS:
        raise FenjieError(f"unknown format {name!r}; expected {', '.join(NAMES)}")
    return FORMATS[name]


def guess(lines: Sequence[str]) -> str | None:
    """The name of the format that the first lines of a file are in.

    A format is taken where at least half of the lines that are not empty look like it, so that a
    damaged line is reported in its own format. None where nothing fits: text without spaces may
    be segmented or not.
    """
    lines = [line for line in lines if line.strip()]
    if label_studio.looks_so("".join(lines[:3])):
        return "label-studio"
    if any(map(jsonl.has_objects, lines)):
        return "jsonl"  # lines without an entity look like doccano's
    for name, fits in _LOOKS.items():
        candidates = [line for line in lines if name != "conllu" or not line.startswith("#")]
        if candidates and 2 * sum(map(fits, candidates)) >= len(candidates):
            return name
        if name == "columns" and tag_places.is_elsewhere(candidates):
            return name  # its reader says where the tags stand
    return None


def _is_positioned(line: str) -> bool:
    return (
        len(line.split()) == 2
        and tag_places.is_tagged(line)
        and re.match("[^0-9]*.[0-9]+[ \t]", line, re.DOTALL) is not None
    )


_LOOKS: dict[str, Callable[[str], bool]] = {
    "doccano": doccano.looks_so,
    "jsonl": lambda line: re.match(r'\s*\{\s*"', line) is not None,
    "conllu": lambda line: conllu.columns(line) is not None,
    "weibo": _is_positioned,
    "columns": tag_places.is_tagged,
    "spaced": lambda line: len(spaced.split(line)) > 1,
}
