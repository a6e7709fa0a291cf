"""The words of a tagger of entities: those that its model sees, and those that are entities."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import Lexicon
from fenjie.runtime.words.entity_words import EntityWords, read_labelled
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_words import UserWord
from fenjie.text.normalise import Normaliser


def weights(words: EntityWords) -> dict[str, float]:
    assert words.matcher is not None
    return {word: known.weight for word, known in words.matcher.words.items()}


@pytest.fixture
def words() -> EntityWords:
    return EntityWords(Normaliser(), ["LOC", "PER"], Lexicon.build(["北京", "大学"]))


def test_words_are_seen_or_are_entities(words: EntityWords) -> None:
    words.add("新词")
    words.add("李四", "ＡＢ", label="PER")
    assert words.entities == {"李四": "PER", "AB": "PER"}
    assert all(word in words for word in ("北京", "新词", "李四", "AB"))
    assert "没有" not in words and 3 not in words
    assert len(words) == 5
    assert repr(words) == "<3 words, 2 with labels>"
    assert words.matcher is not None


def test_words_are_taken_back_all_or_none(words: EntityWords) -> None:
    words.add("李四", label="PER")
    with pytest.raises(FenjieError, match="没有"):
        words.remove("北京", "李四", "没有")
    assert "北京" in words and "李四" in words
    words.remove("北京", "李四")
    assert "北京" not in words and words.entities == {} and words.matcher is None


def test_words_are_taken_back_together(words: EntityWords) -> None:
    words.add("李四", "张三", label="PER")
    with pytest.raises(FenjieError, match="没有"):
        words.remove(["李四", "没有"], "张三")
    assert set(words.entities) == {"李四", "张三"}
    words.remove(["李四", "北京"], "张三")
    assert words.entities == {} and "北京" not in words and "大学" in words


def test_another_process_repeats_what_was_added_and_removed(words: EntityWords) -> None:
    words.add("新词")
    words.add("李四", label="PER")
    words.remove("北京")
    other = EntityWords(Normaliser(), ["LOC", "PER"], Lexicon.build(["北京", "大学"]))
    other.repeat(pickle.loads(pickle.dumps(words.changes)))
    assert other.added == ["新词"] and other.entities == {"李四": "PER"}
    assert "北京" not in other and "大学" in other


def test_many_words_with_and_without_labels(words: EntityWords) -> None:
    words.update({"李四": "PER", "很长" * 20: None, "一": None, "市长": None})
    assert words.entities == {"李四": "PER"}
    assert "市长" in words and "一" not in words


def test_lengths_are_those_after_normalisation() -> None:
    folding = Normaliser(compatibility=True)
    words = EntityWords(folding, ["PER"], Lexicon.build(["北京"]))
    words.update({"e\u0301": None, "㍿": None, "㈱" * 20: None})
    assert words.added == ["株式会社"] and "㍿" in words


@pytest.mark.parametrize("wrong", [5, None, b"a word"])
def test_what_is_no_text_is_refused(words: EntityWords, wrong: Any) -> None:
    for refused in (
        words.add,
        words.remove,
        lambda word: words.update({"北京大学": None, word: None}),
    ):
        with pytest.raises(FenjieError, match=r"not a word; found .*expected a text"):
            refused(wrong)
    with pytest.raises(FenjieError, match="not a user word; found"):
        words.add(wrong, label="PER")
    with pytest.raises(FenjieError, match="not a user word; found"):
        words.add([["李教授"]], label="PER")  # type: ignore[list-item]
    assert len(words) == 2


def test_refused_words(words: EntityWords) -> None:
    with pytest.raises(FenjieError, match="no label 'NAME'; expected one of LOC, PER"):
        words.add("李四", label="NAME")
    with pytest.raises(FenjieError, match="no label 'NAME'"):
        words.update({"李四": "PER", "张三": "NAME"})
    with pytest.raises(FenjieError, match=r"no label .X{50,}…; expected one of LOC, PER"):
        words.add("李四", label="X" * 1000)
    for wrong in (-1, float("nan")):
        with pytest.raises(FenjieError, match="not a weight of a user word"):
            words.add("李四", label="PER", weight=wrong)
    with pytest.raises(FenjieError, match=r"found .*expected a mapping of words to labels"):
        words.update(["李四"])  # type: ignore[arg-type]
    assert words.entities == {}
    blind = EntityWords(Normaliser(), ["PER"], None)
    with pytest.raises(FenjieError, match="reads characters alone"):
        blind.add("新词")
    with pytest.raises(FenjieError, match="no word with a label: '新词'"):
        blind.remove("新词")
    blind.add("李四", label="PER")
    assert len(blind) == 1


def test_a_file_of_words(words: EntityWords, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\ufeff# comment\n李四 per\n\n市长 3 n\n北京 5 ns LOC\n", encoding="utf-8")
    found = {"李四": UserWord(10, "PER"), "市长": UserWord(3), "北京": UserWord(5, "LOC")}
    assert read_labelled(path, ["LOC", "PER"]) == found
    words.read(path)
    assert words.entities == {"李四": "PER", "北京": "LOC"}
    assert weights(words) == {"李四": 10, "北京": 5}
    words.read(path, force=True)
    assert weights(words) == {"李四": FORCED, "北京": FORCED}
    path.write_text("李四 force per\n张三 PER 7\n王五 PER nr\n😂队 PER 3\n", encoding="utf-8")
    words.read(path)
    expected = {"李四": FORCED, "张三": 7, "王五": 10, "😂队": FORCED, "北京": FORCED}
    assert weights(words) == expected
    path.write_text("商品\n", encoding="utf-8")
    with pytest.raises(FenjieError, match="force is for words with a label"):
        words.read(path, force=True)
    path.write_text("商品\n李四 NAME\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"words\.txt:2: neither a label .*; found 'NAME'"):
        words.read(path)


def test_names_may_hold_spaces(words: EntityWords, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(
        "# a\tcomment\nTim  Cook\tper 3\n李 四\tPER\n北京 5\n# a comment\twith a tab\n",
        encoding="utf-8",
    )
    words.read(path)
    assert words.entities == {"Tim Cook": "PER", "李 四": "PER"}
    assert weights(words) == {"Tim Cook": 3, "李 四": 10}
    assert "Tim\u3000Cook" in words and "TimCook" not in words
    copied = words.copy(None)
    copied.remove("Tim  Cook")
    assert copied.entities == {"李 四": "PER"}
    for refused in ("New York", "北 京"):
        with pytest.raises(FenjieError, match="cannot hold whitespace"):
            words.add(refused)
    with pytest.raises(FenjieError, match=r"not a word|invisible characters alone"):
        words.add(" ", label="PER")
    path.write_text("Tim Cook PER\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"found 'Cook'; .* a tab after a word that holds spaces"):
        words.read(path)
    for line in ("Tim Cook\t", "Tim Cook\t5 "):
        path.write_text(f"北京大学\t\n{line}\n", encoding="utf-8")
        message = r"words\.txt:2: .* has no label; found 'Tim Cook'; expected one of LOC, PER after"
        with pytest.raises(FileError, match=message):
            words.read(path)
    assert "北京大学" not in words
    path.write_text("北京大学\t\n  李四\tPER\t\n\t\n", encoding="utf-8")
    words.read(path)
    assert "北京大学" in words and words.entities["李四"] == "PER"


def test_an_update_that_is_refused_changes_nothing(words: EntityWords) -> None:
    for refused, label in (("", "PER"), ("云 计算", None)):
        before = len(words)
        with pytest.raises(FenjieError):
            words.update({"计算": None, refused: label})
        assert len(words) == before
        assert "计算" not in words


def test_an_empty_word_is_refused(words: EntityWords) -> None:
    for add in (words.add, lambda word: words.update({word: None, "李四": "PER"})):
        with pytest.raises(FenjieError, match="not a word; found '', expected a text"):
            add("")
    assert words.entities == {}


def test_what_has_no_effect_on_words_without_labels_is_refused(words: EntityWords) -> None:
    with pytest.raises(FenjieError, match=r"force is for words with a label, .*: name a label"):
        words.add("新词", force=True)
    with pytest.raises(FenjieError, match="a weight is for words with a label"):
        words.add("新词", weight=5)
    with pytest.raises(FenjieError, match="force is for words with a label"):
        words.update({"新词": None}, force=True)
    assert "新词" not in words
    words.update({}, force=True)
    words.add({}, force=True)
    words.add([], weight=5)
    words.update({"新词": None, "李四": "PER"}, force=True)
    assert "新词" in words and weights(words) == {"李四": FORCED}


def test_words_are_given_one_by_one_or_together(words: EntityWords) -> None:
    words.add(["李雷", "韩梅梅"], "王小明", label="PER")
    words.add({"北京": "LOC"})
    assert words.entities == dict.fromkeys(["李雷", "韩梅梅", "王小明"], "PER") | {"北京": "LOC"}
    for wrong in (5, [5], {5: "PER"}, {"北京": 5}):
        with pytest.raises(FenjieError):
            words.add(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [object, str])
def test_words_of_an_array_are_added_one_by_one(words: EntityWords, kind: type) -> None:
    words.add("王小明", np.array(["李雷", "韩梅梅"], kind), label="PER")
    assert list(words.entities) == ["王小明", "李雷", "韩梅梅"]
    words.add(np.array(["云计算"], kind))
    assert words.added == ["云计算"]
    words.remove(np.array(["云计算", "李雷"], kind))
    assert words.added == [] and list(words.entities) == ["王小明", "韩梅梅"]


def test_a_table_is_no_list_of_words(words: EntityWords) -> None:
    for wrong in (np.array([["李雷"]]), np.array("李雷")):
        with pytest.raises(FenjieError, match="dimensions; expected words, such as one column"):
            words.add(wrong, label="PER")


def test_a_label_that_is_no_text_is_refused(words: EntityWords) -> None:
    with pytest.raises(FenjieError, match=r"knows no label \['PER'\]; expected one of LOC, PER"):
        words.add("李雷", label=["PER"])  # type: ignore[arg-type]
    assert words.entities == {}
