"""Texts of any length are worked on in parts."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

import fenjie
from fenjie.errors import FileError
from fenjie.runtime import annotator
from fenjie.runtime.annotator import chunks, paragraphs
from fenjie.runtime.folder import ModelFolder, seal
from fenjie.runtime.segmenter import Segmenter


@pytest.fixture(scope="module")
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


def test_long_texts_are_cut_at_paragraphs(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "商品和服务。\n\n  他说的确实在理\n" * 40
    whole = segment(text)
    monkeypatch.setattr(annotator, "PART", 50)
    assert len(list(paragraphs(text))) > 5
    assert "".join(part for _, part in paragraphs(text)) == text
    assert segment(text) == whole
    assert segment([text, "商品", text]) == [whole, segment("商品"), whole]


def test_a_long_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotator, "PART", 20)

    def parts(text: str) -> list[str]:
        found = list(paragraphs(text))
        assert "".join(part for _, part in found) == text
        assert [text[start : start + len(part)] for start, part in found] == [p for _, p in found]
        return [part for _, part in found]

    line = "商品和服务的价格上涨了"
    assert parts(line * 2 + "。他说" * 9)[0] == line * 2 + "。"
    assert max(map(len, parts(line * 40))) <= 40
    assert max(map(len, parts("1" * 200))) == 40
    assert all(part[0] != "\u0301" for part in parts("e\u0301" * 100))
    assert parts("\u0301" * 90)[0] == "\u0301" * 40
    assert parts("a" * 40) == ["a" * 40]


def test_a_long_text_is_cut_alike_alone_and_in_a_list(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotator, "PART", 50)
    line = "商品和服务的价格上涨了" * 20
    assert list(chunks(["短", line, "短", "文"])) == [["短"], [line], ["短", "文"]]
    assert segment(["短", line, "短"]) == [segment("短"), segment(line), segment("短")]


TEXTS = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


def test_workers_find_the_same_with_the_same_user_words(
    tiny_model: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotator, "CHUNK", 20)
    segmenter = fenjie.load(tiny_model, words=["品和服", "说的确实"])
    assert segmenter(TEXTS * 3, workers=2) == segmenter(TEXTS * 3)
    assert segmenter(TEXTS) != fenjie.load(tiny_model)(TEXTS)
    tagger = fenjie.load(tiny_ner, words={"品和": "PER", "天气": None})
    tagger.lexicon.remove("服务")
    assert tagger(TEXTS * 3, workers=2) == tagger(TEXTS * 3)
    assert tagger(TEXTS) != fenjie.load(tiny_ner)(TEXTS)
    assert list(tagger.stream([], workers=2)) == []


def test_a_tagger_is_pickled_as_its_folder_and_words(
    tiny_ner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(tiny_ner, tmp_path / "model"))
    tagger = fenjie.load(folder)
    tagger.lexicon.add("天气", "很好")
    tagger.lexicon.remove("很好", "商品")
    pickled = pickle.dumps(tagger)
    assert len(pickled) < 2000
    copy = pickle.loads(pickled)
    assert copy(TEXTS) == tagger(TEXTS)
    assert ("天气" in copy.lexicon, "很好" in copy.lexicon, "商品" in copy.lexicon) == (
        True,
        False,
        False,
    )
    with monkeypatch.context() as patch:
        patch.setattr(ModelFolder, "open", None)
        assert tagger.copy()(TEXTS) == tagger(TEXTS), "nothing is opened again"
    with (folder / "README.md").open("a") as card:
        card.write("another\n")
    seal(folder)
    with pytest.raises(FileError, match="the model has changed since it was loaded"):
        pickle.loads(pickled)
