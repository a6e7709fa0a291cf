"""Dilated, shifted windows over padded batches.

A round pads the sequences to a multiple of `stride * size` and turns their axes, so that each
window becomes a row of a batch of its own. What the places of a window need of a token stands side
by side in one row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.attention.base import scaled
from fenjie.nn.attention.selection import Encoded, Penalty, masked_mean
from fenjie.nn.attention.selections import is_dense
from fenjie.nn.attention.window_partition import Round


@dataclass(frozen=True)
class Frame:
    """From tokens to the windows of a round and back.

    Attributes:
        real: which tokens are no padding, `[batch, tokens]`, bool.
        lengths: characters of each sentence, `[batch]`.
        size: W.
        step: the round.
    """

    real: Tensor
    lengths: Tensor
    size: int
    step: Round

    @property
    def front(self) -> int:
        """The number of places before the first token."""
        return (self.size - self.size // 2) * self.step.stride if self.step.shifted else 0

    @property
    def taking(self) -> Tensor:
        """The sentences that are long enough for the round: `[batch, 1, 1]`, bool."""
        return self.real.sum(1)[:, None, None] > self.step.stride * (self.size - 1)

    def split(self, x: Tensor) -> Tensor:
        """`[batch, tokens, columns] -> [windows, size, columns]`; 0 where there is no token."""
        stride, columns = self.step.stride, x.shape[-1]
        count = (self.front + x.shape[1] - 1) // (self.size * stride) + 1
        back = count * self.size * stride - self.front - x.shape[1]
        x = F.pad(x, (0, 0, self.front, back))
        if stride > 1:
            x = x.view(x.shape[0], count, self.size, stride, columns).transpose(2, 3)
        return x.reshape(-1, self.size, columns)

    def join(self, x: Tensor) -> Tensor:
        """`[windows, size, columns] -> [batch, tokens, columns]`."""
        (batch, tokens), stride = self.real.shape, self.step.stride
        if stride > 1:
            x = x.view(batch, -1, stride, self.size, x.shape[-1]).transpose(2, 3)
        x = x.reshape(batch, -1, x.shape[-1])
        return x[:, self.front : self.front + tokens]


PositionScores = Callable[[Frame, int, Tensor], Tensor]
"""From the windows and the number of a round and q + v, `[windows, size, dim]`, to the part of the
scores that comes from positions, `[windows, heads, size, size]`."""


def padded_rounds(
    windows: Any, x: Tensor, real: Tensor, lengths: Tensor, scores: PositionScores
) -> Encoded:
    """The rounds of a `fenjie.nn.encoders.windowed.WindowRounds`.

    Sentences too short for a dilated round keep what they had.

    Args:
        windows: the rounds.
        x: `[batch, tokens, dim]`.
        real: which tokens are no padding, `[batch, tokens]`, bool.
        lengths: characters of each sentence, `[batch]`.
        scores: those of positions.

    Returns:
        `[batch, tokens, dim]`.
    """
    penalty: Penalty = 0.0
    for number, step in enumerate(windows.schedule):
        frame = Frame(real, lengths, windows.config.size, step)
        of_round = partial(scores, frame, number)
        mixed, cost = padded_attention(windows.attention(number), x, frame, of_round)
        if windows.config.residual:
            mixed = windows.norms[number](x + mixed)
        x = mixed if step.stride == 1 else torch.where(frame.taking, mixed, x)
        penalty = penalty + cost
    return Encoded(x, penalty)


def padded_attention(
    attention: Any, x: Tensor, frame: Frame, scores: Callable[[Tensor], Tensor]
) -> Encoded:
    """A `fenjie.nn.attention.windows.WindowAttention`: `[batch, tokens, dim]` to the same."""
    dim, heads, selection = x.shape[-1], attention.heads, attention.selection
    split, factor = (heads, dim // heads), attention.factor
    # Of queries, of which the scores are scaled, of values and, where they have one, of keys
    maps = [
        torch.cat((part[:dim] * factor, part[dim:])) if factor != 1 else part
        for part in scaled(attention.project)
    ]
    columns = [F.linear(x, *maps)]
    columns += [] if maps[0].shape[0] == 3 * dim else [x]
    # What a key of each token counts in the penalty; it is 0 where there is none.
    share = frame.real[..., None].to(x.dtype) / frame.lengths[:, None, None]
    if frame.step.stride > 1 and not torch.compiler.is_exporting():
        share = share * frame.taking
    columns.append(share)
    thresholds = selection.thresholds(x, masked_mean(x, frame.real))
    columns += [] if thresholds is None else [thresholds.mT]
    sizes = [dim, dim, dim, 1] + ([] if thresholds is None else [heads])
    query, value, key, share, *asked = frame.split(torch.cat(columns, -1)).split(sizes, dim=-1)
    content = query + attention.content_bias.flatten() * factor
    position = query + attention.position_bias.flatten() * factor
    # (windows, H, W, D/H) x (windows, H, D/H, W)
    made = content.unflatten(-1, split).transpose(1, 2)
    made = made @ key.unflatten(-1, split).permute(0, 2, 3, 1) + scores(position)
    seen = share.mT[:, None] > 0
    lowest = -1e30
    if not (is_dense(selection) or torch.compiler.is_exporting()):
        # Nothing is chosen among hidden keys, but by windows of padding alone.
        seen, lowest = seen | ~seen.any(-1, keepdim=True), -torch.inf
    made = made + torch.where(seen, 0.0, lowest)
    weights, penalty = selection(made, asked[0].mT if asked else None, share[..., 0])
    mixed = weights @ value.unflatten(-1, split).transpose(1, 2)
    result = frame.join(mixed.transpose(1, 2).flatten(2))
    return Encoded(result if attention.merge is None else attention.merge(result), penalty)
