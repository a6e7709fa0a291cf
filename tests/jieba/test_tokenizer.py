"""jieba's functions: their signatures, what they yield, and that words are changed at once."""

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from types import GeneratorType
from typing import Any

import pytest

import fenjie
from fenjie import jieba
from fenjie.errors import FenjieError, FileError
from fenjie.jieba import Tokenizer
from fenjie.runtime.load import load_segmenter
from fenjie.runtime.parts import CHUNK
from fenjie.runtime.segmenter import Segmenter

TEXTS = [
    " ", "我来到北京清华大学", "他来到了网易杭研大厦", "乒乓球拍卖完了", "永和服装饰品有限公司",
    "小明硕士毕业于中国科学院计算所，后在日本京都大学深造", "1.5 kg 的C++书\r\n，﨑", "\ud800商",
    "AT&T是一件不错的公司，给你发offer了吗？", "…………", "今天天气不错😂",
]  # fmt: skip


@pytest.fixture
def tokenizer() -> Iterator[Tokenizer]:
    yield Tokenizer()


def test_it_is_found_from_the_package() -> None:
    assert fenjie.jieba is jieba
    assert jieba.lcut("商品和服务") == ["商品", "和", "服务"]
    assert jieba.dt.segmenter.folder.name == "segment-fast"
    jieba.setLogLevel(20)
    jieba.enable_paddle()
    assert jieba.lcut("商品和服务", use_paddle=True) == ["商品", "和", "服务"]


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_the_model(tokenizer: Tokenizer, text: str) -> None:
    words = tokenizer.lcut(text)
    assert words == tokenizer.segmenter.cut(text)
    assert list(tokenizer.cut(text, HMM=False)) == words
    assert list(tokenizer.tokenize(text)) == [
        (text[s.start : s.end], s.start, s.end) for s in tokenizer.segmenter(text).spans
    ]
    searched = list(tokenizer.tokenize(text, mode="search"))
    assert [word for word, _, _ in searched] == tokenizer.lcut_for_search(text)
    assert all(text[start:end] == word for word, start, end in searched)
    every = tokenizer.lcut(text, cut_all=True)
    assert set("".join(every)) == set(text)


def test_an_empty_text_has_no_words(tokenizer: Tokenizer) -> None:
    assert (
        tokenizer.lcut("")
        == tokenizer.lcut("", cut_all=True)
        == tokenizer.lcut_for_search("")
        == []
    )


def test_they_are_generators(tokenizer: Tokenizer) -> None:
    assert isinstance(tokenizer.cut("商品"), GeneratorType)
    assert isinstance(tokenizer.cut_for_search("商品"), GeneratorType)
    assert isinstance(tokenizer.tokenize("商品"), GeneratorType)


def test_all_words_and_those_of_search(tokenizer: Tokenizer) -> None:
    every = tokenizer.lcut("我来到北京清华大学", cut_all=True)
    assert every[0] == "我" and {"来到", "北京", "清华", "华大", "大学"} <= set(every)
    searched = tokenizer.lcut_for_search("中华人民共和国")
    assert searched[-1] == "中华人民共和国" and {"中华", "人民", "共和国"} <= set(searched)


def test_bytes(tokenizer: Tokenizer) -> None:
    assert tokenizer.lcut("商品和服务".encode()) == ["商品", "和", "服务"]
    assert tokenizer.lcut("商品和服务".encode("gbk")) == ["商品", "和", "服务"]
    with pytest.raises(ValueError, match="unicode"):
        list(tokenizer.tokenize("商品".encode()))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, 5, float("nan"), ["商品"]])
def test_what_is_no_text_is_refused(tokenizer: Tokenizer, wrong: Any) -> None:
    """A table of pandas' has NaN where a text is missing."""
    for refused in (tokenizer.lcut, tokenizer.lcut_for_search, tokenizer.add_word):
        with pytest.raises(FenjieError, match=r"found .*; expected a text"):
            refused(wrong)


@pytest.mark.parametrize("wrong", [None, 5])
def test_what_holds_no_texts_is_refused(tokenizer: Tokenizer, wrong: Any) -> None:
    with pytest.raises(FenjieError, match=f"found {wrong}; expected a dictionary"):
        tokenizer.load_userdict(wrong)
    with pytest.raises(FenjieError, match=f"found {wrong}; expected parts of a word"):
        tokenizer.suggest_freq(wrong)


def test_words_are_added_and_deleted(tokenizer: Tokenizer) -> None:
    text = "他是云计算专家"
    tokenizer.add_word("云计算", freq=20000, tag="n")
    assert "云计算" in tokenizer.lcut(text)
    tokenizer.del_word("云计算")
    assert "云计算" not in tokenizer.lcut(text)
    tokenizer.add_word("云计算", 99999)
    assert "云计算" in tokenizer.lcut(text)
    tokenizer.add_word("云计算", 0)
    assert "云计算" not in tokenizer.lcut(text)
    assert "云计算" not in Tokenizer().segmenter.words


def test_a_word_in_full_width_is_the_same_word(tokenizer: Tokenizer) -> None:
    text = "他用ＡＩ和AI写作"
    tokenizer.del_word("ＡＩ")
    assert {"ＡＩ", "AI"}.isdisjoint(tokenizer.lcut(text))
    tokenizer.add_word("AI")
    assert {"ＡＩ", "AI"} <= set(tokenizer.lcut(text))
    tokenizer.del_word("ＡＩ")
    assert {"ＡＩ", "AI"}.isdisjoint(tokenizer.lcut(text))
    assert "".join(tokenizer.lcut(text)) == text


def test_a_word_with_invisible_characters_is_the_same_word(tokenizer: Tokenizer) -> None:
    hidden = "石墨\u200b烯片"
    tokenizer.add_word(hidden, 20)
    assert tokenizer.get_FREQ(hidden) == tokenizer.get_FREQ("石墨烯片") == 20
    tokenizer.suggest_freq(("石墨", "烯片"), tune=True)
    assert tokenizer.lcut(f"用{hidden}做") == ["用", "石墨\u200b", "烯片", "做"]
    assert tokenizer.get_FREQ(hidden) is None
    tokenizer.add_word(hidden)
    assert tokenizer.lcut("用石墨烯片做") == ["用", "石墨烯片", "做"]
    tokenizer.del_word(hidden)
    assert "石墨烯片" not in tokenizer.lcut("用石墨烯片做")
    assert hidden not in tokenizer.lcut(f"用{hidden}做")


def test_a_part_without_a_character_is_no_word(tokenizer: Tokenizer) -> None:
    tokenizer.suggest_freq(("商品", "", ""), tune=True)
    assert tokenizer.lcut("商品和服务") == ["商品", "和", "服务"]


def test_frequencies_are_suggested(tokenizer: Tokenizer) -> None:
    assert tokenizer.suggest_freq("台中") >= 1
    word = "和务"
    assert tokenizer.suggest_freq(word, tune=True) >= 1
    assert tokenizer.lcut(word) == [word]
    assert tokenizer.suggest_freq("他来到了网易杭研大厦") == 1, "each character has a bonus"
    assert tokenizer.suggest_freq(("商", "品"), tune=True) == 0
    assert tokenizer.lcut("商品和服务")[:2] == ["商", "品"]


def test_dictionaries(tokenizer: Tokenizer, tmp_path: Path) -> None:
    file = tmp_path / "user.txt"
    file.write_text("\ufeff云计算 5000\n李小福 2000 nr\n\n韩玉赏鉴 3 nz\n", encoding="utf-8")
    tokenizer.load_userdict(file)
    assert list(tokenizer.segmenter.words) == ["云计算", "李小福", "韩玉赏鉴"]
    other = Tokenizer()
    other.load_userdict(io.BytesIO(file.read_bytes()))
    assert list(other.segmenter.words) == ["云计算", "李小福", "韩玉赏鉴"]
    assert list(Tokenizer(str(file)).segmenter.words) == ["云计算", "李小福", "韩玉赏鉴"]
    with pytest.raises(ValueError, match="utf-8"):
        other.load_userdict(io.BytesIO("云计算".encode("gbk")))
    with pytest.raises(FileError, match=r"nothing\.txt"):
        other.set_dictionary(tmp_path / "nothing.txt")


def test_a_dictionary_with_comments_blanks_and_emoji(tokenizer: Tokenizer, tmp_path: Path) -> None:
    content = "# a comment\n\n  \n😀👍🏽 3\n好 5\n云计算\t3\tn\n"
    words = ["😀👍🏽", "好", "云计算"]
    other = Tokenizer()
    other.load_userdict(io.BytesIO(content.encode()))
    assert list(other.segmenter.words) == words
    (tmp_path / "user.txt").write_text(content, encoding="utf-8")
    tokenizer.load_userdict(tmp_path / "user.txt")
    assert list(tokenizer.segmenter.words) == words
    assert tokenizer.lcut("云计算真好😀👍🏽") == ["云计算", "真", "好", "😀👍🏽"]


def test_a_word_of_invisible_characters_is_passed_over(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    (tmp_path / "user.txt").write_text("\u200b 5\n\ufeff\u200b 0\n云计算 5\n", encoding="utf-8")
    assert Tokenizer(tmp_path / "user.txt").lcut("云计算真好") == ["云计算", "真", "好"]
    tokenizer.add_word("\u200b")
    assert list(tokenizer.segmenter.words) == []


def test_a_dictionary_that_is_refused_is_refused_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise FenjieError("refused")

    (tmp_path / "user.txt").write_text("云计算 5\n", encoding="utf-8")
    tokenizer = Tokenizer(tmp_path / "user.txt")
    with monkeypatch.context() as patched:
        patched.setattr("fenjie.runtime.words.user_words.UserWords.put", refuse)
        for _ in range(2):
            with pytest.raises(FenjieError, match="refused"):
                tokenizer.lcut("云计算真好")
    assert tokenizer.lcut("云计算真好") == ["云计算", "真", "好"]


@pytest.mark.parametrize("word", ["和务", "他来到了网易杭研大厦", "商品和服务", "我在北京"])
def test_the_suggested_frequency_is_the_least(tokenizer: Tokenizer, word: str) -> None:
    freq = tokenizer.suggest_freq(word)
    tokenizer.add_word(word, freq)
    assert tokenizer.lcut(word) == [word]
    tokenizer.add_word(word, freq / 2)
    assert freq == 1 or tokenizer.lcut(word) != [word]


@pytest.mark.parametrize("as_path", [True, False])
def test_a_path_and_an_open_dictionary_are_one(
    tokenizer: Tokenizer, tmp_path: Path, as_path: bool
) -> None:
    file = tmp_path / "user.txt"
    file.write_text("商品 7\n服务 0\n", encoding="utf-8")
    tokenizer.del_word("商品")
    tokenizer.load_userdict(file if as_path else io.BytesIO(file.read_bytes()))
    assert tokenizer.lcut("商品和服务") == ["商品", "和", "服", "务"]
    assert list(tokenizer.segmenter.words) == ["商品"]
    assert Tokenizer(file).lcut("商品和服务") == ["商品", "和", "服", "务"]


def test_user_words_in_those_of_search(tokenizer: Tokenizer) -> None:
    tokenizer.add_word("和国")
    assert "和国" in tokenizer.lcut_for_search("中华人民共和国")
    tokenizer.del_word("和国")
    assert "和国" not in tokenizer.lcut_for_search("中华人民共和国")


def test_words_of_threads_that_come_first_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer, both = Tokenizer(), Barrier(2)

    def load(*args: Any) -> Segmenter:
        with suppress(BrokenBarrierError):
            both.wait(0.2)  # for a thread that loads a model of its own
        return load_segmenter(*args)

    monkeypatch.setattr("fenjie.jieba.tokenizer.load_segmenter", load)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(tokenizer.add_word, ["云计算", "李小福"]))
    assert set(tokenizer.segmenter.words) == {"云计算", "李小福"}


def test_the_number_of_processes(tokenizer: Tokenizer) -> None:
    for number in 0, -1:
        with pytest.raises(ValueError, match=f"processnum must be at least 1; found {number}"):
            tokenizer.enable_parallel(number)
    wrong: Any
    for wrong in "2", 2.5:
        with pytest.raises(FenjieError, match=f"at least 1; found {wrong!r}"):
            tokenizer.enable_parallel(wrong)
    tokenizer.enable_parallel()


def test_a_short_text_starts_no_processes(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fenjie.runtime.workers.ordered", None)
    tokenizer.enable_parallel(2)
    assert tokenizer.lcut("商品和服务\n北京\n") == ["商品", "和", "服务", "\n", "北京", "\n"]


@pytest.mark.slow
def test_processes(tokenizer: Tokenizer) -> None:
    text = "我来到北京清华大学\n\n  商品和服务\r\n\u2028他说：“好。\n”完\n" * 5000
    assert len(text) > CHUNK
    words = tokenizer.lcut(text)
    tokenizer.enable_parallel(2)
    assert tokenizer.lcut(text) == words
    tokenizer.disable_parallel()
    assert tokenizer.lcut(text) == words


@pytest.mark.parametrize("as_path", [True, False])
def test_words_with_spaces_are_passed_over_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, as_path: bool
) -> None:
    file = tmp_path / "user.txt"
    lines = (
        "云计算 5\nEdu Trust认证 2000\nhello world 3 n\n李小福 2 nr\n台中\n凱特琳 nz\n"
        "创新办 3 force\n"
    )
    file.write_text(lines, encoding="utf-8")
    tokenizer = Tokenizer()
    tokenizer.load_userdict(file if as_path else io.BytesIO(file.read_bytes()))
    assert list(tokenizer.segmenter.words) == ["云计算", "李小福", "台中", "凱特琳", "创新办"]
    warned = [record.getMessage() for record in caplog.records if record.name == "jieba"]
    assert [line.rpartition(": ")[2] for line in warned] == ["Edu Trust认证", "hello world"]
    freq = [tokenizer.get_FREQ(word) for word in ("云计算", "台中", "创新办", "没有", "凱特琳")]
    assert freq == [5, 10, float("inf"), None, 10]
    assert tokenizer.get_FREQ("没有", 0) == 0
    assert type(tokenizer.get_FREQ("云计算")) is int
    tokenizer.add_word("半个", 0.5)
    assert tokenizer.get_FREQ("半个") == 0.5


def test_a_line_of_spaces_is_read_at_once(tokenizer: Tokenizer) -> None:
    tokenizer.load_userdict(
        io.StringIO("云计算" + " " * 200_000 + "5\n甲" + " \u3000" * 100_000 + "!")
    )
    assert tokenizer.get_FREQ("云计算") == 5
    assert list(tokenizer.segmenter.words) == ["云计算"]


def test_words_that_cannot_be_found_are_passed_over_when_added(
    tokenizer: Tokenizer, caplog: pytest.LogCaptureFixture
) -> None:
    for word in "", "Edu Trust认证", "商品 ":
        tokenizer.add_word(word)
        tokenizer.add_word(word, 0)
        tokenizer.suggest_freq(word, tune=True)
    assert list(tokenizer.segmenter.words) == []
    assert "a word cannot hold whitespace here: Edu Trust认证" in caplog.text
    assert tokenizer.lcut("商品 和服务") == ["商品", " ", "和", "服务"]
