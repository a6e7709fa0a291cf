"""Lexicons find every word, and indexers show them to a model."""

from __future__ import annotations

import os
import pickle
from copy import copy, deepcopy
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from fenjie import files
from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import Lexicon
from fenjie.lexicon import lexicon as module

WORDS = ["中国", "国人", "中国人", "人民", "中国人民银行", "𠮷野家", "的"]


def found(lexicon: Lexicon, text: str) -> list[str]:
    start, end, _ = lexicon.match(text)
    return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


def test_every_occurrence_is_found() -> None:
    lexicon = Lexicon.build(WORDS)
    assert len(lexicon) == 6  # words of one character are left out
    assert found(lexicon, "中国人民银行的𠮷野家") == [
        *("中国", "国人", "人民"),
        *("中国人", "𠮷野家"),
        "中国人民银行",
    ]
    assert "中国人" in lexicon
    assert "国人民" not in lexicon
    assert "的" not in lexicon


def test_the_longest_words_are_found() -> None:
    built, added = "长" * 31, "新" * 31
    lexicon = Lexicon.build([built, "久" * 32])
    lexicon.add(added)
    assert list(lexicon) == [built, added]
    assert found(lexicon, f"的{built}的{added}") == [built, added]


def test_saved_and_opened(tmp_path: Path) -> None:
    Lexicon.build(WORDS).save(tmp_path / "lexicon.npy")
    opened = Lexicon.open(tmp_path / "lexicon.npy")
    assert found(opened, "中国人民") == ["中国", "国人", "人民", "中国人"]


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY\x01\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lexicon.npy").write_bytes(content)
    with pytest.raises(FileError, match=r"lexicon\.npy: cannot be opened"):
        Lexicon.open(tmp_path / "lexicon.npy")


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    np.save(tmp_path / "lexicon.npy", np.zeros((2, 2)))
    with pytest.raises(FileError, match=r"is no lexicon; found 'float64 \(2, 2\)'"):
        Lexicon.open(tmp_path / "lexicon.npy")


def test_words_have_names_and_ids(tmp_path: Path) -> None:
    made = Lexicon.build([*WORDS, "中国", "长" * 32, ""])
    made.save(tmp_path / "some.lexicon.npy", words=True)
    opened = Lexicon.open(tmp_path / "some.lexicon.npy")
    for lexicon in (made, opened):
        assert sorted(lexicon) == sorted(WORDS[:-1])
        assert lexicon.ids(list(lexicon)).tolist() == list(range(6))
        assert [lexicon.word(number) for number in range(6)] == list(lexicon)
        assert lexicon.ids(["的", "", "中国人", "长" * 32]).tolist()[:2] == [-1, -1]
        assert [lexicon.word(n) for n in lexicon.match("中国人民").word] == [
            *("中国", "国人", "人民"),
            "中国人",
        ]
        for number in (-1, 6):
            with pytest.raises(FenjieError, match=f"no word has the id {number}; expected 0 to 5"):
                lexicon.word(number)


def test_words_can_be_left_out_of_the_saved_form(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.npy"
    Lexicon.build(WORDS).save(path, words=True)
    Lexicon.build(WORDS[:3]).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["lexicon.npy"]
    opened = Lexicon.read(path)
    assert "中国人" in opened
    for action in (lambda: list(opened), lambda: opened.word(0)):
        with pytest.raises(FenjieError, match="saved without its words"):
            action()
    other = tmp_path / "other.npy"
    Lexicon.build(WORDS).save(other, words=True)
    with pytest.raises(FenjieError, match="saved without its words"):
        opened.save(other, words=True)
    assert sorted(Lexicon.open(other)) == sorted(Lexicon.build(WORDS))


def test_words_are_added_to_a_lexicon_that_cannot_name_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.npy"
    Lexicon.build(WORDS).save(path)
    opened = Lexicon.open(path)
    opened.add("新词", "一个新词")
    opened.remove("中国")
    opened.save(path)
    Lexicon.build([*WORDS[1:], "新词", "一个新词"]).save(tmp_path / "same.npy")
    assert path.read_bytes() == (tmp_path / "same.npy").read_bytes()


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("refused", [0, 1])
def test_a_lexicon_that_cannot_be_saved_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: bool, refused: int
) -> None:
    path = tmp_path / "lexicon.npy"
    Lexicon.build(WORDS).save(path, words=True)
    save, tried = np.save, []

    def full(file: Any, array: Any, **settings: Any) -> None:
        tried.append(array)
        if len(tried) > refused or not words:
            raise OSError(28, "No space left")
        save(file, array, **settings)

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(FileError, match="No space left"):
        Lexicon.build(["别的"]).save(path, words=words)
    assert sorted(Lexicon.open(path)) == sorted(Lexicon.build(WORDS))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("words", [False, True])
def test_a_lexicon_that_cannot_take_its_name_leaves_the_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: bool
) -> None:
    path = tmp_path / "lexicon.npy"
    Lexicon.build(WORDS).save(path, words=True)

    def refused(*_: object) -> None:
        raise OSError(28, "No space left")

    with monkeypatch.context() as patch:
        patch.setattr(files, "_replace", refused)
        with pytest.raises(FileError, match="No space left"):
            Lexicon.build(["别的"]).save(path, words=words)
    assert sorted(Lexicon.open(path)) == sorted(Lexicon.build(WORDS))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_file_of_words(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "words")
    with pytest.raises(FileError, match="words: cannot be read more than once; expected a file"):
        Lexicon.read(tmp_path / "words")


def test_words_of_another_lexicon_are_noticed(tmp_path: Path) -> None:
    Lexicon.build(WORDS).save(tmp_path / "lexicon.npy", words=True)
    np.save(tmp_path / "lexicon.words.npy", np.zeros(3, np.uint32))
    with pytest.raises(FileError, match=r"lexicon\.words\.npy: does not fit lexicon\.npy"):
        Lexicon.open(tmp_path / "lexicon.npy")


def test_words_added_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.npy"
    Lexicon.build(WORDS).save(path, words=True)
    before = path.read_bytes()
    lexicon = Lexicon.open(path)
    text = "中国人民在新词里，新词"
    lexicon.add("新词", "国人民", "中国")  # the last one is there already
    assert found(lexicon, text) == ["中国", "国人", "人民", "新词", "新词", "中国人", "国人民"]
    assert (len(lexicon), lexicon.fixed, lexicon.size) == (8, 6, 8)
    assert lexicon.ids(["新词", "国人民"]).tolist() == [6, 7]
    assert lexicon.word(7) == "国人民"
    lexicon.remove("新词", "中国")
    assert found(lexicon, text) == ["国人", "人民", "中国人", "国人民"]
    assert len(lexicon) == 6
    assert "新词" not in lexicon
    assert "中国" not in lexicon
    assert set(lexicon) == {"国人", "中国人", "人民", "中国人民银行", "𠮷野家", "国人民"}
    lexicon.save(tmp_path / "changed.npy", words=True)
    assert sorted(Lexicon.open(tmp_path / "changed.npy")) == sorted(lexicon)
    lexicon.add("中国", "新词")
    assert lexicon.ids(["新词", "国人民"]).tolist() == [6, 7]  # ids are kept
    assert found(lexicon, text) == ["中国", "国人", "人民", "新词", "新词", "中国人", "国人民"]
    assert path.read_bytes() == before
    assert len(Lexicon.open(path)) == 6


def test_words_can_be_added_to_nothing() -> None:
    lexicon = Lexicon.build([])
    assert (len(lexicon), list(lexicon), lexicon.ids(["中国"]).tolist()) == (0, [], [-1])
    lexicon.add("中国")
    assert found(lexicon, "在中国") == ["中国"]
    lexicon.remove("中国")
    assert found(lexicon, "在中国") == []


@pytest.mark.parametrize("word", ["", "的", "长" * 32, "a b", "新\u3000词", 3])
def test_what_cannot_be_added(word: str) -> None:
    lexicon = Lexicon.build(WORDS)
    with pytest.raises(FenjieError, match=r"not a word of a lexicon|cannot hold whitespace"):
        lexicon.add("新词", word)
    with pytest.raises(FenjieError, match="no word of the lexicon"):
        lexicon.remove("中国", str(word))
    assert list(lexicon) == list(Lexicon.build(WORDS))


def test_words_added_one_by_one_are_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding some thousands one by one takes no longer for each word that was added before."""
    made: list[Any] = []
    whole = module.Matcher
    monkeypatch.setattr(module, "Matcher", lambda *parts: made.append(parts) or whole(*parts))
    lexicon = Lexicon.build(["北京", "大学"])
    for word in ("天津", "上海"):
        if word not in lexicon:
            lexicon.add(word)
    lexicon.remove("大学")
    assert (len(lexicon), "天津" in lexicon, "大学" in lexicon) == (3, True, False)
    assert not made
    for text in ("北京大学上海天津", "天津北京上海"):
        assert lexicon.match(text).word.size == 3
    assert len(made) == 1


def test_threads_see_all_of_a_change_or_nothing() -> None:
    lexicon = Lexicon.build(WORDS)
    seen = set()

    def look() -> None:
        for _ in range(200):
            seen.add(tuple(found(lexicon, "新词中国新语")))

    threads = [Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        lexicon.add("新词", "新语")
        lexicon.remove("新语", "新词")
    assert seen <= {("中国",), ("新词", "中国", "新语")}


def test_statistics() -> None:
    lexicon = Lexicon.build(WORDS)
    assert lexicon.statistics(["中国人民", "", "的的", "中国"]) == (4, 2.0, 1.25, 4)
    assert lexicon.statistics(["中国"] * 1000).words == 1
    assert lexicon.statistics([]) == (0, 0, 0, 0)


def test_one_text_is_not_several_words() -> None:
    with pytest.raises(FenjieError, match="found '南京'; expected words"):
        Lexicon.build("南京")
    with pytest.raises(FenjieError, match="found '南京'; expected texts"):
        Lexicon.build(["南京"]).statistics("南京")
    with pytest.raises(FenjieError, match="; expected a text"):
        Lexicon.build(["南京"]).match(["南京"])  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, float("nan"), b"ab", ["南京"], ("南京", 5)])
def test_a_word_that_is_no_text_is_refused(wrong: Any) -> None:
    """A list in place of a word was taken for one by its length, or was left out as too short."""
    with pytest.raises(FenjieError, match=r"not a word; found .*, expected a text"):
        Lexicon.build(["北京", wrong])


def test_a_folder_is_no_place_for_a_lexicon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (False, True):
        with pytest.raises(FileError, match="cannot be written"):
            Lexicon.build(["南京"]).save(".", words=words)
    assert not list(tmp_path.iterdir())


def test_a_lexicon_is_pickled_with_its_changes(tmp_path: Path) -> None:
    whole = Lexicon.build(["和服", "服务", "尚未"])
    whole.save(tmp_path / "keys.npy")
    for lexicon in (whole, Lexicon.open(tmp_path / "keys.npy")):
        lexicon.add("和尚", "服务员")
        lexicon.remove("服务", "和尚")
        for other in (pickle.loads(pickle.dumps(lexicon)), deepcopy(lexicon), copy(lexicon)):
            assert other.changes == lexicon.changes
            assert np.array_equal(other.keys, lexicon.keys)
            other.add("和尚")
            assert "和尚" in other
            assert "和尚" not in lexicon
    assert list(pickle.loads(pickle.dumps(whole))) == list(whole)
