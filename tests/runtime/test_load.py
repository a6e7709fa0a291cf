"""Models are opened by name or folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.segmenter import Segmenter


def test_other_mistakes(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="threads must be at least 1"):
        Segmenter(ModelFolder.open(tiny_model), threads=0)
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    config = folder / "config.toml"
    config.write_text(config.read_text().replace('"segment"', '"entities"'))
    seal(folder)
    with pytest.raises(FenjieError, match="no tagger for the task 'entities'"):
        fenjie.load(folder)


@pytest.mark.parametrize("model", [None, "", 5])
def test_what_names_no_model(model: Any) -> None:
    with pytest.raises(FenjieError, match="expected the name or the folder of a model"):
        fenjie.load(model)


class Table:
    """Has the shape of a table, and gives the names of its columns."""

    shape = (3, 2)

    def __iter__(self) -> Iterator[str]:
        return iter(("id", "text"))


def test_settings_of_another_kind_are_refused(tiny_model: Path, tiny_ner: Path) -> None:
    with pytest.raises(FenjieError, match="threads must be at least 1; found '2'"):
        fenjie.load(tiny_model, threads="2")  # type: ignore[call-overload]
    for model in (tiny_model, tiny_ner):
        with pytest.raises(FenjieError, match="found 5; expected words"):
            fenjie.load(model, words=5)  # type: ignore[call-overload]
    with pytest.raises(FenjieError, match="threads must be at least 1; found 0"):
        fenjie.load("segment-fast", threads=0)
    for model in (tiny_model, tiny_ner):
        with pytest.raises(FenjieError, match=r"not a user word; found \['服务'\]"):
            fenjie.load(model, words=[["服务"]])  # type: ignore[call-overload]
    with pytest.raises(FenjieError, match="found a Table of 2 dimensions; expected texts"):
        fenjie.cut(Table())  # type: ignore[call-overload]
    with pytest.raises(FenjieError, match=r"not a user word; found \('李教授', 'PER'\)"):
        fenjie.load(tiny_ner, words=[("李教授", "PER")])  # type: ignore[call-overload]


def test_one_text_is_refused_where_several_are_read(tiny_model: Path) -> None:
    tagger = fenjie.load(tiny_model)
    assert isinstance(tagger, Segmenter)
    for call in (tagger.stream, tagger.in_parts, tagger.log_odds):
        with pytest.raises(FenjieError, match="expected texts, such as a list"):
            call("王小明")


def test_the_words_of_a_text_and_of_several() -> None:
    texts = ["商品和服务", "", "北京"]
    several: list[list[str]] = fenjie.cut(texts)
    alone: list[list[str]] = [fenjie.cut(text) for text in texts]
    assert several == alone == fenjie.lcut(iter(texts)) == [["商品", "和", "服务"], [], ["北京"]]
