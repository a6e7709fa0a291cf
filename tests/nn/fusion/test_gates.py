"""A mixture is what its definition gives, number by number; a gate lies between its inputs."""

from __future__ import annotations

import math

import torch

from fenjie.nn.fusion.gates import Gate, mixed


def test_definition() -> None:
    gates, values = torch.randn(2, 3, 4, 5).double().unbind()
    found = mixed(gates.unbind(), values.unbind())
    for row in range(4):
        for number in range(5):
            weights = [math.exp(1 / (1 + math.exp(-gate[row, number]))) for gate in gates]
            pairs = zip(weights, values, strict=True)
            expected = sum(w * value[row, number] for w, value in pairs) / sum(weights)
            assert math.isclose(found[row, number], expected, rel_tol=1e-12)


def test_a_gate_lies_between_its_inputs() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(2, 5, 8)
    found = Gate(8)(x, y)
    assert ((found >= torch.minimum(x, y)) & (found <= torch.maximum(x, y))).all()
