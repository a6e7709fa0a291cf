"""Lattice LSTM (Zhang and Yang 2018, eq. 11 to 16) on padded batches.

A loop goes over the steps, in both directions at once; the backward direction reads each sentence
turned around. At each step, a word that ends there has a slot for each number of steps since it
began, at most one word a slot. The loop remembers the states of as many steps as there are slots.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.lexicon.keys import LONGEST
from fenjie.nn.encoders.padded_lstm import turns
from fenjie.nn.lattice import Lattice

State = tuple[Tensor, Tensor, Tensor]
"""h W for the gates to come, c, and of the steps before, the last first, the parts of h W that
words read, and c: `[2, batch, 4 * hidden]`, `[2, batch, hidden]`, `[2, batch, slots, 4 * hidden]`.
"""


def padded_lattice_lstm(
    encoder: Any, characters: Tensor, words: Tensor, lattice: Lattice
) -> Tensor:
    """The hidden states of both directions.

    Args:
        encoder: a `fenjie.nn.encoders.lattice_lstm.LatticeLstm`.
        characters: `[batch, length, dim]`.
        words: `[batch, words, word_dim]`.
        lattice: where they stand.

    Returns:
        `[batch, length, 2 * hidden]`.
    """
    size, batch = encoder.hidden, characters.shape[0]
    turned = turns(lattice.lengths, characters.shape[1])
    ahead, back = encoder.characters(characters).to(encoder.state.dtype).chunk(2, dim=-1)
    # (N, 2, B, 5H) and (N, 2, B, slots)
    steps = torch.stack((ahead, turned(back))).permute(2, 0, 1, 3)
    slots = words_by_slot(lattice)
    # (2 B W + 1, 3H): the first one is no word
    brought = encoder.words(words).to(encoder.state.dtype).view(-1, 3 * size)
    brought = F.pad(brought, (0, 0, 1, 0))
    zero = brought.new_zeros(1)
    state = (
        zero.expand(2, batch, 4 * size),
        zero.expand(2, batch, size),
        zero.expand(2, batch, slots.shape[-1], 4 * size),
    )

    def step(state: State, inputs: tuple[Tensor, Tensor]) -> tuple[State, Tensor]:
        return _step(state, *inputs, brought, encoder.state, encoder.gate)

    if torch.compiler.is_exporting():
        from torch._higher_order_ops.scan import scan

        begin = tuple(part.clone() for part in state)
        _, found = scan(step, begin, (steps, slots))
    else:
        made = []
        for inputs in zip(steps.unbind(), slots.unbind(), strict=True):
            state, hidden = step(state, inputs)
            made.append(hidden)
        found = torch.stack(made)
    # (N, 2, B, H) -> 2 of (B, N, H)
    ahead, back = found.permute(1, 2, 0, 3).unbind()
    return torch.cat((ahead, turned(back)), dim=-1)


def words_by_slot(lattice: Lattice) -> Tensor:
    """Which word is in each slot at each step, `[length, 2, batch, slots]`.

    Numbers count from 1, of the batch's words twice each; 0 is no word.
    """
    batch, length = lattice.ids.shape[:2]
    real = lattice.word_mask & (lattice.end > lattice.start)
    since = torch.where(real, lattice.end - lattice.start, 1)
    room: Any = LONGEST - 1
    if torch.compiler.is_exporting():  # as many as the longest word of a batch needs
        room = F.pad(since, (0, 1), value=1).max().item()
        torch._check(room >= 1)
    last = lattice.lengths[:, None] - 1
    ends = torch.stack((lattice.end, last - lattice.start), dim=-1)
    # (B, W, 2): step * 2 + direction, then * batch + sentence, then * slots + slot
    direction = torch.arange(2, device=ends.device)
    sentence = torch.arange(batch, device=ends.device)[:, None, None]
    place = ((ends * 2 + direction) * batch + sentence) * room + (since - 1)[..., None]
    total = length * 2 * batch * room
    place = torch.where(real[..., None], place, total).flatten()
    numbers = torch.arange(1, place.shape[0] + 1, device=ends.device)
    slots = numbers.new_zeros(total + 1).scatter(0, place, numbers)
    return slots[:total].view(length, 2, batch, room)


def _step(
    state: State,
    inputs: Tensor,
    slots: Tensor,
    brought: Tensor,
    maps: Tensor,
    link: Tensor,
) -> tuple[State, Tensor]:
    """One step; also h, `[2, batch, hidden]`."""
    past, cell, memory = state
    size = cell.shape[-1]
    own, of_link = inputs.split([4 * size, size], dim=-1)
    gates, g = (own + past).split([3 * size, size], dim=-1)
    o, i, f = gates.sigmoid().chunk(3, dim=-1)
    g = g.tanh()
    # Words, (2, B, slots, ·): eq. 13 and 14
    of_h, begun = memory.split([3 * size, size], dim=-1)
    gates, g_w = (F.embedding(slots, brought) + of_h).split([2 * size, size], dim=-1)
    i_w, f_w = gates.sigmoid().chunk(2, dim=-1)
    word = f_w * begun + i_w * g_w.tanh()
    gate = torch.matmul(word, link[:, None]) + of_link[:, :, None]
    weight = torch.where((slots > 0)[..., None], gate.sigmoid().exp(), 0.0)
    # Eq. 15 and 16
    shares, alone = weight.sum(2), i.exp()
    mixed = (alone * g + (weight * word).sum(2)) / (alone + shares)
    now = torch.where(shares > 0, mixed, i * g + f * cell)
    h = o * now.tanh()
    ahead, of_words = torch.matmul(h, maps).split([4 * size, 3 * size], dim=-1)
    newest = torch.cat((of_words, now), dim=-1)[:, :, None]
    memory = F.pad(torch.cat((newest, memory), dim=2), (0, 0, 0, -1))
    return (ahead.clone(), now, memory), h
