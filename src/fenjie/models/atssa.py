"""ATSSA: named entities, each character attending to the keys above a threshold of its own.

Biao Hu, Zhen Huang, Minghao Hu, Ziwen Zhang and Yong Dou. 2022. Adaptive Threshold Selective
Self-Attention for Chinese NER. COLING. Equation, section and table numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fenjie.models.fusing import FusingConfig, FusingTagger
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.selection import Encoded, SelectionConfig
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.lattice import Lattice


@dataclass(frozen=True)
class AtssaConfig(FusingConfig, EncoderConfig):
    """The settings of ATSSA, on top of those of its encoder (`EncoderConfig`).

    Those of `selection` are the paper's (section 5.1). Table 4 changes one of them each: `kind` is
    `dense` (- Selective SA), `keep` 0 (- top-k), `amplification` 1 (- AF), `dynamic` false (- DT).
    """

    selection: SelectionConfig = field(default_factory=lambda: SelectionConfig(kind="threshold"))


class Atssa(FusingTagger):
    """The tagger of the paper, Figure 3."""

    Config = AtssaConfig

    def __init__(self, config: AtssaConfig, sizes: TaggerSizes) -> None:
        dim, heads = config.dim, config.heads
        super().__init__(config, sizes, dim=dim, heads=heads, encoded=dim)
        self.config = config
        self.encoder = RelativeEncoder(config)

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[batch, length, dim]`."""
        encoded: Encoded = self.encoder(self.fused(lattice), lattice.mask)
        return encoded
