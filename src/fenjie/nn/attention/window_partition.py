"""The partition of a sentence into dilated, shifted windows (DSWA, figures 3 to 6).

A sentence of n tokens, seen with stride s, is s sequences: the i-th has the positions i, i + s,
i + 2s, … Each is cut into windows of W. Where the windows are shifted, the first one has only W / 2
positions (rounded down), and every other one begins so much earlier: nothing wraps round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import torch
from torch import Tensor

from fenjie.nn.lattice import Ints
from fenjie.ranges import Range


@dataclass(frozen=True)
class WindowConfig:
    """The windows of an attention; by default there are none.

    Attributes:
        size: W, positions per window.
        rounds: r, the number of dilations, the first of which leaves the sequence as it is: round t
            has windows of positions that are W^t apart. With 0, each position attends to the whole
            sequence.
        shared: whether all rounds have one set of projections; else each has its own.
        residual: whether each attention is followed by a residual connection and a norm.
    """

    size: Annotated[int, Range(2, 8192)] = 2
    rounds: Annotated[int, Range(0, 128)] = 0
    shared: bool = False
    residual: bool = True


class Round(NamedTuple):
    """One attention within windows.

    Attributes:
        stride: how far apart the neighbours in a window are: W^t.
        shifted: whether the windows are shifted.
    """

    stride: int
    shifted: bool


def schedule(size: int, rounds: int) -> tuple[Round, ...]:
    """The attentions in order, `2 * rounds + 1` of them, none for 0 rounds (section 3).

    At each stride windows and shifted windows; at the end shifted windows on the sequence as it
    stands.
    """
    dilated = [Round(size**t, shifted) for t in range(rounds) for shifted in (False, True)]
    return (*dilated, Round(1, True)) if rounds else ()


@dataclass(frozen=True)
class Windows:
    """The windows of one round over a batch whose tokens stand one after another.

    Attributes:
        size: W.
        stride: how far apart neighbours are.
        take: the token in each slot of each window, `[windows * size]`; any in an empty slot.
        real: the slots that hold a token, `[windows, size]`; each window has one at least.
        back: the slots of the tokens that take part, `[queries]`: an index of `take`.
        queries: those tokens; None where all take part.
        owner: the sentence of each token, whether it takes part or not, `[tokens]`.
        counts: number of tokens of each sentence, `[batch]`.
        lengths: number of characters, `[batch]`.
    """

    size: int
    stride: int
    take: Tensor
    real: Tensor
    back: Tensor
    queries: Tensor | None
    owner: Tensor
    counts: Tensor
    lengths: Tensor

    def means(self, x: Tensor) -> Tensor:
        """For each token the mean of its sentence: `[tokens, dim] -> [tokens, dim]`."""
        total = x.new_zeros(len(self.counts), x.shape[1]).index_add(0, self.owner, x)
        return (total / self.counts[:, None]).index_select(0, self.owner)

    def shares(self) -> Tensor:
        """For each slot one over the characters of its sentence; 0 in an empty one: as `real`."""
        return self.real / self.lengths[self.owner[self.take]].view(self.real.shape)


def partition(
    sizes: Sequence[int],
    size: int,
    step: Round,
    device: torch.device,
    order: Ints | None = None,
    lengths: Ints | None = None,
) -> Windows | None:
    """The windows of a batch.

    A dilated round is only for sentences of which the longest sequence fills a window, that is, for
    those of more than `stride * (size - 1)` tokens: the rounds of a sentence depend on its own
    length alone.

    Args:
        sizes: the number of tokens of each sentence, at least 1.
        size: W.
        step: the round.
        device: where the result lies.
        order: the tokens, sentence by sentence, in the order in which windows see them,
            `[tokens]`; None for the order in which they stand.
        lengths: the number of characters of each sentence; None where tokens are characters.

    Returns:
        None where no sentence takes part.
    """
    stride = step.stride
    lead = size - size // 2 if step.shifted else 0
    counts = np.asarray(sizes, dtype=np.int64)
    taking = counts > (stride * (size - 1) if stride > 1 else 0)
    last = ((counts - 1) // stride + lead) // size
    # The last windows begin here; there are no more of them than positions are left.
    left = counts - np.maximum((last * size - lead) * stride, 0)
    found = np.where(taking, last * stride + np.minimum(stride, left), 0)
    total = int(found.sum())
    if not total:
        return None
    owner = sentences = np.arange(len(counts)).repeat(counts)
    position = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
    tokens = np.arange(len(owner)) if order is None else order
    everyone = bool(taking.all())
    if not everyone:
        chosen = taking[owner]
        owner, position, tokens = owner[chosen], position[chosen], tokens[chosen]
    window, slot = np.divmod(position // stride + lead, size)
    window = (np.cumsum(found) - found)[owner] + window * stride + position % stride
    back = window * size + slot
    take = np.zeros(total * size, dtype=np.int64)
    take[back] = tokens
    real = np.zeros(total * size, dtype=np.bool_)
    real[back] = True
    if everyone and order is not None:  # all tokens are queries, as they stand
        turned = np.empty_like(back)
        turned[tokens] = back
        back = turned
    return Windows(
        size,
        stride,
        torch.from_numpy(take).to(device),
        torch.from_numpy(real.reshape(total, size)).to(device),
        torch.from_numpy(back).to(device),
        None if everyone else torch.from_numpy(tokens).to(device),
        torch.from_numpy(sentences).to(device),
        torch.from_numpy(counts).to(device),
        torch.from_numpy(counts if lengths is None else lengths).to(device),
    )
