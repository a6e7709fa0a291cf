"""The characters, bigrams and words that a tagger reads, and where their vectors come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.errors import FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.encoders.pretrained import PretrainedConfig
from fenjie.recipe.recipe import VocabularyRecipe, reading
from fenjie.tasks.inputs import LatticeInputs, Units, open_words
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import RESERVED
from tests import builders

VECTORS = UnitVectors.build(["北", "好", "的"], [9, 5, 1], np.array([[3.0, 4], [0, 1], [1, 0]]))


def test_units_of_the_training_text_learn_and_others_have_vectors() -> None:
    units = Units.make("北北天天x", minimum=2, vectors=VECTORS)
    assert list(units.vocabulary.units) == ["北", "天", "好", "的"]
    assert units.sizes == (2 + RESERVED, 2, 2)
    table = TrainedTable(*units.sizes)
    units.start(table)
    whole = table.whole().detach().numpy()
    assert np.allclose(np.linalg.norm(whole[[2, 4, 5]], axis=1), 1, atol=0.02)
    assert np.allclose(whole[2], [0.6, 0.8], atol=0.02)


def test_units_without_vectors() -> None:
    units = Units.make("北北天", minimum=2, vectors=None)
    assert list(units.vocabulary.units) == ["北"]
    assert units.sizes[:2] == (1 + RESERVED, 0)


def test_a_limit_of_units_without_vectors_keeps_the_most_frequent() -> None:
    units = Units.make("京北北天天天", minimum=1, vectors=None, limit=2)
    assert list(units.vocabulary.units) == ["天", "北"]
    assert units.sizes[:2] == (2 + RESERVED, 0)


def test_words_of_the_training_texts_have_rows() -> None:
    words = builders.vectors_of(["北京", "京大", "北京大学", "上海"])
    characters = Units.make("在北京大学", 1, None)
    inputs = LatticeInputs(characters, None, words, ["在北京大学", "北京"])
    found = inputs.words("在北京")
    assert (found.start.tolist(), found.end.tolist()) == ([1], [3])
    assert inputs.sizes(TagSet(["LOC"])).words == (3 + RESERVED, 0, 6)
    every = {int(row) for row in inputs.words("北京大学").rows}
    assert every == {RESERVED, RESERVED + 1, RESERVED + 2}
    assert found.counts.tolist() == [6]
    assert inputs.summary == "7 characters, 4 words (3 of them in the training text)"


def test_a_model_that_reads_no_words() -> None:
    inputs = LatticeInputs(Units.make("北京", 1, None), None, None, ["北京"])
    assert not len(inputs.words("北京").rows)
    assert inputs.finder is None


def test_words_without_a_place_to_take_them_from(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    for text, line in ("", 1), ("[vocabulary]\nminimum = 2\n", 2):
        path.write_text(f'architecture = "flat"\n{text}')
        message = rf"a\.toml:{line}: a lexicon needs words: name a folder of `vectors`"
        with pytest.raises(FileError, match=message), reading(path):
            LatticeInputs.make(["北京"], VocabularyRecipe(), "long", PretrainedConfig())


def test_the_most_frequent_words_alone(tmp_path: Path) -> None:
    names = ["北京", "上海", "广州"]
    WordVectors(UnitVectors.build(names, [9, 5, 1], np.eye(3))).save(tmp_path)
    assert set(open_words(tmp_path, 2).lexicon) == {"北京", "上海"}
    assert set(open_words(tmp_path, 0).lexicon) == set(names)
