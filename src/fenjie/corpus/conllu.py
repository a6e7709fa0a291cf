"""CoNLL-U, as Universal Dependencies publish it: ten columns, of which the form is read.

The text is the words joined: `SpaceAfter` is not followed, since Chinese has no spaces between
words and older files carry none of these marks. Comments, lines of multi-word tokens (`1-2`) and
empty nodes (`1.1`) are skipped.
"""

from __future__ import annotations

import re

from fenjie.corpus.lines import Corpus, FilePath, Lines, blocks, words_of
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.span import Sentence

COLUMNS = 10
_ID = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_CONTROL = re.compile("[\t\n]")


def columns(line: str) -> list[str] | None:
    """The columns of a token's line, or None where it is none."""
    fields = line.split("\t")
    return fields if len(fields) == COLUMNS and _ID.fullmatch(fields[0]) else None


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read the words of a CoNLL-U file."""
    corpus = Corpus()
    for block in blocks(lines):
        words = []
        for number, line in block:
            if line.startswith("#"):
                continue
            fields = columns(line)
            if fields is None or not fields[1]:
                expected = f"{COLUMNS} columns separated by tabs: a number, a form, …"
                raise FileError(
                    path, "not a CoNLL-U line", line=number, found=line, expected=expected
                )
            if fields[0].isdecimal():
                words.append(fields[1])
        if words:
            corpus.add(Sentence.from_words(words), block[0][0])
    return corpus


def render(sentence: Sentence) -> str:
    """The lines of a sentence: number, form, and no other column but `SpaceAfter=No`."""
    words = words_of(sentence)
    if _CONTROL.search(sentence.text):
        raise FenjieError(f"found a tab or line end in {shorten(sentence.text)}; expected none")
    middle = "\t_" * (COLUMNS - 3)
    rows = [f"{number}\t{word}{middle}\tSpaceAfter=No\n" for number, word in enumerate(words, 1)]
    return f"# text = {sentence.text}\n{''.join(rows)}\n"
