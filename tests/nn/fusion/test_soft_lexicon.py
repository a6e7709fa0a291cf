"""Sets of words and BiLSTMs give what their equations give, in float64, gradients included."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from fenjie.nn.fusion.soft_lexicon import WordSets
from tests.lattices import BATCHES, counted, sentences
from tests.reference.soft_lexicon import pooled


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_word_sets(batch: tuple[tuple[list[int], list[int]], int]) -> None:
    given = counted(sentences(*batch[0]), batch[1])
    torch.manual_seed(0)
    module = WordSets(5).double()
    vectors = torch.randn(int(given.words.sum()), 5, dtype=torch.float64, requires_grad=True)
    found = module(vectors, given)
    expected, at = [], 0
    assert given.counts is not None
    for row, (length, many) in enumerate(
        zip(given.lengths.tolist(), given.words.tolist(), strict=True)
    ):
        columns = (given.start[row], given.end[row], given.counts[row])
        start, end, seen = (column[:many].tolist() for column in columns)
        words = list(zip(start, end, vectors[at : at + many], seen, strict=True))
        expected.append(pooled(length, words, module.none))
        at += many
    literal = torch.cat(expected)
    assert torch.allclose(found, literal, rtol=0, atol=1e-9)
    weight = torch.randn_like(literal)
    inputs = [vectors, module.none]
    one, other = (
        torch.autograd.grad((x * weight).sum(), inputs, allow_unused=True, retain_graph=True)
        for x in (found, literal)
    )
    for mine, theirs in zip(one, other, strict=True):
        zero = torch.zeros(())
        difference = (zero if mine is None else mine) - (zero if theirs is None else theirs)
        assert difference.abs().max() < 1e-9 if difference.numel() else True


def test_counts_that_are_zero_still_count_once() -> None:
    given = counted(sentences([9], [6]))
    assert given.counts is not None
    module, vectors = WordSets(5), torch.randn(6, 5)
    ones = dataclasses.replace(given, counts=torch.ones_like(given.counts))
    none = dataclasses.replace(given, counts=torch.zeros_like(given.counts))
    assert torch.equal(module(vectors, none), module(vectors, ones))
