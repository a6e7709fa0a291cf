"""TENER and ATSSA: batches, padding, words, saving, training."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError
from fenjie.models.atssa import Atssa, AtssaConfig
from fenjie.models.tagger import Tagger
from fenjie.models.tener import Tener, TenerConfig
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from tests.lattices import SIZES, assert_same, gradients, moved, one, sentences, wider
from tests.reference.atssa import atssa

SMALL = {"dim": 16, "heads": 2, "hidden": 24}
MODELS: dict[str, tuple[type[Tagger], Any]] = {
    "TENER": (Tener, TenerConfig(**SMALL)),
    "TENER with thresholds": (Tener, TenerConfig(**SMALL, selection=SelectionConfig("threshold"))),
    "ATSSA": (Atssa, AtssaConfig(**SMALL)),
    "ATSSA, three layers": (Atssa, AtssaConfig(**SMALL, layers=3)),
    "ATSSA, characters alone": (Atssa, AtssaConfig(**SMALL, lexicon=False)),
    "ATSSA in windows": (Atssa, AtssaConfig(**SMALL, windows=WindowConfig(rounds=2))),
}


def build(name: str) -> Any:
    kind, config = MODELS[name]
    torch.manual_seed(5)
    return kind(config, SIZES).double().eval()


@pytest.mark.parametrize("name", MODELS)
def test_a_batch_is_its_sentences_one_by_one(name: str) -> None:
    model = build(name)
    given = sentences([9, 23, 1, 40, 2], [6, 0, 0, 30, 1])
    together = model(given).tags
    assert together.shape == (5, 40, len(SIZES.tags))
    for row, length in enumerate(given.lengths.tolist()):
        alone = model(one(given, row)).tags
        assert torch.allclose(alone[0], together[row, :length], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_padding_changes_nothing(name: str) -> None:
    model = build(name)
    given = sentences([9, 23], [6, 12])
    wide = wider(given)
    expected, found = model(given).tags[given.mask], model(wide).tags[wide.mask]
    assert torch.allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_saving_and_loading_change_nothing(name: str, tmp_path: Path) -> None:
    model, given = build(name), sentences([9, 23], [6, 12])
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    kind, config = MODELS[name]
    other = kind(config, SIZES).double().eval()
    assert not torch.equal(other(given).tags, model(given).tags)
    other.load_state_dict(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(other(given).tags, model(given).tags)


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_learns(name: str) -> None:
    model = build(name).train()
    given = sentences([9, 23, 12, 30], [6, 12, 8, 20])
    gold = torch.zeros(given.mask.shape, dtype=torch.long).masked_fill(~given.mask, -100)
    model.loss(model(given), gold).backward()
    for key, parameter in model.named_parameters():
        if "embedding" not in key:
            assert parameter.grad is not None, key
            assert parameter.grad.isfinite().all(), key
            assert parameter.grad.abs().max() > 0, key


def test_words_are_read_only_where_there_is_a_lexicon() -> None:
    given = sentences([9, 23], [6, 12])
    assert AtssaConfig().words == "long"
    assert AtssaConfig(lexicon=False).words == TenerConfig().words == "none"
    with_words, without = build("ATSSA"), build("ATSSA, characters alone")
    assert not torch.allclose(with_words(given).tags, with_words(given.without_words()).tags)
    assert torch.equal(without(given).tags, without(given.without_words()).tags)


@pytest.mark.parametrize("wrong", [{"heads": 3}, {"heads": 16}])
def test_settings_that_no_model_can_have(wrong: dict[str, int]) -> None:
    with pytest.raises(FenjieError):
        dataclasses.replace(AtssaConfig(**SMALL), **wrong)


TABLE_4: dict[str, dict[str, Any]] = {
    "paper": {},
    "- selective attention": {"kind": "dense"},
    "- top-k": {"keep": 0},
    "- amplification": {"amplification": 1.0},
    "- dynamic threshold": {"dynamic": False},
}


@pytest.mark.parametrize("lexicon", [True, False])
@pytest.mark.parametrize("selection", TABLE_4.values(), ids=TABLE_4.keys())
def test_equations(selection: dict[str, Any], lexicon: bool) -> None:
    chosen = SelectionConfig(**{"kind": "threshold", **selection})
    config = AtssaConfig(dim=12, heads=3, hidden=10, selection=chosen, lexicon=lexicon)
    model = moved(Atssa(config, SIZES))
    given = sentences([8, 1, 11, 2], [6, 0, 9, 0])
    found = model(given).tags[given.mask]
    assert given.word is not None
    expected = []
    for row, (length, count) in enumerate(
        zip(given.lengths.tolist(), given.words.tolist(), strict=True)
    ):
        start, end = (edge[row, :count].tolist() for edge in (given.start, given.end))
        word = given.word[row, :count]
        expected.append(atssa(model, given.ids[row, :length], word, start, end))
    joined = torch.cat(expected)
    assert torch.allclose(found, joined, rtol=0, atol=1e-9)
    # Which keys are kept has no gradient in evaluation, in neither form.
    assert_same(gradients(model, found), gradients(model, joined))
