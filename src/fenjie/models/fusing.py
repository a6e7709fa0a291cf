"""The base of taggers that mix words into each character before they encode the characters."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, vectors
from fenjie.nn.fusion.word_fusion import Pairs, WordFusion
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear


@dataclass(frozen=True)
class FusingConfig(TaggerConfig):
    """The settings of such a tagger.

    Attributes:
        lexicon: whether there is a word fusion layer; without it the model reads characters alone.
    """

    lexicon: bool = True

    @property
    def words(self) -> Words:
        """The words that the model reads: w_jk with j != k (ATSSA, section 4.2)."""
        return "long" if self.lexicon else "none"


class FusingTagger(Tagger):
    """A tagger of characters that know the words which contain them (ATSSA, section 4.2).

    Characters and words come through a projection each to vectors of one size, as in FLAT. The
    input of the context encoder in ATSSA's paper is twice as wide, `[x; x^w]`; residual connections
    need one size, so a linear map brings it back. That map takes the place of an output projection
    of the word fusion.
    """

    def __init__(
        self, config: FusingConfig, sizes: TaggerSizes, *, dim: int, heads: int, encoded: int
    ) -> None:
        """Make all but the encoder.

        Args:
            config: the settings.
            sizes: the tables and tags.
            dim: size of the vectors of characters and words.
            heads: heads of the word fusion.
            encoded: size of the encoder's vectors.
        """
        super().__init__(config, sizes.tags, encoded)
        self.lexicon = config.lexicon
        self.embedding = vectors(config, sizes)
        self.project_characters = linear(self.embedding.dim, dim)
        if config.lexicon:
            self.project_words = linear(self.embedding.word_dim, dim)
            self.fusion = WordFusion(dim, heads)
            self.join = linear(2 * dim, dim)

    def fused(self, lattice: Lattice) -> Tensor:
        """The characters with their words: `[batch, length, dim]`; 0 at padding."""
        x = self.embedding.projected_characters(lattice, self.project_characters)
        if self.lexicon:
            words = self.project_words(self.embedding.of_words(lattice))
            found = self.fusion(x, words, lattice if lattice.padded else Pairs.of(lattice))
            x = self.join(torch.cat((x, found), dim=-1))
        return lattice.unpacked(x)
