"""An encoder of relative attention gives what its equations give, in float64."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from fenjie.nn.attention import relative as relative_attention
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from tests.lattices import assert_same, gradients, moved
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
