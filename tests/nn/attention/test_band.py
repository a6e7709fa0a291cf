"""Attention over a band of keys equals attention over all of them."""

from __future__ import annotations

import pytest
import torch

from fenjie.nn.attention import band
from fenjie.nn.attention.band import BandPattern, gaussian_pattern
from fenjie.nn.attention.dense import DensePattern
from tests.small_sams import batch, build


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


def test_a_wide_gaussian_makes_no_blocks_longer_than_the_text() -> None:
    mask, like = torch.ones(1, 500, dtype=torch.bool), torch.zeros(1)
    kinds = [
        type(gaussian_pattern(mask, ("center",), sigma, like, dense=False))
        for sigma in (2.0, 20.0, 30.0, 1e6)
    ]
    assert kinds == [BandPattern, BandPattern, DensePattern, DensePattern]
