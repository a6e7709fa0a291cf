"""Windows: who stands together, padding, batches, settings, saving."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.models.flat import FlatConfig
from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.relative import CharacterPattern
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.windowed import CharacterWindows
from tests.lattices import SENTENCES, collated, flat

SELECTIONS = [SelectionConfig(), SelectionConfig("top-k", keep=1), SelectionConfig("threshold")]
CPU = torch.device("cpu")


def module(config: WindowConfig, selection: SelectionConfig) -> CharacterWindows:
    torch.manual_seed(0)
    made = AttentionConfig(16, 2, selection=selection, windows=config)
    return CharacterWindows(made).double()


def padded(lengths: list[int], extra: int = 0) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    return torch.randn(*mask.shape, 16, dtype=torch.float64), mask


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda selection: selection.kind)
@pytest.mark.parametrize(("size", "rounds"), [(2, 1), (2, 4), (3, 2), (8, 2)])
def test_a_batch_is_its_sentences_one_by_one(
    size: int, rounds: int, selection: SelectionConfig
) -> None:
    model = module(WindowConfig(size, rounds), selection).eval()
    lengths = [1, 2, size - 1, size, size + 1, size**2, 41]
    x, mask = padded(lengths, extra=3)
    found = model(x, CharacterPattern(mask)).x
    assert (found[~mask] == 0).all()
    for row, given, length in zip(found, x, lengths, strict=True):
        alone = model(given[None, :length], CharacterPattern(mask.new_ones(1, length))).x
        assert torch.allclose(row[:length], alone[0], rtol=0, atol=1e-12)


def test_padding_never_counts() -> None:
    model, (x, mask) = module(WindowConfig(2, 3), SelectionConfig()).eval(), padded([9, 4, 1])
    noisy = torch.where(mask[..., None], x, torch.randn_like(x) * 1e6)
    assert torch.equal(model(noisy, CharacterPattern(mask)).x, model(x, CharacterPattern(mask)).x)


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda selection: selection.kind)
def test_gradients_are_finite_in_training(selection: SelectionConfig) -> None:
    model, (x, mask) = module(WindowConfig(2, 4), selection).float().train(), padded([1, 2, 30])
    x = (x.float() * 100).requires_grad_()
    (model(x, CharacterPattern(mask)).x ** 2).sum().backward()
    assert x.grad is not None and torch.isfinite(x.grad).all()
    assert (x.grad[~mask] == 0).all()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and torch.isfinite(parameter.grad).all(), name


def test_what_inference_remembers_serves_training() -> None:
    model, (x, mask) = module(WindowConfig(2, 2), SelectionConfig()), padded([7, 3])
    with torch.inference_mode():
        model(x, CharacterPattern(mask))
    model(x, CharacterPattern(mask)).x.sum().backward()


@pytest.mark.parametrize(("shared", "attentions"), [(False, 7), (True, 1)])
def test_projections_of_rounds(shared: bool, attentions: int) -> None:
    made = module(WindowConfig(2, 3, shared=shared), SelectionConfig())
    assert len(made.attentions) == attentions
    assert len(made.norms) == 7


@pytest.mark.parametrize("settings", [{"reach": 3}, {"self_matched": False}])
def test_flat_has_windows_or_limits(settings: dict[str, Any]) -> None:
    with pytest.raises(FenjieError, match="windows cannot be combined with reach"):
        FlatConfig(windows=WindowConfig(2, 1), **settings)


COMBINED = [
    {"windows": WindowConfig(2, 4), "layers": 2},
    {"windows": WindowConfig(3, 2), "selection": SelectionConfig("threshold", keep=1)},
    {"windows": WindowConfig(8, 1, shared=True, residual=False), "lexicon": False},
]


@pytest.mark.parametrize("settings", COMBINED, ids=str)
def test_flat_with_windows(settings: dict[str, Any], tmp_path: Path) -> None:
    model = flat(**settings).double().eval()
    together = model(collated(*SENTENCES)).tags
    for row, sentence in zip(together, SENTENCES, strict=True):
        alone = model(collated(sentence)).tags[0]
        assert torch.allclose(row[: len(alone)], alone, rtol=0, atol=1e-12)
        assert (row[len(alone) :] == 0).all()
    torch.save(model.state_dict(), tmp_path / "weights")
    other = flat(**settings).double().eval()
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    other.load_state_dict(torch.load(tmp_path / "weights", weights_only=True))
    assert torch.equal(other(collated(*SENTENCES)).tags, together)


def test_words_that_change_places_change_nothing() -> None:
    model = flat(windows=WindowConfig(2, 3)).double().eval()
    given = collated(SENTENCES[0], SENTENCES[1])
    turned = copy.copy(given)
    for name in ("start", "end", "word"):
        value = getattr(given, name).clone()
        for row, count in enumerate(given.words.tolist()):
            value[row, :count] = value[row, :count].flip(0)
        turned = dataclasses.replace(turned, **{name: value})
    assert torch.allclose(model(turned).tags, model(given).tags, rtol=0, atol=1e-12)
