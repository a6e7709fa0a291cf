"""What the readers of all formats have in common: numbered lines in, a corpus out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike

from fenjie.errors import FenjieError, shorten
from fenjie.text.span import Sentence

Lines = Iterable[tuple[int, str]]
"""Lines without their ends and their numbers, counted from 1."""

FilePath = str | PathLike[str]


@dataclass
class Corpus:
    """Annotated sentences.

    Attributes:
        sentences: the sentences, in the order of the file.
        repairs: how often ill-formed tags were repaired, by rule (`fenjie.text.schemes`).
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
    """The runs of lines between empty lines."""
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if line:
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def words_of(sentence: Sentence) -> list[str]:
    """The words of a sentence that is to be written in a format that holds words alone.

    Raises:
        FenjieError: it is empty, or its words do not tile its text.
    """
    if not sentence.text or not sentence.tiled:
        raise FenjieError(
            f"found {shorten(sentence.text)}; expected words that tile a text which is not empty"
        )
    return sentence.words
