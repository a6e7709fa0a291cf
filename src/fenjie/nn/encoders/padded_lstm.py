"""A layer of a BiLSTM on padded batches: torch's own LSTM, and ONNX's in an export."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from fenjie.nn.one_type import lstm_autocast


class Turns(NamedTuple):
    """How padded sentences are read from their end.

    Attributes:
        lengths: characters of each sentence, `[batch]`.
        order: the places of each sentence from its last one, those of padding after them as they
            are, `[batch, length, 1]`.
    """

    lengths: Tensor
    order: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """Each sentence turned around: `[batch, length, dim]`, and back."""
        return x.gather(1, self.order.expand(-1, -1, x.shape[-1]))


def turns(lengths: Tensor, length: int) -> Turns:
    """The turns of some sentences, `[batch]`, with so many places each."""
    place = torch.arange(length, device=lengths.device)
    last = lengths[:, None] - 1
    return Turns(lengths, torch.where(place <= last, last - place, place)[..., None])


def padded_lstm(x: Tensor, weight: Tensor, bias: Tensor, state: Tensor, turned: Turns) -> Tensor:
    """Both directions: `[batch, length, dim] -> [batch, length, 2 * hidden]`.

    Args:
        x: the vectors, anything at padding.
        weight: of x, `[2 * 4 * hidden, dim]`; gates stand in the order output, input, forget,
            candidate, those of the first direction first.
        bias: `[2 * 4 * hidden]`.
        state: of h, `[2, hidden, 4 * hidden]`.
        turned: turns the sentences around.
    """
    hidden = state.shape[1]
    # (2, 4, H, …)
    of_x = weight.view(2, 4, hidden, -1)
    of_h = state.view(2, hidden, 4, hidden).permute(0, 2, 3, 1)
    biases = bias.view(2, 4, hidden, 1)
    x = x.to(state.dtype)
    if torch.compiler.is_exporting():  # ONNX has input, output, forget, candidate
        parts = [_ordered(part, [1, 0, 2, 3]) for part in (of_x, of_h, biases)]
        zero = torch.zeros_like(parts[2][..., 0])
        made = torch.onnx.ops.symbolic(
            "LSTM",
            (
                x.transpose(0, 1),
                *parts[:2],
                torch.cat((parts[2][..., 0], zero), dim=1),
                turned.lengths.to(torch.int32),
            ),
            {"direction": "bidirectional", "hidden_size": hidden},
            dtype=x.dtype,
            shape=(x.shape[1], 2, x.shape[0], hidden),
        )
        # (N, 2, B, H) -> (B, N, 2H)
        return made.permute(2, 0, 1, 3).flatten(2)
    parts = [_ordered(part, [1, 2, 3, 0]) for part in (of_x, of_h, biases)]
    zero = x.new_zeros(1, x.shape[0], hidden)
    both = []
    for direction, given in enumerate((x, turned(x))):
        own, before, begin = (part[direction] for part in parts)
        weights = [own, before, begin[:, 0], torch.zeros_like(begin[:, 0])]
        how = (True, 1, 0.0, False, False, True)
        with lstm_autocast(x.device):
            both.append(torch.lstm(given, (zero, zero), weights, *how)[0])
    return torch.cat((both[0], turned(both[1])), dim=-1)


def _ordered(gates: Tensor, order: list[int]) -> Tensor:
    """`[2, 4, hidden, n] -> [2, 4 * hidden, n]`, in another order."""
    return torch.stack([gates[:, number] for number in order], dim=1).flatten(1, 2)
