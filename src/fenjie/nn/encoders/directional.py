"""The encoders of SAMS: Transformers side by side over one side of a character, or both.

Sufeng Duan and Hai Zhao. 2020. Attention Is All You Need for Chinese Word Segmentation. EMNLP.
Equation and section numbers are theirs. The segmenter and the tagger share them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.band import gaussian_pattern
from fenjie.nn.attention.base import check_heads
from fenjie.nn.attention.dense import DensePattern, Direction, Pattern
from fenjie.nn.attention.finite import FinitePattern
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.encoders.transformer import TransformerLayer
from fenjie.nn.grouped import GroupedLinear
from fenjie.ranges import Layers, Positive, Rate, Size


@dataclass(frozen=True)
class DirectionalConfig:
    """The settings of the encoders; the defaults are the paper's (Table 4).

    Attributes:
        dim: size of the hidden vectors.
        layers: layers of each encoder.
        heads: attention heads of each encoder.
        hidden: inner size of the feed-forward layers.
        dropout: rate after the embedding and after each sublayer (Vaswani et al. 2017, 5.4).
        gaussian: whether scores are weighted by the Gaussian of eq. 2 (Table 7).
        sigma: its standard deviation in characters.
        directional: whether the forward and backward encoders see one side only (Table 7).
        directions: the encoders; leave one out for Table 9.
        fusion: how directions are joined: their `sum` as in the paper, or a learned `gate`.
        selection: which keys a query keeps, by the scores after Gaussian and masks; the paper
            keeps them all. Attention that drops keys takes time quadratic in the length.
    """

    dim: Size = 256
    layers: Layers = 6
    heads: Size = 4
    hidden: Size = 1024
    dropout: Rate = 0.1
    gaussian: bool = True
    sigma: Positive = 2.0
    directional: bool = True
    directions: tuple[Direction, ...] = ("forward", "center", "backward")
    fusion: Literal["sum", "gate"] = "sum"
    selection: SelectionConfig = field(default_factory=SelectionConfig)

    def __post_init__(self) -> None:
        """Raise a FenjieError where the settings contradict each other."""
        check_heads(self.dim, self.heads)
        if len(set(self.directions)) < len(self.directions):
            raise FenjieError(f"directions must differ; found {', '.join(self.directions)}")
        if "center" not in self.directions and len(self.directions) < 2:
            raise FenjieError("one direction alone leaves the other side without a vector")

    @property
    def sees(self) -> tuple[Direction, ...]:
        """The directions that the encoders see: both where the masks are off (Table 7)."""
        return tuple(name if self.directional else "center" for name in self.directions)


def make_layers(config: DirectionalConfig, count: int) -> nn.ModuleList:
    """Some layers of all encoders."""
    groups = len(config.directions)
    sizes = config.dim, config.heads, config.hidden
    return nn.ModuleList(
        TransformerLayer(groups, *sizes, config.dropout, config.selection) for _ in range(count)
    )


def make_pattern(config: DirectionalConfig, mask: Tensor, like: Tensor) -> Pattern:
    """The attention pattern of a batch; the arguments are those of `DensePattern.make`."""
    sigma = config.sigma if config.gaussian else None
    chosen = config.selection.kind != "dense"
    return gaussian_pattern(mask, config.sees, sigma, like, dense=chosen)


def make_exported_pattern(
    config: DirectionalConfig, mask: Tensor, like: Tensor
) -> DensePattern | FinitePattern:
    """The same for `fenjie.nn.encoders.single_group`: one program must hold for every length."""
    sigma = config.sigma if config.gaussian else None
    kind = FinitePattern if config.selection.kind == "dense" else DensePattern
    return kind.make(mask, config.sees, sigma, like)


class Fusion(nn.Module):
    """Joins one direction with the centre: `v = r + r^c`, or by a learned gate."""

    def __init__(self, directions: Sequence[Direction], dim: int, gated: bool) -> None:
        super().__init__()
        self.directions = tuple(directions)
        self.gates = GroupedLinear(2, 2 * dim, dim) if gated else None

    def forward(self, encoded: Iterable[Tensor]) -> tuple[Tensor, Tensor]:
        """Make the forward and the backward representation from the outputs of the encoders.

        Those of each group, `[..., dim]`, to `v^f` and `v^b`, likewise.
        """
        by_name: dict[Direction, Tensor] = dict(zip(self.directions, encoded, strict=True))
        center = by_name.get("center")
        sides = [by_name.get("forward"), by_name.get("backward")]
        if center is None:
            return by_name["forward"], by_name["backward"]
        if self.gates is None:
            forward, backward = (center if side is None else side + center for side in sides)
            return forward, backward
        pairs = torch.stack(
            [torch.cat((center if side is None else side, center), dim=-1) for side in sides]
        )
        gate = torch.sigmoid(self.gates(pairs))
        side, middle = pairs.chunk(2, dim=-1)
        mixed = gate * side + (1 - gate) * middle
        return mixed[0], mixed[1]
