"""Windows and their rounds: which tokens stand together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.nn.attention.window_partition import Round, WindowConfig, partition, schedule
from fenjie.recipe.toml import Document
from tests.lattices import together

CPU = torch.device("cpu")


def test_schedule() -> None:
    assert schedule(3, 2) == ((1, False), (1, True), (3, False), (3, True), (1, True))
    assert schedule(2, 0) == ()


def test_windows_of_a_sentence() -> None:
    assert together(5, 2, 1, False) == {(0, 1), (2, 3), (4,)}
    assert together(5, 2, 1, True) == {(0,), (1, 2), (3, 4)}
    assert together(7, 3, 1, True) == {(0,), (1, 2, 3), (4, 5, 6)}
    assert together(9, 2, 2, False) == {(0, 2), (1, 3), (4, 6), (5, 7), (8,)}
    assert together(9, 2, 2, True) == {(0,), (1,), (2, 4), (3, 5), (6, 8), (7,)}


def test_dilation_ends_where_no_window_is_filled() -> None:
    assert together(3, 2, 4, False) == set()
    assert together(4, 2, 4, False) == set()
    assert together(5, 2, 4, False) == {(0, 4), (1,), (2,), (3,)}
    # What is not dilated always has a window, however short it is.
    assert together(1, 8, 1, False) == {(0,)}
    assert together(3, 8, 1, True) == {(0, 1, 2)}


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4, 8])
def test_each_token_stands_in_one_window(size: int, shifted: bool) -> None:
    sizes = [1, 2, size - 1, size, size + 1, size**2, 50]
    for stride in (1, size, size**2):
        found = partition(sizes, size, Round(stride, shifted), CPU)
        if found is None:
            continue
        owner, real = np.arange(len(sizes)).repeat(sizes), found.real.flatten()
        taking = np.array([stride == 1 or n > stride * (size - 1) for n in sizes])[owner]
        tokens = np.flatnonzero(taking)
        assert sorted(found.take[real].tolist()) == tokens.tolist()
        assert (found.queries is None) == bool(taking.all())
        assert found.take[found.back].tolist() == tokens.tolist()
        assert found.real.any(dim=1).all()
        shares = found.shares()[found.real]
        assert torch.allclose(shares, 1 / torch.tensor(sizes)[owner[found.take[real]]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 1}, "size has a wrong type or value; found 1; expected an integer from 2"),
        ({"rounds": -1}, "rounds has a wrong type or value; found -1; expected an integer from 0"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(FenjieError, match=message):
        Document(Path("my.toml"), "").build(WindowConfig, settings)
