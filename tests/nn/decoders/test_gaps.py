"""Scores of gaps, their loss, and the words that they cut."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from fenjie.lexicon.indexer import Indexer, ngram_columns
from fenjie.nn.decoders.gaps import (
    IGNORED,
    BiaffineGaps,
    NgramGaps,
    add_to_boundary,
    boundaries,
    gap_loss,
    gold_gaps,
)
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import Vocabulary


def test_the_biaffine_score_of_a_gap_is_equation_6() -> None:
    torch.manual_seed(0)
    module = BiaffineGaps(3).double()
    with torch.no_grad():
        module.bilinear.normal_()
    left, right = torch.randn(2, 5, 3).double(), torch.randn(2, 5, 3).double()
    found = module(left, right)
    assert found.shape == (2, 4, 2)
    for label in range(2):
        x, y = left[1, 2], right[1, 3]
        expected = x @ module.bilinear[label] @ y + (
            module.linear.weight[label] @ torch.cat((x, y)) + module.linear.bias[label]
        )
        assert torch.isclose(found[1, 2, label], expected)


def test_log_odds_are_the_difference_of_the_scores() -> None:
    torch.manual_seed(0)
    module = BiaffineGaps(3).double()
    with torch.no_grad():
        module.bilinear.normal_()
        module.linear.bias.normal_()
    left, right = torch.randn(5, 3).double(), torch.randn(5, 3).double()
    scores = module.between(left, right)
    assert torch.allclose(module.odds(left, right), scores[:, 1] - scores[:, 0])


def test_evidence_is_added_to_the_score_of_a_boundary() -> None:
    scores, evidence = torch.zeros(1, 2, 2), torch.tensor([[-1.0, 1.0]])
    assert boundaries(add_to_boundary(scores, evidence)).tolist() == [[False, True]]
    assert not boundaries(scores).any()


def test_the_loss_is_the_mean_over_the_gaps_that_there_are() -> None:
    scores = torch.tensor([[[0.0, 0.0], [2.0, 1.0]], [[9.0, 9.0], [9.0, 9.0]]])
    gold = torch.tensor([[1, 0], [IGNORED, IGNORED]])
    first, second = math.log(2), math.log(1 + math.exp(-1))
    assert gap_loss(scores, gold).item() == pytest.approx((first + second) / 2)
    assert gap_loss(scores[1:], gold[1:]).item() == 0


def test_gold_gaps_are_where_words_end() -> None:
    assert gold_gaps(Sentence.from_words(["在", "北京", "大"])).tolist() == [1, 0, 1]
    assert gold_gaps(Sentence.from_words(["好"])).tolist() == []
    assert gold_gaps(Sentence("")).tolist() == []


def test_a_score_of_ngrams_is_the_sum_of_their_weights() -> None:
    indexer = Indexer(Vocabulary("今天很好"), ngrams=1024)
    module = NgramGaps(indexer.sizes)
    torch.nn.init.normal_(module.weights.weight)
    ids = torch.from_numpy(indexer("今天很好").astype(np.int64))[None]
    own = ids[0, 1, -ngram_columns(indexer.sizes) :]
    expected = module.weights.weight[own].sum() * NgramGaps.STEP
    assert module(ids).shape == (1, 3)
    assert torch.isclose(module(ids)[0, 1], expected)
