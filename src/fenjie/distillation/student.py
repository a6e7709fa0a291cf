"""The student: the linear model of gaps in PyTorch, and how it learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from fenjie.distillation.cuts import OPEN, STEP, Codes, Cuts
from fenjie.distillation.distill_recipe import TableSizes
from fenjie.runtime.linear import (
    BEGINS,
    KNOWN,
    LEAD,
    PLACES,
    RARE,
    SPACE,
    TAIL,
    LinearGaps,
)

LARGEST = 127
"""The largest weight, in units."""

WARMUP = 20
"""Steps in which the learning rate rises."""


class Student(nn.Module):
    """The tables of weights, one for each order of n-grams, `[rows, places]`."""

    def __init__(self, characters: NDArray[np.uint16], sizes: TableSizes) -> None:
        super().__init__()
        self.characters, self.unit = characters, sizes.unit
        first = 1 << int(characters.max()).bit_length()
        rows = (first, *(1 << bits for bits in sizes.bits))
        empty = [np.zeros((n, k), np.int8) for n, k in zip(rows, PLACES, strict=True)]
        self._gaps = LinearGaps(characters, empty, sizes.unit)
        self.tables = nn.ParameterList(torch.zeros(table.shape) for table in empty)

    def forward(self, numbers: NDArray[np.uint16]) -> Tensor:
        """The log-odds that a word begins at each character: `[length]`.

        Args:
            numbers: of the characters, `[LEAD + length + TAIL]`.
        """
        length = len(numbers) - LEAD - TAIL
        total = torch.zeros(length)
        orders = zip(self.tables, self._gaps.rows_of(numbers), BEGINS, strict=True)
        for table, rows, (first, last) in orders:
            weights = F.embedding(torch.from_numpy(rows.astype(np.int64)), table)
            for place in range(last - first + 1):
                total = total + weights[place : place + length, place]
        return total

    def loss(self, numbers: NDArray[np.uint16], odds: NDArray[np.int8]) -> Tensor:
        """Mean cross entropy over the gaps of which the odds are known; 0 where there are none.

        Args:
            numbers: of the characters, `[LEAD + length + TAIL]`.
            odds: as in `Cuts`, `[length]`.
        """
        (asked,) = (odds != OPEN).nonzero()
        if not len(asked):
            nothing: Tensor = 0.0 * self(numbers).sum()
            return nothing
        wanted = torch.from_numpy(odds[asked].astype(np.float32) * STEP).sigmoid()
        return F.binary_cross_entropy_with_logits(self(numbers)[torch.from_numpy(asked)], wanted)

    @torch.no_grad()
    def mix(self, tables: Sequence[Tensor], share: float) -> None:
        """Take a share of other weights, `[rows, places]` each."""
        for own, other in zip(self.tables, tables, strict=True):
            own.lerp_(other, share)

    def rounded(self) -> LinearGaps:
        """The model that runs: weights as whole numbers of units."""
        tables = [
            np.clip(np.round(table.detach().numpy() / self.unit), -LARGEST, LARGEST)
            for table in self.tables
        ]
        return LinearGaps(self.characters, [table.astype(np.int8) for table in tables], self.unit)


def number_characters(table: Codes, cuts: Cuts, minimum: int) -> NDArray[np.uint16]:
    """The number of each code point, those of frequent characters first: `[KNOWN]`.

    Args:
        table: the code point as which each is read.
        cuts: the text in which characters are counted.
        minimum: characters that occur less often are `RARE`.
    """
    counts = np.bincount(cuts.codes, minlength=KNOWN)
    counts[table[ord("\n")]] = 0
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= minimum]
    numbers = np.full(KNOWN, RARE, dtype=np.uint16)
    numbers[order] = np.arange(2, 2 + len(order))
    numbers[table[ord("\n")]] = SPACE
    return numbers[table]


def learn(
    student: Student,
    cuts: Cuts,
    numbers: NDArray[np.uint16],
    passes: float,
    batch: int,
    rate: float,
    seed: int,
    report: Callable[[int, int, float], None],
) -> None:
    """Let a student learn from cuts, in steps of neighbouring characters, in random order.

    Args:
        student: the student.
        cuts: the text and its odds.
        numbers: those of its characters.
        passes: passes over it.
        batch: characters of a step.
        rate: the first learning rate.
        seed: of the order.
        report: takes the number of steps done, their total, and the last loss.
    """
    count = -(-len(numbers) // batch)
    total = round(count * passes)
    padded = np.pad(numbers, (LEAD, TAIL), constant_values=SPACE)
    optimizer = torch.optim.Adam(student.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
    random = np.random.default_rng(seed)
    order: list[int] = []
    for step in range(total):
        order = order or random.permutation(count).tolist()
        first = order.pop() * batch
        last = min(first + batch, len(numbers))
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / total) * min(1.0, (step + 1) / WARMUP)
        loss = student.loss(padded[first : last + LEAD + TAIL], cuts.odds[first:last])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        report(step + 1, total, float(loss.detach()))
