"""Bidirectional LSTM over sentences of different lengths (Hochreiter and Schmidhuber 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.padded_lstm import Turns, padded_lstm, turns
from fenjie.nn.encoders.recurrent_rows import Rows, arrays, by_direction, to_sigmoid, unordered
from fenjie.nn.layout import padded
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class BiLstmConfig:
    """The settings of the layers.

    Attributes:
        hidden: size of the hidden vectors of each direction.
        layers: number of layers.
        layer_dropout: rate between two layers.
    """

    hidden: Size = 100
    layers: Layers = 1
    layer_dropout: Rate = 0.5


class BiLstm(nn.Module):
    """Layers that read each sentence forwards and backwards.

    Both directions go through one loop, in which a step reads only the sentences that are as long
    as that. Sentences by chance differ much in length: no padding is more than half of the work of
    `torch.nn.LSTM` saved.
    """

    def __init__(self, dim: int, hidden: int, layers: int = 1, dropout: float = 0.0) -> None:
        """Make the layers for vectors of the size `dim`; the others as in `BiLstmConfig`."""
        super().__init__()
        sizes = [dim, *[2 * hidden] * layers]
        self.layers = nn.ModuleList(BiLstmLayer(size, hidden) for size, _ in pairwise(sizes))
        self.dropout = BitDropout(dropout)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The hidden states of both directions.

        Args:
            x: all characters one after another, `[characters, dim]`; of a padded batch
                `[batch, length, dim]`, anything at padding.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            `[characters, 2 * hidden]`, or `[batch, length, 2 * hidden]`.
        """
        rows = turns(lengths, x.shape[1]) if padded(x) else Rows.of(lengths)
        for number, layer in enumerate(self.layers):
            x = layer(self.dropout(x) if number else x, rows)
        return x


class BiLstmLayer(nn.Module):
    """Both directions of one layer.

    Attributes:
        input: the part of the gates that comes from x, with the bias, of each direction: gates
            stand in the order output, input, forget, candidate.
        state: the part from h, `[2, hidden, 4 * hidden]`.
    """

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.input = nn.Linear(dim, 2 * 4 * hidden)
        self.state = nn.Parameter(torch.empty(2, hidden, 4 * hidden))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden**-0.5), hidden**-0.5)

    def forward(self, x: Tensor, rows: Rows | Turns) -> Tensor:
        """`[characters, dim] -> [characters, 2 * hidden]`."""
        if isinstance(rows, Turns):
            return padded_lstm(x, self.input.weight, self.input.bias, self.state, rows)
        # Autocast may have made them bfloat16, which the loop does not compute with.
        gates = self.input(x).view(-1, 4 * self.hidden).to(self.state.dtype)
        result: Tensor = _Lstm.apply(gates, self.state, rows)  # type: ignore[no-untyped-call]
        return result.view(-1, 2 * self.hidden)


class _Lstm(torch.autograd.Function):
    """The loop, and its gradient, which is a loop back through the same steps.

    `z = x + h_{t-1} W`, `c = f c_{t-1} + i g`, `h = o tanh(c)`, with o, i, f sigmoids of parts of z
    and g a tanh. A sigmoid is a tanh of half its argument; the halves are taken before the loop.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, rows: Rows) -> Tensor:
        size = weight.shape[1]
        halves = weight.new_full((4 * size,), 0.5)
        halves[3 * size :] = 1
        gates = inputs[rows.row] * halves
        cells, tanhs, hidden = (gates.new_empty(len(gates), size) for _ in range(3))
        xp, values = arrays(gates, cells, tanhs, hidden, weight.detach() * halves)
        z, c, tanh, h, w = values
        for live, before, first, stop in rows.steps:
            here, shape = slice(first, stop), (2, live, -1)
            gate, now = z[here], c[here]
            if first:
                sums = gate.reshape(shape)
                sums += xp.matmul(h[before:first].reshape(2, -1, size)[:, :live], w)
            xp.tanh(gate, out=gate)
            to_sigmoid(gate[:, : 3 * size])
            o, i, f, g = (gate[:, n * size : (n + 1) * size] for n in range(4))
            xp.multiply(i, g, out=now)
            if first:
                sums = now.reshape(shape)
                sums += f.reshape(shape) * c[before:first].reshape(2, -1, size)[:, :live]
            xp.tanh(now, out=tanh[here])
            xp.multiply(o, tanh[here], out=h[here])
        ctx.rows = rows
        ctx.save_for_backward(weight, gates, cells, tanhs, hidden)
        return unordered(hidden, rows.row)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        rows: Rows = ctx.rows
        weight, gates, cells, tanhs, hidden = ctx.saved_tensors
        size = weight.shape[1]
        o, i, f, g = gates.split(size, dim=1)
        past = cells[rows.before]
        past[: len(rows.rank) * 2] = 0
        # The factors of gradients, for all steps at once: from h to the output gate, and to c; from
        # c to the other gates.
        to_o, to_c = tanhs * (o - o * o), o * (1 - tanhs * tanhs)
        to_gates = torch.stack((g * (i - i * i), past * (f - f * f), i * (1 - g * g)), dim=1)
        d_h, d_c = gradient[rows.row], torch.zeros_like(cells)
        d_z = torch.empty_like(gates)
        xp, values = arrays(
            d_h, d_c, d_z, to_o, to_c, to_gates, f.contiguous(), weight.mT.contiguous()
        )
        dh, dc, dz, of_o, of_c, of_gates, keep, w = values
        for live, before, first, stop in reversed(rows.steps):
            here, shape = slice(first, stop), (2, live, -1)
            above, now, gate = dh[here], dc[here], dz[here]
            now += above * of_c[here]
            xp.multiply(above, of_o[here], out=gate[:, :size])
            gate[:, size:] = (now[:, None] * of_gates[here]).reshape(-1, 3 * size)
            if first:
                sums = dh[before:first].reshape(2, -1, size)[:, :live]
                sums += xp.matmul(gate.reshape(shape), w)
                sums = dc[before:first].reshape(2, -1, size)[:, :live]
                sums += (now * keep[here]).reshape(shape)
        past = hidden[rows.before]
        past[: len(rows.rank) * 2] = 0
        return unordered(d_z, rows.row), by_direction(past, d_z, rows.row), None
