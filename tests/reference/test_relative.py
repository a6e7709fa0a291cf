"""Relative attention and TENER give what their equations give, in float64, gradients included."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from fenjie.models.tener import Tener, TenerConfig
from fenjie.nn.attention import relative as relative_attention
from fenjie.nn.attention.relative import encoded_positions, turn
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from tests.lattices import SIZES, assert_same, gradients, moved, sentences
from tests.reference import tener as literal

SMALL = EncoderConfig(dim=12, heads=3, hidden=10)
SETTINGS: dict[str, dict[str, Any]] = {
    "ATSSA": {},
    "TENER": {"key_projection": False, "sinusoids": "head"},
    "scale": {"scale": True},
    "no output projection": {"output_projection": False},
    "two layers": {"layers": 2},
}


@pytest.mark.parametrize("long", [False, True], ids=["all scores", "blocks"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_equations(settings: dict[str, Any], long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relative_attention, "LONG", 1 if long else 100)
    config = dataclasses.replace(SMALL, **settings)
    encoder = moved(RelativeEncoder(config))
    lengths = torch.tensor([5, 9, 1])
    mask = torch.arange(9) < lengths[:, None]
    x = torch.randn(3, 9, 12, dtype=torch.float64, requires_grad=True)
    expected = torch.cat(
        [
            literal.encode(encoder, "", config, sentence[:length])
            for sentence, length in zip(x, lengths.tolist(), strict=True)
        ]
    )
    found = encoder(x, mask).x[mask]
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    assert_same(gradients(encoder, found, x), gradients(encoder, expected, x))


@pytest.mark.parametrize("sinusoids", ["model", "head"])
def test_far_places_are_exact_too(sinusoids: Any) -> None:
    query = torch.randn(3000, 2, 6)
    places = encoded_positions(3000, 12, 2, sinusoids, query)
    turned = turn(query, places)
    for i, j in [(2999, 0), (0, 2999), (2999, 2998), (1500, 1500)]:
        for head in range(2):
            if sinusoids == "head":
                r = literal.sinusoid(i - j, 6)
            else:
                r = literal.sinusoid(i - j, 12)[head * 6 : head * 6 + 6]
            found = turned[i, head] @ places[j, head if len(places[j]) > 1 else 0]
            assert torch.allclose(found.double(), query[i, head].double() @ r, atol=1e-5)


@pytest.mark.parametrize("bigrams", [True, False])
def test_tener(bigrams: bool) -> None:
    config = TenerConfig(dim=12, heads=3, hidden=10)
    sizes = SIZES if bigrams else SIZES._replace(bigrams=None)
    model = moved(Tener(config, sizes))
    given = sentences([7, 1, 4], [0, 0, 0], columns=2 if bigrams else 1)
    found = model(given).tags[given.mask]
    expected = torch.cat(
        [
            literal.tener(model, ids[:length])
            for ids, length in zip(given.ids, given.lengths.tolist(), strict=True)
        ]
    )
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    assert_same(gradients(model, found), gradients(model, expected))
