"""Relative attention and TENER give what their equations give, in float64, gradients included."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.nn.attention.relative import encoded_positions, turn
from tests.reference import tener as literal


@pytest.mark.parametrize("sinusoids", ["model", "head"])
def test_far_places_are_exact_too(sinusoids: Any) -> None:
    query = torch.randn(3000, 2, 6)
    places = encoded_positions(3000, 12, 2, sinusoids, query)
    turned = turn(query, places)
    for i, j in [(2999, 0), (0, 2999), (2999, 2998), (1500, 1500)]:
        for head in range(2):
            if sinusoids == "head":
                r = literal.sinusoid(i - j, 6)
            else:
                r = literal.sinusoid(i - j, 12)[head * 6 : head * 6 + 6]
            found = turned[i, head] @ places[j, head if len(places[j]) > 1 else 0]
            assert torch.allclose(found.double(), query[i, head].double() @ r, atol=1e-5)
