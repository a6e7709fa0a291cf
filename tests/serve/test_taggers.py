"""The models of a service: found by task and name, with words for one request."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FenjieError
from fenjie.serve.limits import RefusedError
from fenjie.serve.taggers import Models


def test_the_first_of_a_task_is_its_default(models: Models) -> None:
    assert [(one.name, one.task, one.labels) for one in models] == [
        ("tiny", "segment", []),
        ("tiny-ner", "ner", ["LOC", "ORG", "PER"]),
    ]
    assert models.find("ner", None).name == "tiny-ner"
    assert models.find("segment", "tiny").name == "tiny"


def test_no_such_model(models: Models) -> None:
    with pytest.raises(RefusedError, match=r"model: no such model for this; expected one of tiny$"):
        models.find("segment", "tiny-ner")
    with pytest.raises(FenjieError, match="no model to serve"):
        Models([])
    model = models.find("ner", None)
    with pytest.raises(FenjieError, match="two models are named 'tiny-ner'"):
        Models([model, model])


def test_a_model_without_its_task(tiny_model: Path) -> None:
    alone = Models.load([str(tiny_model)])
    with pytest.raises(RefusedError, match="expected one of none"):
        alone.find("ner", None)


def test_models_of_one_name(tiny_ner: Path, tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="are named 'tiny-ner'; NAME=FOLDER gives one another"):
        Models.load([str(tiny_ner)] * 2)
    both = Models.load([str(tiny_ner), f"second={tiny_ner}"])
    assert [one.name for one in both] == ["tiny-ner", "second"]
    assert both.find("ner", "second") is not both.find("ner", None)
    folder = tmp_path / "rate=0.1"
    folder.symlink_to(tiny_ner)
    assert [one.name for one in Models.load([str(folder)])] == ["tiny-ner"]


def test_words_of_a_request_do_not_stay(models: Models) -> None:
    model = models.find("segment", None)
    assert model.with_words(["品和"])("商品和服务").words.count("品和") == 1
    assert len(model.tagger.words) == 0  # type: ignore[union-attr]
    tagger = models.find("ner", None)
    found = tagger.with_words({"品和": "LOC", "说的": None})("商品和服务")
    assert ("品和", "LOC") in [(entity.text, entity.label) for entity in found.entities]
    assert "品和" not in tagger.tagger.lexicon  # type: ignore[union-attr]
    assert "说的" in tagger.with_words(["说的"]).lexicon  # type: ignore[union-attr]


def test_refused_words(models: Models) -> None:
    for task, words in (("segment", ["a b"]), ("ner", {"a": "X"}), ("ner", ["a b"])):
        with pytest.raises(RefusedError, match=r"^words: ") as caught:
            models.find(task, None).with_words(words)
        assert caught.value.status == 422
