"""Windows as the fast modules compute them give what the text says, in float64."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.relative import CharacterPattern, RelativeAttention
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.attention.window_partition import Round, WindowConfig, partition
from fenjie.nn.encoders.windowed import CharacterWindows
from fenjie.nn.encoders.windowed_lattice import LatticeWindows, WindowPattern
from fenjie.nn.positions import encodings
from tests.lattices import sentences
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
    return disturbed(CharacterWindows(config))


def disturbed(module: nn.Module) -> Any:
    """Away from zeros and ones, so that every parameter matters."""
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return module


def batch(lengths: list[int]) -> tuple[Tensor, Tensor]:
    torch.manual_seed(len(lengths))
    x = torch.randn(len(lengths), max(lengths), DIM, dtype=torch.float64)
    return x, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def differentiated(
    function: Callable[[Tensor], Tensor], x: Tensor, module: nn.Module
) -> dict[str, Tensor]:
    """The values of a function, and the gradients of something made of them without symmetry."""
    x = x.clone().requires_grad_()
    module.zero_grad()
    found = function(x)
    weight = torch.randn(found.shape, generator=torch.Generator().manual_seed(1))
    ((found * weight).sum() + (found**2).sum()).backward()
    gradients = {name: p.grad for name, p in module.named_parameters()}
    made = {name: torch.zeros(1) if g is None else g.clone() for name, g in gradients.items()}
    assert x.grad is not None
    return {"value": found.detach(), "input": x.grad} | made


def check(
    module: nn.Module, x: Tensor, fast: Callable[[Tensor], Tensor], text: Callable[[Tensor], Tensor]
) -> None:
    """Values and gradients are the same."""
    found, expected = differentiated(fast, x, module), differentiated(text, x, module)
    for name, value in found.items():
        assert torch.isfinite(value).all(), name
        assert torch.allclose(value, expected[name], rtol=1e-6, atol=1e-6), name


def check_characters(module: CharacterWindows, lengths: list[int]) -> None:
    x, mask = batch(lengths)

    def literal(given: Tensor) -> Tensor:
        parts = zip(given, lengths, strict=True)
        return torch.cat([dswa.over_characters(module, row[:length]) for row, length in parts])

    check(module, x, lambda given: module(given, CharacterPattern(mask)).x[mask], literal)


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


class Spans(nn.Module):
    """Windows over a lattice, with what makes their R."""

    def __init__(self, config: WindowConfig, distances: Any, selection: SelectionConfig) -> None:
        super().__init__()
        self.positions = SpanPositions(DIM, distances)
        self.windows = LatticeWindows(
            AttentionConfig(
                DIM, HEADS, scale=True, key_projection=distances != "two", selection=selection,
                windows=config,
            )
        )  # fmt: skip


@pytest.mark.parametrize("word_queries", [True, False])
@pytest.mark.parametrize("distances", ["four", "two", "head"])
@pytest.mark.parametrize(
    ("config", "selection"),
    [
        (WindowConfig(2, 4), DENSE),
        (WindowConfig(3, 2, shared=True), DENSE),
        (WindowConfig(4, 2, residual=False), SelectionConfig("threshold", keep=1)),
        (WindowConfig(8, 1), SelectionConfig("top-k", keep=2)),
    ],
    ids=str,
)
def test_lattice(
    config: WindowConfig, selection: SelectionConfig, distances: str, word_queries: bool
) -> None:
    torch.manual_seed(5)
    module = disturbed(Spans(config, distances, selection))
    lattice = sentences([9, 14, 1, 4], [6, 9, 0, 2])
    tokens = lattice.tokens
    pattern = WindowPattern.make(tokens, module.positions, config, word_queries=word_queries)
    tails = tokens.heads + tokens.lengths - 1
    spans = list(zip(tokens.heads.tolist(), tails.tolist(), strict=True))

    def literal(x: Tensor) -> Tensor:
        parts = [
            dswa.over_lattice(module.windows, module.positions, x[start:stop], spans[start:stop])
            for start, stop in pairwise(tokens.sentences)
        ]
        joined = torch.cat(parts)
        return joined if word_queries else joined[tokens.characters]

    x = torch.randn(len(spans), DIM, dtype=torch.float64)
    check(module, x, lambda given: module.windows(given, pattern).x, literal)
