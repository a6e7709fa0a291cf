"""A small SAMS in float64 with random weights, and batches for it."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch

from fenjie.lexicon.indexer import Sizes
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn.batch import Batch

SMALL = SamsConfig(dim=16, layers=4, heads=2, hidden=24, bigram_dim=6)


def build(columns: int = 1, **settings: object) -> Sams:
    torch.manual_seed(3)
    model = Sams(dataclasses.replace(SMALL, **settings), Sizes(*(50, 70)[:columns])).double().eval()
    with torch.no_grad():  # away from zeros and ones, so that every parameter matters
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def batch(lengths: list[int], columns: int = 1, seed: int = 0) -> Batch:
    random = np.random.default_rng(seed)
    return Batch.of([random.integers(1, 50, (length, columns)) for length in lengths])
