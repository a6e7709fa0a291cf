"""The encoder in the repository is what `fenjie pretrain` makes of its recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import numpy as np
import torch

from fenjie.export import sample
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.nn.encoders.hugging_face import open_encoder
from fenjie.pretraining.language_models import LanguageModels
from fenjie.pretraining.packed_text import UNKNOWN, PackedText, normalised
from fenjie.pretraining.settings import read_recipe
from fenjie.pretraining.starting_encoder import read_start

ROOT = Path(__file__).parents[2]
FOLDER, RECIPE = ROOT / "encoder", ROOT / "recipes/pretraining/characters.toml"


def test_it_is_small_and_says_what_it_learnt_from() -> None:
    files = [path for path in FOLDER.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 12_000_000
    card = (FOLDER / "README.md").read_text("utf-8")
    for text in read_recipe(RECIPE).texts:
        assert f"`{text}`" in card
    assert "held out" in card and "fenjie pretrain" in card


@pytest.mark.slow
def test_it_knows_chinese_text() -> None:
    text = "".join(map(normalised, sample()))
    pieces = open_encoder(str(FOLDER)).pieces(text).pieces
    assert (pieces == UNKNOWN).mean() < 0.01
    start = read_start(FOLDER, read_recipe(RECIPE).encoder)
    number = {character: place for place, character in enumerate(start.characters, len(SPECIAL))}
    ids = np.array([number.get(character, UNKNOWN) for character in text], dtype=np.uint16)
    packed = PackedText(ids, start.characters)
    models = LanguageModels(read_recipe(RECIPE).encoder, packed, 1, "eager").eval()
    start.give(models)
    rows = packed.batch(np.arange(packed.rows(66)), 66)
    with torch.no_grad():
        loss, found = models.exact(torch.from_numpy(rows))
    assert loss < 4.5 and found > 0.25, (loss, found)
