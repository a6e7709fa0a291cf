"""The cuts of a teacher: raw text as the student reads it, with the teacher's log-odds of each gap.

They are kept in files of about a million characters, so that an interrupted run goes on with the
next one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.corpus import read
from fenjie.distillation.distill_recipe import DistillRecipe, TextRecipe
from fenjie.errors import FenjieError
from fenjie.files import atomic, read_lines
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.recipe.recipe import locate
from fenjie.runtime.load import load_segmenter
from fenjie.runtime.parts import CHUNK, chunks
from fenjie.runtime.rows import is_space
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points

KNOWN = 1 << 16
"""Code points above are read as the last one."""

BREAK = ord("\n")
"""As which all whitespace is read. Two stand before each text, so that no gap sees another."""

OPEN = -128
"""In place of log-odds, where whitespace or a rule decides and nobody is asked."""

STEP = 1 / 16
"""The log-odds that 1 stands for, up to 127 of them."""

SHARD = 1_000_000
"""Characters of a file."""

LONGEST = 20_000
"""A longer line is cut off here."""

COMPLETE = "complete.txt"
"""Holds the number of files, once there are all."""

Codes = NDArray[np.uint16]


class Cuts(NamedTuple):
    """Some text and its gaps.

    Attributes:
        codes: the code point as which the student reads each character, `[length]`.
        odds: the log-odds that a word begins there, in steps of `STEP`; or `OPEN`.
    """

    codes: Codes
    odds: NDArray[np.int8]

    @classmethod
    def join(cls, parts: Sequence[Cuts]) -> Cuts:
        """Some one after the other."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def reading(normaliser: Normaliser, variants: Iterable[str] = ()) -> Codes:
    """The code point as which the student reads each code point below `KNOWN`.

    Args:
        normaliser: one character to one.
        variants: pairs of a character and the one as which it is read after that.
    """
    read_as = np.arange(KNOWN, dtype=np.uint32)
    for pair in variants:
        old, new = map(ord, pair)
        if old < KNOWN:
            read_as[old] = new
    codes = read_as[code_points(normaliser("".join(map(chr, range(KNOWN)))).text)]
    codes[is_space(np.arange(KNOWN, dtype=np.uint32))] = BREAK
    return np.where(codes < KNOWN, codes, KNOWN - 1).astype(np.uint16)


def cut_of(text: str, odds: NDArray[np.floating], table: Codes) -> Cuts:
    """A text and the log-odds of its gaps, NaN where nobody is asked."""
    steps = np.where(np.isnan(odds), OPEN, np.clip(np.nan_to_num(odds / STEP).round(), -127, 127))
    codes = table.take(code_points(text), mode="clip")
    return Cuts(
        np.append(np.full(2, BREAK, dtype=np.uint16), codes),
        np.append(np.full(2, OPEN, dtype=np.int8), steps.astype(np.int8)),
    )


def teacher_cuts(recipe: DistillRecipe, table: Codes, folder: Path) -> tuple[int, Iterator[Cuts]]:
    """The cuts of the texts of a recipe, a file at a time, made where the folder lacks them.

    Args:
        recipe: the texts and the teacher.
        table: the code point as which the student reads each code point.
        folder: of the files.

    Returns:
        The number of files, and their cuts one after the other.

    Raises:
        FenjieError: the texts hold no text.
    """
    end = folder / COMPLETE
    if end.exists():
        count = int(end.read_text(encoding="utf-8"))
        return count, (_opened(_paths(folder, number)) for number in range(count))
    shards = list(_shards(mixed(recipe.texts, recipe.training.seed), recipe.millions))
    return len(shards), _made(shards, recipe.teacher, table, folder)


def _made(shards: Sequence[Sequence[str]], name: str, table: Codes, folder: Path) -> Iterator[Cuts]:
    teacher = load_segmenter(name)
    for number, some in enumerate(shards):
        paths = _paths(folder, number)
        if not all(path.exists() for path in paths):
            parts = [
                cut_of(text, odds, table)
                for chunk in chunks(some, CHUNK)
                for text, odds in zip(chunk, teacher.log_odds(chunk), strict=True)
            ]
            folder.mkdir(parents=True, exist_ok=True)
            made = Cuts.join(parts)
            save_array(paths[0], made.codes)
            save_array(paths[1], made.odds)
        yield _opened(paths)
    with atomic(folder / COMPLETE) as made_all:
        made_all.write_text(f"{len(shards)}\n", encoding="utf-8", newline="\n")


def _paths(folder: Path, number: int) -> list[Path]:
    return [folder / f"{number:04d}.{name}.npy" for name in Cuts._fields]


def _opened(paths: Sequence[Path]) -> Cuts:
    return Cuts(*(open_array(path, "cuts of a teacher") for path in paths))


def mixed(texts: Sequence[TextRecipe], seed: int) -> list[str]:
    """The lines of some texts in random order, of each as many as are wanted.

    Raises:
        FenjieError: there are none.
    """
    order = random.Random(seed)
    lines: list[str] = []
    for text in texts:
        found = [line[:LONGEST] for line in _lines(text) if line.strip()]
        order.shuffle(found)
        size = 0
        for line in found:
            lines.append(line)
            size += len(line)
            if size > text.millions * 1e6:
                break
    if not lines:
        raise FenjieError("the texts hold no text")
    order.shuffle(lines)
    return lines


def _lines(text: TextRecipe) -> Iterable[str]:
    path = locate(text.path)
    if text.annotated:
        return (" ".join(sentence.text.splitlines()) for sentence in read(path))
    return (line for _, line in read_lines(path))


def _shards(lines: Iterable[str], millions: float) -> Iterator[list[str]]:
    """Lines of about `SHARD` characters, up to so many millions in all."""
    shard: list[str] = []
    size, total = 0, 0
    for line in lines:
        shard.append(line)
        size += len(line)
        if size >= SHARD:
            yield shard
            total += size
            shard, size = [], 0
            if total >= millions * 1e6:
                return
    if shard:
        yield shard
