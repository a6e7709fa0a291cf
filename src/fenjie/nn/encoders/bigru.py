"""Bidirectional GRU over padded sentences (Cho et al. 2014)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from fenjie.nn.encoders.padded_lstm import turns


class BiGru(nn.Module):
    """One layer that reads each sentence forwards and backwards."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Make both directions, for vectors of the size `dim`; `hidden` is that of each."""
        super().__init__()
        self.ahead = nn.GRU(dim, hidden, batch_first=True)
        self.back = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The hidden states of both directions.

        Args:
            x: the vectors, `[batch, length, dim]`; anything at padding.
            lengths: characters of each sentence, `[batch]`.

        Returns:
            `[batch, length, 2 * hidden]`; anything at padding.
        """
        if torch.compiler.is_exporting():
            return self._exported(x, lengths)
        turned = turns(lengths, x.shape[1])
        return torch.cat((self.ahead(x)[0], turned(self.back(turned(x))[0])), dim=-1)

    def _exported(self, x: Tensor, lengths: Tensor) -> Tensor:
        """ONNX's own GRU, which knows both directions and the lengths."""
        both: tuple[Any, Any] = (self.ahead, self.back)
        size = self.ahead.hidden_size

        def ordered(name: str) -> Tensor:
            """The gates of both directions in ONNX's order: update, reset, candidate."""
            parts = []
            for one in both:
                reset, update, candidate = getattr(one, name).chunk(3)
                parts.append(torch.cat((update, reset, candidate)))
            return torch.stack(parts)

        biases = torch.cat((ordered("bias_ih_l0"), ordered("bias_hh_l0")), dim=1)
        weights = ordered("weight_ih_l0"), ordered("weight_hh_l0"), biases
        made = torch.onnx.ops.symbolic(
            "GRU",
            (x.transpose(0, 1), *weights, lengths.to(torch.int32)),
            {"direction": "bidirectional", "hidden_size": size, "linear_before_reset": 1},
            dtype=x.dtype,
            shape=(x.shape[1], 2, x.shape[0], size),
        )
        # (N, 2, B, H) -> (B, N, 2H)
        return made.permute(2, 0, 1, 3).flatten(2)
