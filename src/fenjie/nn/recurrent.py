"""Bidirectional LSTM over sentences of different lengths (Hochreiter and Schmidhuber 1997)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fenjie.nn.noise import BitDropout


class BiLstm(nn.Module):
    """Layers of two LSTMs each: one reads a sentence forwards, one backwards.

    The backward one reads each sentence turned around, padding left behind it. So neither ever
    sees padding before a character, and both run without packing, which takes a CPU less than half
    the time in training.
    """

    def __init__(self, dim: int, hidden: int, layers: int, dropout: float) -> None:
        """Make the layers.

        Args:
            dim: size of the vectors that come in.
            hidden: size of the hidden vectors of each direction.
            layers: how many layers.
            dropout: rate between two layers.
        """
        super().__init__()
        sizes = [dim, *[2 * hidden] * (layers - 1)]
        self.ahead = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.back = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.dropout = BitDropout(dropout)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """`[batch, length, dim] -> [batch, length, 2 * hidden]`; anything at padding.

        Args:
            x: the vectors, anything at padding.
            lengths: characters of each sentence, `[batch]`.
        """
        turned = reversal(lengths, x.shape[1])
        for number, (ahead, back) in enumerate(zip(self.ahead, self.back, strict=True)):
            if number:
                x = self.dropout(x)
            forwards, _ = ahead(x)
            backwards, _ = back(reordered(x, turned))
            x = torch.cat((forwards, reordered(backwards, turned)), dim=-1)
        return x


def reversal(lengths: Tensor, room: int) -> Tensor:
    """The places of each sentence's characters from its last to its first, padding behind them.

    Args:
        lengths: `[batch]`.
        room: places of a sentence.

    Returns:
        `[batch, room]`, its own inverse.
    """
    place = torch.arange(room, device=lengths.device)
    last = lengths[:, None] - 1
    return torch.where(place <= last, last - place, place)


def reordered(x: Tensor, places: Tensor) -> Tensor:
    """Take the vectors of places: `[batch, length, dim]`, `[batch, length]`."""
    return x.gather(1, places[..., None].expand_as(x))
