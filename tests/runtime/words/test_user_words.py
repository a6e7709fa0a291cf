"""User words: found as they should be, each of them one word, whatever the model says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime import parts
from fenjie.runtime.batching import Batch
from fenjie.runtime.checksums import seal
from fenjie.runtime.rows import Row
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.words.user_words import UserWord, UserWords
from fenjie.text.normalise import Normaliser


class Always:
    """Stands for a model that decides every gap alike."""

    def __init__(self, boundary: bool) -> None:
        self.scores = np.float32([0, 1] if boundary else [1, 0])

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        return np.tile(self.scores, (len(batch.ids), batch.ids.shape[1] - 1, 1))


@pytest.fixture
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


@pytest.fixture(params=[True, False], ids=["all gaps", "no gap"])
def extreme(
    request: pytest.FixtureRequest, segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Segmenter]:
    """A segmenter whose model puts a boundary everywhere, or nowhere."""
    monkeypatch.setattr(segment, "_score", Always(request.param))
    yield segment


@pytest.fixture
def whole(segment: Segmenter, monkeypatch: pytest.MonkeyPatch) -> Segmenter:
    """A segmenter whose model finds no boundary: each one comes from a rule or a user word."""
    monkeypatch.setattr(segment, "_score", Always(False))
    return segment


def test_what_is_known_of_a_word() -> None:
    words = UserWords(Normaliser())
    words.add("ＡＩ", weight=20)
    assert words.get("AI") == words.get("Ａ\u200bＩ") == UserWord(20.0)
    assert words.get("云原生") is None and words.get("") is None


def test_they_are_a_collection() -> None:
    words = UserWords(Normaliser())
    assert len(words) == 0
    assert words.matcher is None
    words.add("云原生")
    words.add(["大模型", "云原生", "Ａ"])
    assert list(words) == ["云原生", "大模型", "A"]
    assert len(words) == 3
    assert "Ａ" in words
    assert "云" not in words
    assert 1 not in words
    assert repr(words) == "<3 user words>"
    words.remove("云原生")
    assert list(words) == ["大模型", "A"]
    words.remove(words)
    assert len(words) == 0
    assert words.matcher is None


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("", "not a user word; found '', expected a text"),
        (3, "not a user word; found 3, expected a text"),
        ("云 原生", "a user word cannot hold whitespace; found '云 原生'"),
        ("云\u3000原生", "cannot hold whitespace"),
        ("云原生\n", "cannot hold whitespace"),
    ],
)
def test_one_bad_word_and_none_is_added(word: str, message: str) -> None:
    words = UserWords(Normaliser())
    with pytest.raises(FenjieError, match=message):
        words.add(["商品", word])
    assert len(words) == 0


def test_what_normalises_to_white_space_is_refused() -> None:
    with pytest.raises(FenjieError, match="whitespace"):
        UserWords(Normaliser(compatibility=True)).add("a\u00a8b")


def test_removing_what_is_not_there() -> None:
    words = UserWords(Normaliser())
    words.add("商品")
    with pytest.raises(FenjieError, match="no user word '服务'"):
        words.remove(["商品", "服务"])
    assert "商品" in words


def test_effective_at_once_and_gone_again(extreme: Segmenter) -> None:
    before = extreme("商品和服务")
    extreme.words.add("和服")
    assert "和服" in extreme("商品和服务").words
    extreme.words.remove("和服")
    assert extreme("商品和服务") == before


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["和服"], "商品和服务", ["商品", "和服", "务"]),
        (["和服", "品和服"], "商品和服务", ["商", "品和服", "务"]),
        (["品和", "和服务"], "商品和服务", ["商", "品和", "服务"]),  # begins first
        (["和服", "和服务"], "商品和服务", ["商品", "和服务"]),  # begins alike: the longer
        (["和"], "商品和服务", ["商品", "和", "服务"]),
        (["商"], "商商商", ["商", "商", "商"]),
        (["商商"], "商商商", ["商商", "商"]),
        (["商品", "服务"], "商品服务", ["商品", "服务"]),
        (["ＡＢ"], "商品AB和", ["商品", "AB", "和"]),
        (["AB"], "商品ＡＢ和", ["商品", "ＡＢ", "和"]),
        (["和服"], "商品和 服务", ["商品和", " ", "服务"]),
        (["和服"], "和服 务\n和服", ["和服", " ", "务", "\n", "和服"]),
        (["商" * 31], "商" * 33, ["商" * 31, "商商"]),
        (["商" * 32], "商" * 33, ["商" * 32, "商"]),
        (["商" * 40], "商" * 39, ["商" * 39]),
        (["商" * 31, "商" * 40], "品" + "商" * 40, ["品", "商" * 40]),
        (["商" * 31, "商" * 40], "品" + "商" * 39, ["品", "商" * 31, "商" * 8]),
        (["\ud800商"], "品\ud800商和", ["品", "\ud800商", "和"]),
        (["\U00020bb7野家"], "在\U00020bb7野家吃", ["在", "\U00020bb7野家", "吃"]),
    ],
)
def test_leftmost_then_longest(
    whole: Segmenter, words: list[str], text: str, expected: list[str]
) -> None:
    whole.words.add(words, force=True)
    assert whole(text).words == expected
    assert whole(["和", text, "和"])[1] == whole(text)


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["su7"], "小米su7发布", ["小米", "su7", "发布"]),
        (["iPhone"], "iPhone15", ["iPhone", "15"]),
        (["5%的"], "3.5%的商", ["3.", "5%的", "商"]),
        (["C++"], "用C++写", ["用", "C++", "写"]),
        (["example"], "www.example.com", ["www.", "example", ".com"]),
        (["哈😂"], "哈哈😂！", ["哈", "哈😂", "！"]),
    ],
)
def test_they_win_over_atoms(
    whole: Segmenter, words: list[str], text: str, expected: list[str]
) -> None:
    whole.words.add(words)
    assert whole(text).words == expected


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("e", "cafe\u0301s"),
        ("👨", "👨‍👩‍👧"),
        ("👧", "👨‍👩‍👧"),
        ("❤", "❤\ufe0f"),
        ("\u0301", "e\u0301"),
    ],
)
def test_no_grapheme_cluster_is_cut(extreme: Segmenter, word: str, text: str) -> None:
    before = extreme(text)
    extreme.words.add(word)
    assert extreme(text) == before


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [("AI", "MAIL", 0), ("AI", "AI时代", 1), ("iPhone", "iPhone15", 1), ("15", "2015年", 0)],
)
def test_no_latin_word_or_number_is_cut(
    extreme: Segmenter, word: str, text: str, found: int
) -> None:
    before = extreme(text).words
    extreme.words.add(word)
    after = extreme(text).words
    assert after.count(word) == found
    assert found or after == before


def test_a_shorter_word_where_the_longer_would_cut_a_cluster(whole: Segmenter) -> None:
    whole.words.add(["商e", "商"])
    assert whole("商e\u0301").words == ["商", "e\u0301"]
    assert whole("商e和").words == ["商e", "和"]


def variant(model: Path, folder: Path, text: str) -> Segmenter:
    """The tiny model with another table [text]."""
    shutil.copytree(model, folder)
    config = folder / "config.toml"
    config.write_text(config.read_text().replace("[text]\n", f"[text]\n{text}\n"))
    seal(folder)
    return fenjie.load(folder)


def test_classes_of_digits_and_letters_play_no_part(tiny_model: Path, tmp_path: Path) -> None:
    segment = variant(tiny_model, tmp_path / "model", "digits = true\nlatin = true")
    segment.words.add("商5G")
    assert "商５Ｇ" in segment("和商５Ｇ和").words
    assert "商6G" not in segment("和商6G和").words
    assert "6G" not in segment.words
    assert list(segment.words) == ["商5G"]


def test_normalisation_that_changes_the_length(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = variant(tiny_model, tmp_path / "model", "compatibility = true")
    monkeypatch.setattr(segment, "_score", Always(False))
    segment.words.add(["kg和", "g", "(株)商"])
    assert segment("3㎏和商").words == ["3", "㎏和", "商"]
    assert segment("3㎏商").words == ["3㎏商"]  # not in the middle of one character
    assert segment("品㈱商g").words == ["品", "㈱商", "g"]


def test_long_texts_and_lists(extreme: Segmenter, monkeypatch: pytest.MonkeyPatch) -> None:
    extreme.words.add(["品和", "理\u0301"])
    text = "商品和服务。\n\n  他说的确实在理\n" * 40
    found = extreme(text)
    assert found.words.count("品和") == 40
    monkeypatch.setattr(parts, "PART", 50)
    assert extreme(text) == found
    texts = [text, "", "商品", "和", "品和", " 品和"]
    assert extreme(texts) == [extreme(one) for one in texts]


def test_threads_change_and_use_them(segment: Segmenter) -> None:
    text = "商品和服务，他说的确实在理。" * 20
    segment.words.add("品和")

    def work(number: int) -> bool:
        if number % 2:
            segment.words.add([f"甲{number}乙", f"丙{number}"])
            segment.words.remove(f"丙{number}")
        sentence = segment(text)
        return sentence.tiled and sentence.words.count("品和") == 20

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(100)))
    assert len(segment.words) == 51


def test_loaded_with_words(tiny_model: Path, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("品和\n", encoding="utf-8")
    for words in (["品和"], ("品和",), iter(["品和"]), file, str(file)):
        segment = fenjie.load(tiny_model, words=words)
        assert list(segment.words) == ["品和"]
        assert "品和" in segment("商品和服务").words


def test_where_words_stand_whatever_is_beside_them() -> None:
    words = UserWords(Normaliser())
    words.add(["商品", "AI", "品"])
    words.add("品和", force=True)
    assert words.matcher is not None
    assert words.matcher.occurrences("商品和MAIL") == {(0, 2), (1, 2), (1, 3), (4, 6)}


def test_which_characters_belong_to_the_word_of_the_one_before() -> None:
    words = UserWords(Normaliser())
    words.add(["商品", "品和", "云计算"])
    words.add("服务", force=True)
    assert words.matcher is not None
    covered = words.matcher.cover(Row(["商品和服务", "云计算"], Normaliser()))
    assert np.flatnonzero(covered).tolist() == [1, 4, 7, 8]  # a separator between the texts
