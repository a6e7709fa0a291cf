"""ATSSA as its equations stand, in evaluation: one sentence, one query, one key at a time.

It shares no code with `fenjie.nn`. It reads the parameters of a `fenjie.models.atssa.Atssa` and
gives the same scores. Equation numbers are those of Hu et al. (2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from tests.reference.tener import Select, encode, linear, softmax, vectors
from tests.reference.word_fusion import fuse


def selecting(model: torch.nn.Module) -> Select:
    """Eq. 7, 8, 11 and 12 for the one layer of a model, with z = 1 where A reaches T."""
    config = model.config.selection

    def select(scores: Tensor, x: Tensor, query: int, head: int) -> Tensor:
        if config.kind == "dense":
            return softmax(scores)
        threshold = torch.zeros((), dtype=scores.dtype)
        if config.dynamic:
            own, mean = x[query], x.mean(0)
            weight = model.get_parameter("encoder.layers.0.attention.selection.weight")[head]
            threshold = weight @ torch.cat((own, mean, own * mean, own - mean))  # eq. 7
        if config.keep:
            top = sorted(scores.tolist(), reverse=True)[: config.keep]
            threshold = min(threshold, top[-1])  # eq. 8
        kept = [bool(score >= threshold) for score in scores]
        if not any(kept):
            kept = [bool(score == scores.max()) for score in scores]
        left = scores.masked_fill(~torch.tensor(kept), -math.inf)
        return softmax(left)  # eq. 11 and 12

    return select


def atssa(
    model: torch.nn.Module, ids: Tensor, word: Tensor, start: Sequence[int], end: Sequence[int]
) -> Tensor:
    """The scores of one sentence, `[length, tags]`.

    Args:
        model: a model in evaluation mode.
        ids: the ids of the characters, `[length, columns]`.
        word: the rows of the words, `[words]`.
        start: the first character of each word.
        end: its last character.
    """
    x = linear(model, "project_characters", vectors(model, ids))
    if model.config.lexicon:
        words = model.get_parameter("embedding.words.weight")[word]
        words = linear(model, "project_words", words)
        found = fuse(model.get_submodule("fusion"), x, words, start, end)
        x = linear(model, "join", torch.cat((x, found), dim=-1))
    x = encode(model, "encoder.", model.config, x, selecting(model))
    return linear(model, "output", x)
