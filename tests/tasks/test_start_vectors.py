"""The tables of a segmenter start from vectors of raw text."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.lexicon.units import UnitVectors, unit_length
from fenjie.nn.embeddings import CharacterEmbedding
from fenjie.tasks.start_vectors import fitted, start_from_vectors
from tests.builders import TEXTS, indexer_of


def test_rows_are_shortened_by_their_principal_directions() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(50, 3)) @ random.normal(size=(3, 8))
    short = fitted(rows.astype(np.float32), 3)
    assert short.shape == (50, 3)
    whole = unit_length(rows)
    assert np.allclose(short @ short.T, whole @ whole.T, atol=1e-4)
    assert np.allclose(fitted(rows.astype(np.float32), 20), whole, atol=1e-6)


def test_known_units_start_from_vectors(tmp_path: Path) -> None:
    indexer = indexer_of(TEXTS)
    assert indexer.bigrams is not None
    characters, pairs = ["商", "品", "龘"], list(indexer.bigrams.units[:4])
    for name, units, dim in (("characters", characters, 6), ("bigrams", pairs, 5)):
        rows = np.random.default_rng(0).normal(size=(len(units), dim))
        UnitVectors.build(units, [1] * len(units), rows, np.float32).save(tmp_path, name)
    module = SimpleNamespace(embedding=CharacterEmbedding(indexer.sizes, 8, 4))
    table = module.embedding.characters.weight
    before = table.detach().clone()
    said = start_from_vectors(module, indexer, tmp_path)
    assert said.startswith("start from vectors: 2 of ") and "4 of" in said
    place = int(indexer("商")[0, 0])
    changed = (table != before).any(dim=1)
    assert changed.sum() == 2 and changed[place]
    assert torch.equal(table[place, 6:], before[place, 6:])
    assert table[place, :6].norm().item() == pytest.approx(1, abs=1e-5)


def test_what_has_no_vectors(tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="this architecture has no vectors"):
        start_from_vectors(SimpleNamespace(), indexer_of(TEXTS), tmp_path)
    module = SimpleNamespace(embedding=CharacterEmbedding(indexer_of(TEXTS).sizes, 8, 4))
    with pytest.raises(FenjieError, match="characters"):
        start_from_vectors(module, indexer_of(TEXTS), tmp_path)
