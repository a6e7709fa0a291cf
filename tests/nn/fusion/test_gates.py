"""A mixture is what its definition gives, number by number."""

from __future__ import annotations

import math

import torch

from fenjie.nn.fusion.gates import mixed


def test_definition() -> None:
    gates, values = torch.randn(2, 3, 4, 5).double().unbind()
    found = mixed(gates.unbind(), values.unbind())
    for row in range(4):
        for number in range(5):
            weights = [math.exp(1 / (1 + math.exp(-gate[row, number]))) for gate in gates]
            pairs = zip(weights, values, strict=True)
            expected = sum(w * value[row, number] for w, value in pairs) / sum(weights)
            assert math.isclose(found[row, number], expected, rel_tol=1e-12)
