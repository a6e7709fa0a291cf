"""The order in which a lattice LSTM reads a batch: step by step, in both directions at once."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.nn.lattice import Lattice


class Step(NamedTuple):
    """What is read at one step.

    Attributes:
        live: how many sentences are.
        before: the first row of the step before; 0 at the first step.
        first: the first row.
        stop: the row behind the last one.
        item: the first item.
        middle: the first item of the second direction.
        end: the item behind the last one.
        joined: the first of the rows at which items end, counted among all such rows.
        joined_end: the one behind the last.
    """

    live: int
    before: int
    first: int
    stop: int
    item: int
    middle: int
    end: int
    joined: int
    joined_end: int


class LatticeSteps(NamedTuple):
    """Characters and words of a batch in the order of the steps, without padding.

    Step t reads character t of each sentence from the left, and from the right. A *row* is a
    character in one direction. Rows stand by step; in a step by direction; in it by sentence, the
    longest first: so the sentences that go on are always the first ones. An *item* is a word in
    one direction. Items stand by the row at which they end, thus by step, then by direction.

    Attributes:
        steps: the steps.
        row: the character of each row, as twice its index among all of the batch, plus the
            direction: `[2 * characters]`.
        before: the row of the character before it; 0 where there is none.
        item: the word of each item, like `row`: `[2 * words]`.
        head: the row at which each item begins: `[2 * words]`.
        tail: the row at which it ends.
        joined: the rows at which items end, each once.
        owner: which of these each item has: `[2 * words]`.
    """

    steps: list[Step]
    row: Tensor
    before: Tensor
    item: Tensor
    head: Tensor
    tail: Tensor
    joined: Tensor
    owner: Tensor

    @classmethod
    def of(cls, lattice: Lattice) -> LatticeSteps:
        """The order of a lattice.

        Raises:
            FenjieError: a word has one character alone, or a sentence has two words of the same
                characters.
        """
        lengths, device = lattice.lengths, lattice.lengths.device
        order = lengths.argsort(descending=True, stable=True)
        rank = torch.empty_like(order)
        rank[order] = torch.arange(len(order), device=device)
        live = lattice.mask.sum(0)
        base = 2 * (live.cumsum(0) - live)

        def row_of(sentence: Tensor, step: Tensor, backwards: int) -> Tensor:
            return base[step] + backwards * live[step] + rank[sentence]

        sentence, place = lattice.mask.nonzero(as_tuple=True)
        turned = lengths[sentence] - 1 - place
        # The row of each character in each direction, and of the one before it: (C, 2)
        rows = torch.stack((row_of(sentence, place, 0), row_of(sentence, turned, 1)), dim=1)
        row = rows.view(-1).argsort()
        place, turned = (place - 1).clamp(min=0), (turned - 1).clamp(min=0)
        before = torch.stack((row_of(sentence, place, 0), row_of(sentence, turned, 1)), dim=1)

        sentence = lattice.word_mask.nonzero(as_tuple=True)[0]
        first, last = lattice.start[lattice.word_mask], lattice.end[lattice.word_mask]
        if bool((first >= last).any()):
            raise FenjieError("a lattice LSTM reads words of two characters and more")
        end = lengths[sentence] - 1
        heads = torch.stack((row_of(sentence, first, 0), row_of(sentence, end - last, 1)), dim=1)
        tails = torch.stack((row_of(sentence, last, 0), row_of(sentence, end - first, 1)), dim=1)
        item = (tails * len(row) + heads).view(-1).argsort()
        head, tail = heads.view(-1)[item], tails.view(-1)[item]
        if bool(((head[1:] == head[:-1]) & (tail[1:] == tail[:-1])).any()):
            raise FenjieError("two words of a sentence have the same characters")
        joined, owner = tail.unique_consecutive(return_inverse=True)
        # Where each direction of each step begins, and the end: (2T + 1)
        edges = torch.stack((base, base + live), dim=1).view(-1)
        edges = torch.cat((edges, edges.new_tensor([len(row)])))
        bounds = edges.tolist()
        items = torch.searchsorted(tail, edges).tolist()
        joins = torch.searchsorted(joined, edges).tolist()
        steps = [
            Step(
                bounds[at + 1] - bounds[at],
                bounds[max(at - 2, 0)],
                bounds[at],
                bounds[at + 2],
                *items[at : at + 3],
                joins[at],
                joins[at + 2],
            )
            for at in range(0, len(bounds) - 1, 2)
        ]
        return cls(steps, row, before.view(-1)[row], item, head, tail, joined, owner)
