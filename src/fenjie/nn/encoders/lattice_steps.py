"""The order in which a lattice LSTM reads the words of a batch, in both directions at once."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.nn.encoders.recurrent_rows import Rows
from fenjie.nn.lattice import Lattice


class Ends(NamedTuple):
    """The items that end at one step.

    Attributes:
        first: the first one.
        middle: the first one of the second direction.
        stop: the one after the last.
        row: the first of the rows at which they end, counted among all such rows.
        row_stop: the one after the last.
    """

    first: int
    middle: int
    stop: int
    row: int
    row_stop: int


class Items(NamedTuple):
    """The words of a batch in the order of the steps at which they end.

    An *item* is a word in one direction. Items stand by the row (see `Rows`) at which they end,
    thus by step, then by direction.

    Attributes:
        ends: the items of each step.
        item: the word of each item, as twice its index among all of the batch, plus the direction:
            `[2 * words]`.
        head: the row at which each item begins: `[2 * words]`.
        tail: the row at which it ends.
        rows: the rows at which items end, each once.
        owner: which of these each item has: `[2 * words]`.
        starts: the first item of each of these rows.
    """

    ends: list[Ends]
    item: Tensor
    head: Tensor
    tail: Tensor
    rows: Tensor
    owner: Tensor
    starts: Tensor

    @classmethod
    def of(cls, lattice: Lattice, rows: Rows) -> Items:
        """The order of the words of a lattice.

        Raises:
            FenjieError: a word has one character alone, or a sentence has two words of the same
                characters.
        """
        real = lattice.word_mask
        first, last = lattice.start[real], lattice.end[real]
        if bool((first >= last).any()):
            raise FenjieError("a lattice LSTM reads words of two characters and more")
        sentence = real.nonzero(as_tuple=True)[0]
        end, rank = lattice.lengths[sentence] - 1, rows.rank[sentence][:, None]
        direction = torch.arange(2, device=first.device)
        # (W, 2): rows in each direction; in the second one the last character is the first one
        heads = rows.edges[2 * torch.stack((first, end - last), dim=1) + direction] + rank
        tails = rows.edges[2 * torch.stack((last, end - first), dim=1) + direction] + rank
        item = (tails * len(rows.row) + heads).view(-1).argsort()
        head, tail = heads.view(-1)[item], tails.view(-1)[item]
        if bool(((head[1:] == head[:-1]) & (tail[1:] == tail[:-1])).any()):
            raise FenjieError("two words of a sentence have the same characters")
        tails_once, owner = tail.unique_consecutive(return_inverse=True)
        items = torch.searchsorted(tail, rows.edges).tolist()
        joins = torch.searchsorted(tails_once, rows.edges).tolist()
        ends = [
            Ends(items[at], items[at + 1], items[at + 2], joins[at], joins[at + 2])
            for at in range(0, 2 * len(rows.steps), 2)
        ]
        starts = torch.searchsorted(tail, tails_once)
        return cls(ends, item, head, tail, tails_once, owner, starts)
