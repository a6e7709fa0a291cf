"""The directional encoders of SAMS as a tagger: a lexicon in front, where one is wanted, and a CRF.

No paper has it. The encoders are those of Sufeng Duan and Hai Zhao (2020, Attention Is All You Need
for Chinese Word Segmentation, EMNLP), the mixture of words is that of Biao Hu et al. (2022,
Adaptive Threshold Selective Self-Attention for Chinese NER, COLING).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from fenjie.models.fusing import FusingConfig, FusingTagger
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import Dropout
from fenjie.nn.encoders.directional import DirectionalConfig, Fusion, make_layers, make_pattern
from fenjie.nn.encoders.layer import encode
from fenjie.nn.lattice import Lattice
from fenjie.nn.positions import sinusoids


@dataclass(frozen=True)
class SamsTaggerConfig(FusingConfig, DirectionalConfig):
    """The settings of the tagger, on top of those of its encoders (`DirectionalConfig`)."""


class SamsTagger(FusingTagger):
    """SAMS without its gaps: characters are tagged, so there is no HiRED layer in the middle.

    A character is scored as SAMS scores a gap, from both sides: the tags are linear in v^f and v^b
    side by side, as is a part of SAMS's eq. 6.
    """

    Config = SamsTaggerConfig

    def __init__(self, config: SamsTaggerConfig, sizes: TaggerSizes) -> None:
        dim, heads = config.dim, config.heads
        super().__init__(config, sizes, dim=dim, heads=heads, encoded=2 * dim)
        self.config = config
        self.dropout = Dropout(config.dropout)
        self.layers = make_layers(config, config.layers)
        self.sides = Fusion(config.directions, config.dim, config.fusion == "gate")

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[batch, length, 2 * dim]`."""
        config, x, mask = self.config, self.fused(lattice), lattice.mask
        # Scaled as SAMS scales the vectors of its characters (section 3.1).
        x = self.dropout(x * math.sqrt(config.dim) + sinusoids(mask.shape[1], config.dim, x))
        pattern = make_pattern(config, mask, x)
        x, penalty = encode(self.layers, x.expand(len(config.directions), *x.shape), pattern)
        return Encoded(torch.cat(self.sides(x), dim=-1), penalty)
