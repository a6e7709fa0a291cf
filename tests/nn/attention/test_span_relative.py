"""The fast FLAT gives what its equations give, in float64, for every setting of Tables 2 and 3."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from fenjie.models.flat import Flat, FlatConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn import lattice
from fenjie.nn.attention import span_pattern
from fenjie.nn.attention import span_relative as lattice_attention
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, assert_same, gradients, sentences
from tests.reference.flat import LiteralFlat

SMALL = FlatConfig(dim=16, heads=2, hidden=24)
SETTINGS = {
    "paper": {},
    "two distances": {"distances": "two"},
    "head": {"distances": "head"},
    "msm": {"self_matched": False},
    "mld": {"reach": 4},
    "msm and mld": {"self_matched": False, "reach": 2},
    "no lexicon": {"lexicon": False},
    "scale": {"scale": True},
    "no key projection": {"key_projection": False},
    "no output projection": {"output_projection": False},
    "no residual": {"residual": False},
    "biases": {"projection_bias": True, "key_projection": False},
    "one norm": {"shared_norm": True},
    "released code": {
        "distances": "two",
        "key_projection": False,
        "output_projection": False,
        "projection_bias": True,
        "residual": False,
        "shared_norm": True,
    },
}


def build(sizes: TaggerSizes = SIZES, **settings: object) -> Flat:
    torch.manual_seed(3)
    model = Flat(dataclasses.replace(SMALL, **settings), sizes).double().eval()
    with torch.no_grad():  # away from zeros and ones, so that every parameter matters
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def check(model: Flat, given: Lattice) -> None:
    """Scores and gradients of both are the same."""
    scores, literal = model(given).tags, LiteralFlat(model)(given)
    real = given.mask
    assert torch.allclose(scores[real], literal[real], rtol=0, atol=1e-6)
    assert (scores[~real] == 0).all()
    assert_same(gradients(model, scores[real]), gradients(model, literal[real]))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_equations(settings: dict[str, object], layers: int) -> None:
    check(build(layers=layers, **settings), sentences([9, 23, 1, 40], [6, 0, 0, 30]))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("layers", [1, 2])
def test_long_sentences_go_block_by_block(
    settings: dict[str, object], layers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_pattern, "BLOCK", 4)
    monkeypatch.setattr(span_pattern, "TILE", 8)
    monkeypatch.setattr(lattice, "TILE", 8)
    check(build(layers=layers, **settings), sentences([31, 7, 15], [40, 3, 0]))


def test_weights_are_computed_anew_where_they_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice_attention, "MOST_SAVED", 0)
    check(build(layers=2), sentences([31, 7, 15], [40, 3, 0]))


@pytest.mark.parametrize("trained", [True, False])
def test_vectors_of_words(trained: bool) -> None:
    check(build(), sentences([9, 23], [6, 12], trained=trained))


def test_no_bigrams() -> None:
    sizes = SIZES._replace(bigrams=None)
    check(build(sizes), sentences([9, 23], [6, 12], columns=1))


@pytest.mark.parametrize("layers", [1, 2])
def test_no_sentence_has_a_word(layers: int) -> None:
    given = sentences([9, 3], [0, 0])
    assert given.start.shape == (2, 0)
    check(build(layers=layers), given)


def test_float32_is_close() -> None:
    model, given = build(), sentences([30, 50], [30, 60])
    exact = model(given).tags
    assert torch.allclose(model.float()(given).tags.double(), exact, rtol=0, atol=1e-4)
