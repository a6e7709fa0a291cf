"""Encodings of positions, and the Gaussian around each of them."""

from __future__ import annotations

import math

import torch

from fenjie.nn.positions import gaussian


def test_gaussian_is_the_integral_of_equation_2() -> None:
    """By the trapezoidal rule."""
    sigma, step = 2.0, 1e-3
    for distance in range(7):
        x = torch.arange(-40.0, -distance + step / 2, step, dtype=torch.float64)
        integral = torch.trapezoid(torch.exp(-(x**2) / (2 * sigma**2)), x)
        expected = math.sqrt(2 / (sigma**2 * math.pi)) * integral
        weight = gaussian(torch.tensor(float(distance), dtype=torch.float64), sigma)
        assert math.isclose(weight, expected, abs_tol=1e-6)
