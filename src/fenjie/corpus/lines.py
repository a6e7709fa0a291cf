"""The skeleton of the readers of all formats: numbered lines in, a corpus out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.span import WORD, Sentence

Lines = Iterable[tuple[int, str]]
"""Lines without their ends and their numbers, counted from 1."""

FilePath = str | PathLike[str]


@dataclass
class Corpus:
    """Annotated sentences.

    Attributes:
        sentences: the sentences, in the order of the file.
        repairs: how often ill-formed tags were repaired, by rule (`fenjie.text.schemes`), and how
            many examples were left out (`fenjie.corpus.jsonl.NOT_ACCEPTED`).
        lines: the number of each sentence's first line in the file, for messages.
    """

    sentences: list[Sentence] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)
    lines: list[int] = field(default_factory=list)

    def add(self, sentence: Sentence, line: int) -> None:
        """Add a sentence that starts in this line."""
        self.sentences.append(sentence)
        self.lines.append(line)

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        """The sentences."""
        return iter(self.sentences)


def blocks(lines: Lines) -> Iterator[list[tuple[int, str]]]:
    """The runs of lines between those without more than spaces and tabs."""
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if line.strip(" \t"):
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


@contextmanager
def writing(number: int, path: FilePath, format: str, encoding: str) -> Iterator[None]:
    """Where a sentence of this number is written to a file.

    Raises:
        FileError: it cannot be said in this format or encoding.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise FileError(
            path,
            f"sentence {number} cannot be written in {encoding}",
            found=error.object[error.start : error.end],
            expected="another encoding, or the format jsonl for lone surrogates",
        ) from error
    except FenjieError as error:
        message = f"sentence {number} cannot be written as {format}: {error}"
        raise FileError(path, message) from error


def overlap(path: FilePath, line: int, found: object) -> FileError:
    """The error of two spans in a file."""
    expected = "each after the last"
    return FileError(path, "spans overlap", line=line, found=found, expected=expected)


def check_apart(sentence: Sentence) -> None:
    """See to it that a sentence can be written in a format whose spans do not overlap.

    Raises:
        FenjieError: spans overlap, or a label is empty.
    """
    for before, after in pairwise(sentence.spans):
        if after.start < before.end:
            raise FenjieError(f"spans overlap at {after.start} in {shorten(sentence.text)}")
    if not all(span.label for span in sentence.spans):
        raise FenjieError(f"found a span with an empty label in {shorten(sentence.text)}")


def words_of(sentence: Sentence) -> list[str]:
    """The words of a sentence that is written as words alone.

    Raises:
        FenjieError: it is empty, its spans do not tile it, or one of them has a label, which would
            be lost.
    """
    if not sentence.text or not sentence.tiled:
        raise FenjieError(
            f"found {shorten(sentence.text)}; expected words that tile a text which is not empty"
        )
    for span in sentence.spans:
        if span.label != WORD:
            found = shorten(span.of(sentence.text))
            raise FenjieError(f"found the label {shorten(span.label)} on {found}; expected words")
    return sentence.words
