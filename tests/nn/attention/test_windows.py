"""Windows as the fast modules compute them give what the text says, in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.relative import CharacterPattern, RelativeAttention
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import Round, WindowConfig, partition
from fenjie.nn.encoders.windowed import CharacterWindows
from fenjie.nn.positions import encodings
from tests.lattices import check_function, moved
from tests.reference import dswa

DIM, HEADS = 16, 2
DENSE = SelectionConfig()


def build(
    size: int, rounds: int, selection: SelectionConfig = DENSE, **how: Any
) -> CharacterWindows:
    given = {name: how.pop(name) for name in ("shared", "residual") if name in how}
    torch.manual_seed(5)
    windows = WindowConfig(size, rounds, **given)
    config = AttentionConfig(DIM, HEADS, selection=selection, windows=windows, **how)
    return moved(CharacterWindows(config), seed=None)


def batch(lengths: list[int]) -> tuple[Tensor, Tensor]:
    torch.manual_seed(len(lengths))
    x = torch.randn(len(lengths), max(lengths), DIM, dtype=torch.float64)
    return x, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def check_characters(module: CharacterWindows, lengths: list[int]) -> None:
    x, mask = batch(lengths)

    def literal(given: Tensor) -> Tensor:
        parts = zip(given, lengths, strict=True)
        return torch.cat([dswa.over_characters(module, row[:length]) for row, length in parts])

    check_function(module, x, lambda given: module(given, CharacterPattern(mask)).x[mask], literal)


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [2, 3, 4, 8])
def test_text(size: int, rounds: int) -> None:
    lengths = [1, 2, size - 1, size, size + 1, min(size**2, 17)]
    check_characters(build(size, rounds), lengths)


@pytest.mark.parametrize(
    "how",
    [
        {"shared": True},
        {"residual": False},
        {"shared": True, "residual": False},
        {"scale": True},
        {"key_projection": False},
        {"output_projection": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [2, 3])
def test_settings(size: int, how: dict[str, bool]) -> None:
    check_characters(build(size, 3, **how), [11, 4, 1])


@pytest.mark.parametrize(
    "selection",
    [
        SelectionConfig("top-k", keep=1),
        SelectionConfig("top-k", keep=2),
        SelectionConfig("threshold", keep=1),
        SelectionConfig("threshold", keep=2, dynamic=False),
    ],
    ids=lambda selection: f"{selection.kind}, {selection.keep}",
)
@pytest.mark.parametrize("size", [2, 4])
def test_selections(size: int, selection: SelectionConfig) -> None:
    check_characters(build(size, 3, selection), [11, 4, 1])


def test_a_window_as_long_as_the_text_is_dense_attention() -> None:
    dense = RelativeAttention(AttentionConfig(DIM, HEADS)).double().eval()
    one = build(12, 1).attention(0)
    with torch.no_grad():
        for number, linear in enumerate((dense.query, dense.value, dense.key)):
            assert linear is not None
            linear.weight.copy_(one.project.weight[number * DIM : (number + 1) * DIM])
    dense.merge, dense.content_bias, dense.position_bias = (
        one.merge, one.content_bias, one.position_bias
    )  # fmt: skip
    x, mask = batch([12, 7, 1])
    expected = dense(x, CharacterPattern(mask)).x[mask]
    places = partition((12, 7, 1), 12, Round(1, False), x.device)
    assert places is not None
    keys = encodings(torch.arange(-11, 12).double(), DIM)
    index = torch.arange(12)[:, None] - torch.arange(12) + 11
    found = one(x[mask], places, keys, index[None]).x
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
