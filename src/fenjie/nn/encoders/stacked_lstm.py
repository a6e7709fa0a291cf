"""LSTM layers on top of each other, each reading against the direction of the one below it.

With masks of the hidden state that stay the same over a sentence (Gal and Ghahramani 2016).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.encoders.padded_lstm import Turns, turns
from fenjie.nn.one_type import lstm_autocast


class StackedLstm(nn.Module):
    """Layers in alternating directions; the first one reads from the right."""

    def __init__(self, dim: int, hidden: int, layers: int, dropout: float) -> None:
        """Make the layers.

        Args:
            dim: size of the vectors that the first layer reads.
            hidden: size of the hidden vectors.
            layers: number of layers.
            dropout: rate at which numbers of the hidden state before are dropped, the same ones at
                each step of a sentence.
        """
        super().__init__()
        self.layers = nn.ModuleList(
            LstmLayer(hidden if number else dim, hidden, dropout, backward=number % 2 == 0)
            for number in range(layers)
        )

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The hidden states of the last layer.

        Args:
            x: the vectors, `[batch, length, dim]`; anything at padding.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            `[batch, length, hidden]`; anything at padding.
        """
        turned = turns(lengths, x.shape[1])
        for layer in self.layers:
            x = layer(x, turned)
        return x


class LstmLayer(nn.Module):
    """One direction of an LSTM (Hochreiter and Schmidhuber 1997), as `torch.nn.LSTM` has it."""

    def __init__(self, dim: int, hidden: int, dropout: float, *, backward: bool) -> None:
        super().__init__()
        self.dropout, self.backward = dropout, backward
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)

    def forward(self, x: Tensor, turned: Turns) -> Tensor:
        """`[batch, length, dim] -> [batch, length, hidden]`."""
        if torch.compiler.is_exporting():
            return self._exported(x, turned.lengths)
        x = turned(x) if self.backward else x
        h = self._dropped(x) if self.training and self.dropout else self._whole(x)
        return turned(h) if self.backward else h

    def _whole(self, x: Tensor) -> Tensor:
        lstm: Any = self.lstm
        with lstm_autocast(x.device):
            h: Tensor = lstm(x.to(lstm.weight_hh_l0.dtype))[0]
            return h

    def _dropped(self, x: Tensor) -> Tensor:
        """Step by step, since `torch.nn.LSTM` cannot drop what goes from step to step."""
        lstm: Any = self.lstm
        # (B, N, 4H): input, forget, candidate, output; autocast may have made them bfloat16
        gates = F.linear(x, lstm.weight_ih_l0, lstm.bias_ih_l0 + lstm.bias_hh_l0)
        gates = gates.to(lstm.weight_hh_l0.dtype)
        h = c = gates.new_zeros(len(x), lstm.hidden_size)
        mask = F.dropout(torch.ones_like(h), self.dropout)
        found = []
        for step in gates.unbind(1):
            z = torch.addmm(step, h * mask, lstm.weight_hh_l0.T)
            i, f, g, o = z.chunk(4, dim=1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            found.append(h)
        return torch.stack(found, dim=1)

    def _exported(self, x: Tensor, lengths: Tensor) -> Tensor:
        """ONNX's own LSTM, which knows both directions and the lengths."""
        lstm: Any = self.lstm
        size = lstm.hidden_size

        def ordered(gates: Tensor) -> Tensor:
            i, f, g, o = gates.chunk(4)
            return torch.cat((i, o, f, g))[None]

        biases = torch.cat((ordered(lstm.bias_ih_l0), ordered(lstm.bias_hh_l0)), dim=1)
        weights = ordered(lstm.weight_ih_l0), ordered(lstm.weight_hh_l0), biases
        made = torch.onnx.ops.symbolic(
            "LSTM",
            (x.transpose(0, 1), *weights, lengths.to(torch.int32)),
            {"direction": "reverse" if self.backward else "forward", "hidden_size": size},
            dtype=x.dtype,
            shape=(x.shape[1], 1, x.shape[0], size),
        )
        # (N, 1, B, H) -> (B, N, H)
        result: Tensor = made[:, 0].transpose(0, 1)
        return result
