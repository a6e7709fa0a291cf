"""The pattern of exported programs mixes values as the dense one, without numbers next to 0."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.nn.attention.dense import DensePattern  # noqa: E402
from fenjie.nn.attention.finite import FinitePattern, by_distance  # noqa: E402
from fenjie.nn.fused import scores_of_heads  # noqa: E402

DIRECTIONS = ("forward", "center", "backward")
MASK = torch.arange(40) < torch.tensor([40, 1, 25])[:, None]


@pytest.mark.parametrize("sigma", [None, 2.0])
@pytest.mark.parametrize("size", [1.0, 30.0])
def test_mix(sigma: float | None, size: float) -> None:
    torch.manual_seed(0)
    # (B, H, N, D), scores up to a few times `size` squared
    query, key = size * torch.randn(2, 3, 2, 40, 8).double()
    value = torch.randn(3, 2, 40, 8).double()
    dense = DensePattern.make(MASK, DIRECTIONS, sigma, value)
    finite = FinitePattern.make(MASK, DIRECTIONS, sigma, value)
    expected = dense.attend(*(part.expand(3, *part.shape) for part in (query, key, value)))
    places = [part.permute(2, 0, 1, 3) for part in (query, key, value)]
    scores = scores_of_heads(*places[:2])
    for group in range(3):
        found = finite.mix(scores, places[2], group).transpose(1, 2)
        assert torch.allclose(found[MASK], expected[group].transpose(1, 2)[MASK], atol=1e-12)


def test_no_number_next_to_0() -> None:
    finite = FinitePattern.make(MASK, DIRECTIONS, 2.0, torch.zeros(1))
    smallest = torch.finfo(torch.float32).tiny
    assert finite.factor is not None
    for values in (finite.factor, *finite.biases):
        assert (values.isfinite() & ((values == 0) | (values.abs() >= smallest))).all()


def test_by_distance() -> None:
    values = torch.arange(-3, 5)
    assert (by_distance(values, 4) == torch.arange(4) - torch.arange(4)[:, None]).all()
