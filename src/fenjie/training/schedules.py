"""Learning rates: pure functions of the step, so that a resumed run needs no state of them."""

from __future__ import annotations

from collections.abc import Callable

from fenjie.errors import FenjieError

Schedule = Callable[[int], float]
"""From the number of a step, counted from 1, to its learning rate."""


def noam(factor: float, dim: int, warmup: int) -> Schedule:
    """Rise in a line for `warmup` steps, then fall with the inverse square root of the step.

    `factor · dim^-0.5 · min(step^-0.5, step · warmup^-1.5)` (Vaswani et al. 2017, eq. 3).
    """

    def rate(step: int) -> float:
        return float(factor * dim**-0.5 * min(step**-0.5, step * warmup**-1.5))

    return rate


def linear(peak: float, warmup: int, total: int) -> Schedule:
    """Rise in a line to `peak` for `warmup` steps, then fall in a line to 0 behind step `total`."""

    def rate(step: int) -> float:
        if step <= warmup:
            return peak * step / warmup
        return peak * max(total + 1 - step, 0) / (total + 1 - warmup)

    return rate


def constant(peak: float, warmup: int = 0) -> Schedule:
    """Rise in a line to `peak` for `warmup` steps, then stay."""

    def rate(step: int) -> float:
        return peak * min(step / warmup, 1.0) if warmup else peak

    return rate


def schedule(
    name: str, learning_rate: float, warmup: int, *, total: int, dim: int | None
) -> Schedule:
    """The schedule that a recipe names.

    Args:
        name: `noam`, `linear` or `constant`.
        learning_rate: the peak, with `noam` the factor.
        warmup: steps of rising.
        total: steps of the whole run, for `linear`.
        dim: size of the model's vectors, for `noam`.

    Raises:
        FenjieError: noam is asked for a model that names no `dim`.
    """
    if name == "linear":
        return linear(learning_rate, warmup, total)
    if name == "constant":
        return constant(learning_rate, warmup)
    if dim is None:
        raise FenjieError("the noam schedule needs an architecture with a setting dim")
    return noam(learning_rate, dim, warmup)
