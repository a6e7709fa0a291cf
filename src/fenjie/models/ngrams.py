"""A linear model of gaps: n-grams of characters and lexicon words, one weight each.

The features are the classical ones of character-based segmentation (Ng and Low 2004; Zhao and Kit
2007), hashed. It is the bar for every model that spends more arithmetic, and the fastest of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.models.sams import GapScores
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import NgramGaps, gap_loss


@dataclass(frozen=True)
class NgramsConfig:
    """The linear model has no settings of its own: its vocabulary names its features."""


class Ngrams(nn.Module):
    """The score of a gap is a sum of weights.

    Raises:
        FenjieError: the vocabulary has no n-grams.
    """

    Config = NgramsConfig

    def __init__(self, config: NgramsConfig, sizes: Sizes) -> None:
        super().__init__()
        if not sizes.ngrams:
            raise FenjieError("the architecture ngrams needs n-grams; set ngrams in [vocabulary]")
        self.config = config
        self.ngrams = NgramGaps(sizes)

    def forward(self, batch: Batch) -> GapScores:
        """Score every gap of a batch."""
        evidence = self.ngrams(batch.ids)
        return GapScores(torch.stack((torch.zeros_like(evidence), evidence), dim=-1))

    def loss(self, scores: GapScores, gold: Tensor) -> Tensor:
        """Mean cross entropy over the gaps."""
        return gap_loss(scores.final, gold)
