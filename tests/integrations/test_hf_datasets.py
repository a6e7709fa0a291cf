"""Columns of words and of entities, in tables of Hugging Face's datasets and in plain ones."""

from __future__ import annotations

import pickle

import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.integrations.hf_datasets import Entities, Words

TEXTS = ["王小明在北京大学读书", "", None]


@pytest.fixture(scope="module")
def words() -> Words:
    return Words(words=["云计算平台"])


def test_columns_of_a_plain_batch(words: Words) -> None:
    found = words({"text": ["云计算平台", None]})
    assert found == {"words": [["云计算平台"], []]}
    entities = Entities("body", into="names", words={"李教授": "PER"})
    (own,) = entities({"body": ["李教授"]})["names"]
    assert 0.5 < own[0].pop("confidence") <= 1
    assert own[0] == {"text": "李教授", "label": "PER", "start": 0, "end": 3}


def test_columns_of_a_dataset(words: Words) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra `all`")
    rows = datasets.Dataset.from_dict({"text": TEXTS})
    rows = rows.map(words, batched=True).map(Entities(), batched=True, batch_size=2)
    assert rows[0]["words"] == fenjie.lcut(TEXTS[0])
    assert [one["label"] for one in rows[0]["entities"]] == ["PER", "ORG"]
    assert rows[2]["words"] == rows[2]["entities"] == []


def test_a_first_batch_without_an_entity(words: Words) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra `all`")
    rows = datasets.Dataset.from_dict({"text": ["", "北京"]})
    entities = Entities()
    done = rows.map(entities, batched=True, batch_size=1, features=entities.features(rows))
    assert [[one["text"] for one in found] for found in done["entities"]] == [[], ["北京"]]
    done = done.map(words, batched=True, batch_size=1, features=words.features(done))
    assert list(done["words"]) == [[], ["北京"]] and done.column_names[1:] == ["entities", "words"]
    with pytest.raises(FenjieError, match="does not know its columns"):
        words.features(datasets.IterableDataset.from_generator(lambda: iter([{"text": "a"}])))


def test_the_cache_of_datasets_finds_the_same_function_again() -> None:
    fingerprint = pytest.importorskip("datasets.fingerprint", reason="needs the extra `all`")
    same, other = Words(), Words(words=["云计算平台"])
    assert fingerprint.Hasher.hash(Words()) == fingerprint.Hasher.hash(same)
    assert fingerprint.Hasher.hash(other) != fingerprint.Hasher.hash(same)


def test_pickled(words: Words) -> None:
    again = pickle.loads(pickle.dumps(words))
    assert again({"text": ["商品和服务"]}) == words({"text": ["商品和服务"]})


def test_bad_columns_are_named(words: Words) -> None:
    with pytest.raises(FenjieError, match="no column 'text'; found none"):
        words({})
    with pytest.raises(FenjieError, match="no column 'text'; found body, id"):
        words({"body": [], "id": []})
    with pytest.raises(FenjieError, match="batched=True"):
        words({"text": "商品"})
    with pytest.raises(FenjieError, match="found a list; expected columns by their names"):
        words(["商品和服务"])  # type: ignore[arg-type]  # as a table of Arrow, which has no keys
    with pytest.raises(FenjieError, match="has no texts; found 3"):
        words({"text": ["商品", 3]})
