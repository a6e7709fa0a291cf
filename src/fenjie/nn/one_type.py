"""Operations whose tensors must all have one type, within autocast too."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from typing import Any

import torch
from torch import Tensor


def in_one_type(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function outside of autocast, its numbers in the widest type that one of them has.

    Under autocast what a product made is bfloat16, and what a bias was added to is float32. A
    function that writes into tensors of its own, or that has a backward of its own, wants one type.

    Args:
        function: called with all that is given.
        given: tensors, of which those of floating point are converted, and anything else.
    """
    numbers = {
        place: part
        for place, part in enumerate(given)
        if isinstance(part, Tensor) and part.is_floating_point()
    }
    widest = reduce(torch.promote_types, (part.dtype for part in numbers.values()))
    parts = [numbers[n].to(widest) if n in numbers else part for n, part in enumerate(given)]
    with torch.autocast(next(iter(numbers.values())).device.type, enabled=False):
        return function(*parts)


def lstm_autocast(device: torch.device) -> AbstractContextManager[Any]:
    """No autocast on a CPU, where PyTorch's LSTM knows bfloat16 with AVX-512 alone."""
    return torch.autocast("cpu", enabled=False) if device.type == "cpu" else nullcontext()
