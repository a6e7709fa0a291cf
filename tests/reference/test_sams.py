"""The fast SAMS gives what its equations give, in float64, for every setting of Tables 7 to 9."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from fenjie.lexicon.indexer import Sizes
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn.attention import band
from fenjie.nn.attention.band import BandPattern
from fenjie.nn.attention.dense import DensePattern
from fenjie.nn.batch import Batch
from fenjie.nn.positions import gaussian
from tests.reference.sams import LiteralSams

SMALL = SamsConfig(dim=16, layers=4, heads=2, hidden=24, bigram_dim=6)
SETTINGS = {
    "paper": {},
    "no Gaussian": {"gaussian": False},
    "no direction": {"directional": False},
    "Transformer": {"gaussian": False, "directional": False},
    "no forward encoder": {"directions": ("center", "backward")},
    "no center encoder": {"directions": ("forward", "backward")},
    "no backward encoder": {"directions": ("forward", "center")},
    "no Highway-I": {"highway_input": False},
    "no Highway-O": {"highway_output": False},
    "no highways": {"highway_input": False, "highway_output": False},
    "gate": {"fusion": "gate"},
    "sigma 4": {"sigma": 4.0},
}


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


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("columns", [1, 2])
def test_equations(settings: dict[str, object], columns: int) -> None:
    model, texts = build(columns, **settings), batch([9, 23, 1, 40], columns)
    final, middle, _ = model(texts)
    literal_final, literal_middle = LiteralSams(model)(texts.ids, texts.lengths)
    real = texts.mask[:, 1:]
    assert torch.allclose(final[real], literal_final[real], rtol=0, atol=1e-6)
    assert (middle is None) == (literal_middle is None)
    if middle is not None:
        assert torch.allclose(middle[real], literal_middle[real], rtol=0, atol=1e-6)


def test_gradients_are_those_of_the_equations() -> None:
    model, texts = build(), batch([9, 23])
    gold = (torch.arange(22) % 3 == 0).long().expand(2, -1).masked_fill(~texts.mask[:, 1:], -100)
    model.loss(model(texts), gold).backward()
    fast = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    final, middle = LiteralSams(model)(texts.ids, texts.lengths)
    real = gold != -100
    loss = sum(
        -torch.log_softmax(scores[real], -1).gather(-1, gold[real][:, None]).mean()
        for scores in (final, middle)
    )
    loss.backward()
    for name, parameter in model.named_parameters():
        assert torch.allclose(fast[name], parameter.grad, rtol=0, atol=1e-6), name


@pytest.mark.parametrize("sigma", [0.5, 2.0, 4.0])
def test_band_equals_dense(sigma: float) -> None:
    """Blocks and running sums leave out nothing that float64 could hold."""
    torch.manual_seed(0)
    lengths = torch.tensor([301, 17, 1, 250])
    mask = torch.arange(301) < lengths[:, None]
    directions = ("forward", "center", "backward")
    parts = torch.randn(3, 3, 4, 2, 301, 8, dtype=torch.float64).mul_(5).requires_grad_()
    dense = DensePattern.make(mask, directions, sigma, parts)
    near = BandPattern.make(mask, directions, sigma, parts)
    real = mask[None, :, None, :, None].expand(3, -1, 2, -1, 8)
    expected, found = dense.attend(*parts), near.attend(*parts)
    assert (expected - found)[real].abs().max() < 1e-12
    assert found.isfinite().all()
    gain = torch.randn_like(found) * real
    (wanted,) = torch.autograd.grad(expected, parts, gain)
    (gradient,) = torch.autograd.grad(found, parts, gain)
    assert (wanted - gradient).abs().max() < 1e-11


def test_band_in_bf16() -> None:
    """As near to float32 as bfloat16 is; sums over far keys are not rounded."""
    torch.manual_seed(0)
    mask = torch.ones(1, 2000, dtype=torch.bool)
    parts = torch.randn(3, 3, 1, 2, 2000, 8).requires_grad_()
    near = BandPattern.make(mask, ("forward", "center", "backward"), 2.0, parts)
    expected, found = near.attend(*parts), near.attend(*parts.bfloat16())
    assert found.dtype == torch.bfloat16
    assert (expected - found).abs().max() < 0.02
    (wanted,) = torch.autograd.grad(expected, parts, torch.ones_like(expected))
    (gradient,) = torch.autograd.grad(found, parts, torch.ones_like(found))
    assert (wanted - gradient).abs().max() < 0.02 * wanted.abs().max()


def test_long_text_takes_the_band(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = build(), batch([70, 33])
    dense = model(texts).final
    monkeypatch.setattr(band, "BAND_FROM", 0)
    real = texts.mask[:, 1:]
    assert torch.allclose(model(texts).final[real], dense[real], rtol=0, atol=1e-6)


def test_gaussian_is_the_integral_of_equation_2() -> None:
    """By the trapezoidal rule."""
    sigma, step = 2.0, 1e-3
    for distance in range(7):
        x = torch.arange(-40.0, -distance + step / 2, step, dtype=torch.float64)
        integral = torch.trapezoid(torch.exp(-(x**2) / (2 * sigma**2)), x)
        expected = math.sqrt(2 / (sigma**2 * math.pi)) * integral
        weight = gaussian(torch.tensor(float(distance), dtype=torch.float64), sigma)
        assert math.isclose(weight, expected, abs_tol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_padding_and_batching_change_nothing(settings: dict[str, object]) -> None:
    model, texts = build(**settings), batch([9, 23, 1, 250])
    scores = model(texts)
    for row, length in enumerate(texts.lengths.tolist()):
        alone = model(Batch(texts.ids[row : row + 1, :length], texts.lengths[row : row + 1]))
        assert torch.allclose(scores.final[row, : length - 1], alone.final[0], rtol=0, atol=1e-9)
