"""Attention with all scores in memory."""

from __future__ import annotations

import torch

from fenjie.nn.attention.dense import Attention, DensePattern, directional
from fenjie.nn.attention.selection import SelectionConfig

MASK = torch.tensor([[True, True, True], [True, False, False]])


def test_directions() -> None:
    offset = torch.arange(3) - torch.arange(3)[:, None]
    forward, center, backward = directional(("forward", "center", "backward"), offset)
    assert forward.tolist() == torch.ones(3, 3).tril().bool().tolist()
    assert backward.tolist() == torch.ones(3, 3).triu().bool().tolist()
    assert center.all()


def test_padding_is_no_key_and_sees_itself_alone() -> None:
    pattern = DensePattern.make(MASK, ("center",), None, torch.zeros(1))
    seen = (pattern.bias == 0)[0, :, 0]
    assert seen[0].all()
    assert seen[1].tolist() == [[True, False, False], [True, True, False], [True, False, True]]


def test_scores_are_scaled_and_weighted() -> None:
    query, key = torch.randn(1, 2, 2, 3, 4), torch.randn(1, 2, 2, 3, 4)
    plain = DensePattern.make(MASK, ("center",), None, query)
    weighted = DensePattern.make(MASK, ("center",), 2.0, query)
    assert weighted.factor is not None
    expected = (query @ key.mT)[0, 0] / 2
    assert torch.allclose(plain.scores(query, key)[0, 0], expected)
    assert torch.allclose(weighted.scores(query, key)[0, 0], expected * weighted.factor)


def test_selecting_all_keys_is_the_softmax() -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 2, 3, 8)
    dense = Attention(1, 8, 2, SelectionConfig())
    best = Attention(1, 8, 2, SelectionConfig("top-k", keep=3))
    best.load_state_dict(dense.state_dict())
    pattern = DensePattern.make(MASK, ("center",), 2.0, x)
    found, expected = best(x, pattern).x, dense(x, pattern).x
    assert torch.allclose(found[:, MASK], expected[:, MASK], atol=1e-6)
