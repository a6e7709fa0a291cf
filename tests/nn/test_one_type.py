"""Functions that want tensors of one type, within autocast and without."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from fenjie.nn.one_type import in_one_type


def product(name: str, a: Tensor, b: Tensor, index: Tensor) -> Tensor:
    assert name == "a name"
    assert index.dtype == torch.int64
    assert not torch.is_autocast_enabled("cpu")
    assert a.dtype == b.dtype
    return (a @ b)[index]


@pytest.mark.parametrize("narrow", [torch.bfloat16, torch.float32, torch.float64])
def test_numbers_get_the_widest_type(narrow: torch.dtype) -> None:
    a, b, index = torch.eye(2, dtype=narrow), torch.ones(2, 2), torch.tensor([1])
    with torch.autocast("cpu", torch.bfloat16):
        found = in_one_type(product, "a name", a, b, index)
    assert found.dtype == torch.promote_types(narrow, torch.float32)
    assert (found == 1).all()


def test_gradients_have_the_type_of_what_was_given() -> None:
    a = torch.eye(2, dtype=torch.bfloat16, requires_grad=True)
    in_one_type(torch.matmul, a, torch.ones(2, 2)).sum().backward()
    assert a.grad is not None
    assert a.grad.dtype == torch.bfloat16
