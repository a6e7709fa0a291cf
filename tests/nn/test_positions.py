"""Encodings of positions, and the Gaussian around each of them."""

from __future__ import annotations

import math

import torch

from fenjie.nn.positions import gaussian, sinusoids


def test_gaussian_is_the_integral_of_equation_2() -> None:
    """By the trapezoidal rule."""
    sigma, step = 2.0, 1e-3
    for distance in range(7):
        x = torch.arange(-40.0, -distance + step / 2, step, dtype=torch.float64)
        integral = torch.trapezoid(torch.exp(-(x**2) / (2 * sigma**2)), x)
        expected = math.sqrt(2 / (sigma**2 * math.pi)) * integral
        weight = gaussian(torch.tensor(float(distance), dtype=torch.float64), sigma)
        assert math.isclose(weight, expected, abs_tol=1e-6)


def test_places_are_as_exact_as_16_bits_allow() -> None:
    """bfloat16 has no 257, and few angles of many turns."""
    exact = sinusoids(512, 8, torch.zeros(1))
    assert torch.equal(sinusoids(512, 8, torch.zeros(1, dtype=torch.bfloat16)), exact.bfloat16())
    wide = sinusoids(512, 8, torch.zeros(1, dtype=torch.float64))
    assert (wide - exact).abs().max() < 1e-4
