"""The recipe of a distillation, a strict TOML file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fenjie.errors import FenjieError
from fenjie.ranges import Factor, Millions, Range
from fenjie.recipe.datasets import DataRecipe
from fenjie.recipe.derived import read_as

Passes = Annotated[float, Range(0, 1000)]
"""A number of passes over a text."""

Batch = Annotated[int, Range(16, 1 << 24)]
"""Characters of a step."""

Bits = Annotated[int, Range(1, 30)]
"""The logarithm of a number of rows, to the base of 2."""


@dataclass(frozen=True)
class TextRecipe:
    """A file of raw text, a paragraph a line, or an annotated one, of which the text alone is read.

    Attributes:
        path: the file, plain, gzip or xz; looked for under FENJIE_DATA, then here.
        millions: characters of it to take, in millions, of lines in random order.
        annotated: whether it is an annotated corpus.
    """

    path: str
    millions: Millions = 1_000_000.0
    annotated: bool = False


@dataclass(frozen=True)
class TableSizes:
    """The sizes of the student, see `fenjie.runtime.linear`.

    Attributes:
        bits: for n-grams of two, three and four characters the logarithm of the number of rows.
        minimum: characters that occur less often have no number of their own.
        unit: the log-odds that a weight of 1 stands for; weights are whole numbers to 127.
    """

    bits: tuple[Bits, Bits, Bits] = (19, 20, 18)
    minimum: Annotated[int, Range(1, 1_000_000)] = 3
    unit: Annotated[float, Range(0, 1, above=True, below=True)] = 0.0625


@dataclass(frozen=True)
class DistillSettings:
    """How the student learns: from the teacher's log-odds of each gap, then from gold words.

    Attributes:
        seed: everything random follows from it.
        passes: passes over what the teacher has cut.
        batch: characters of a step there.
        learning_rate: the first rate of Adam there, which falls to 0.
        gold_passes: passes over the gold words.
        gold_batch: characters of a step there.
        gold_learning_rate: the first rate there, which falls to 0.
        gold_share: the model's weights are so much of those after the gold words, and the rest of
            those before them: with less than 1 it keeps more of what the teacher knows of other
            text.
    """

    seed: Annotated[int, Range(0, 2**32 - 1)] = 1
    passes: Passes = 3.0
    batch: Batch = 32_768
    learning_rate: Factor = 0.03
    gold_passes: Passes = 4.0
    gold_batch: Batch = 8192
    gold_learning_rate: Factor = 0.005
    gold_share: Annotated[float, Range(0, 1)] = 1.0


@dataclass(frozen=True)
class DistillRecipe:
    """All of a distillation.

    Attributes:
        texts: the raw texts that the teacher cuts.
        data: the gold words that the student learns from last, with dev and test.
        teacher: a shipped segmenter, or the folder of one.
        millions: characters to cut in all, in millions, of the texts mixed line by line.
        model: the sizes of the student.
        training: how it learns.
    """

    texts: tuple[TextRecipe, ...]
    data: DataRecipe
    teacher: str = "segment"
    millions: Millions = 1_000_000.0
    model: TableSizes = field(default_factory=TableSizes)
    training: DistillSettings = field(default_factory=DistillSettings)

    def __post_init__(self) -> None:
        """Raise a FenjieError where there is nothing to learn from."""
        if not self.texts:
            raise FenjieError("texts names no file")
        if self.data.corpora:
            raise FenjieError("[data] is of words in one standard: it has no corpora")
        self.data.check_task("segment")


def read_distill_recipe(path: Path) -> DistillRecipe:
    """Read a recipe.

    Raises:
        FileError: the file cannot be read, is not TOML, has an unknown key (the message names
            the line and the nearest known key), lacks one, or holds a wrong value.
    """
    return read_as(DistillRecipe, path)
