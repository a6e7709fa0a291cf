"""Learning rates: pure functions of the step, so that a resumed run needs no state of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

from fenjie.recipe.recipe import TrainingRecipe

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
    """Rise in a line to `peak` for `warmup` steps, then fall in a line to 0 after step `total`."""

    def rate(step: int) -> float:
        if step <= warmup:
            return peak * step / warmup
        return peak * max(total + 1 - step, 0) / (total + 1 - warmup)

    return rate


def inverse(peak: float, decay: float, epochs: Sequence[int], warmup: int) -> Schedule:
    """Rise in a line to `peak` for `warmup` steps, meanwhile and then `1 / (1 + decay · epoch)`.

    The factor falls from epoch to epoch, counted from 0 (FLAT, Table 5); `epochs` are the steps of
    each.
    """
    ends = list(accumulate(epochs))

    def rate(step: int) -> float:
        epoch = bisect_left(ends, step)
        return peak * (min(step / warmup, 1.0) if warmup else 1.0) / (1 + decay * epoch)

    return rate


def trapezoid(peak: float, warmup: int, fall: int, total: int) -> Schedule:
    """Rise in a line to `peak` for `warmup` steps, stay, then fall in a line to 0 after `total`.

    It falls over the last `fall` steps; with 0 it stays.
    """

    def rate(step: int) -> float:
        return peak * min(step / max(warmup, 1), 1.0, (total + 1 - step) / (fall + 1))

    return rate


def schedule(settings: TrainingRecipe, epochs: Sequence[int], dim: int) -> Schedule:
    """The schedule that a recipe names, by the steps of each epoch.

    `dim`, the size of the model's vectors, is read for noam alone.
    """
    peak, warmup = settings.learning_rate, settings.warmup
    if settings.warmup_epochs:
        warmup = max(round(settings.warmup_epochs * sum(epochs) / len(epochs)), 1)
    match settings.schedule:
        case "linear":
            return linear(peak, warmup, sum(epochs))
        case "constant":
            return inverse(peak, 0.0, epochs, warmup)
        case "inverse":
            return inverse(peak, settings.decay, epochs, warmup)
    return noam(peak, dim, warmup)
