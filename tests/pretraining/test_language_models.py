"""The language models: their targets, and the loss over a part of the vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch

from fenjie.pretraining.language_models import LanguageModels, next_ids
from fenjie.pretraining.packed_text import PackedText
from fenjie.pretraining.settings import EncoderSizes


def test_next_characters_of_both_ways() -> None:
    ids = torch.tensor([[2, 5, 6, 3], [2, 7, 8, 3]])
    assert next_ids(ids).tolist() == [5, 6, 3, 7, 8, 3, 2, 5, 6, 2, 7, 8]


SIZES = EncoderSizes(characters=60, dim=8, layers=1, heads=2, hidden=12, length=12)


@pytest.fixture(scope="module")
def text() -> PackedText:
    random = np.random.default_rng(1)
    characters = tuple(chr(0x4E00 + number) for number in range(60))
    return PackedText((5 + random.zipf(1.3, 40_000) % 60).astype(np.uint16), characters)


@pytest.fixture(scope="module")
def models(text: PackedText) -> LanguageModels:
    torch.manual_seed(1)
    return LanguageModels(SIZES, text, 1, "eager")


def test_scores_stand_in_the_order_of_the_targets(models: LanguageModels) -> None:
    ids = torch.randint(5, 65, (3, 12))
    every = torch.arange(65)
    changed = ids.clone()
    changed[1, 6] = 5 + (changed[1, 6] - 4) % 60
    with torch.no_grad():
        moved = (models(ids, every) - models(changed, every)).abs().amax(1).view(2, 3, 11) > 0
    assert not moved[:, (0, 2)].any()
    # What reads forwards knows character 6 from place 6 on, what reads backwards up to place 6,
    # the first of its places being 1.
    assert moved[0, 1].tolist() == [place >= 6 for place in range(11)]
    assert moved[1, 1].tolist() == [place <= 6 for place in range(1, 12)]


def test_some_columns_are_those_of_all(models: LanguageModels) -> None:
    ids, some = torch.randint(5, 65, (2, 12)), torch.tensor([7, 20, 64])
    with torch.no_grad():
        torch.testing.assert_close(models(ids, some), models(ids, torch.arange(65))[:, some])


@pytest.mark.parametrize("rows", [pytest.param(8, marks=pytest.mark.slow), 64])
def test_the_loss_over_a_part_is_that_over_all_on_average(
    models: LanguageModels, text: PackedText, rows: int
) -> None:
    numbers = np.random.default_rng(2).permutation(text.rows(12))[:3840].reshape(-1, rows)
    steps = [torch.from_numpy(text.batch(some, 12)) for some in numbers]
    with torch.no_grad():
        part = torch.stack([models.loss(models, ids) for ids in steps]).mean().item()
        whole = torch.stack([models.exact(ids)[0] for ids in steps]).mean().item()
    assert part == pytest.approx(whole, rel=2e-3)
