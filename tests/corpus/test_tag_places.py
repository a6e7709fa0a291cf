"""Where tags stand in lines of columns, and in which form; words that only look like tags."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import guess, read
from fenjie.errors import FileError
from tests.corpus.examples import put, refused


def test_words_that_end_in_what_is_no_tag_are_words() -> None:
    assert guess(["我 在 北京", "他 有 维生素 B"] * 2 + ["完 了"]) == "spaced"


@pytest.mark.parametrize(
    "tags", [("b-per", "o"), ("B_PER", "L_PER"), ("PER-B", "PER-I"), ("B-", "I-")]
)
def test_tags_in_another_form_are_named(tmp_path: Path, tags: tuple[str, str]) -> None:
    path = put(tmp_path, f"王 {tags[0]}\n明 {tags[1]}\n")
    with pytest.raises(FileError, match=f":1: not a tag; found '{tags[0]}'; expected O or one of"):
        read(path)
    assert guess(["我 在 北京", "用 e-mail", "完 了"]) == "spaced"


@pytest.mark.parametrize(
    ("content", "columns", "at", "line"),
    [
        ("B-PER 王\nI-PER 明\nO 说\n", 2, 1, "B-PER 王"),
        ("O 我\nO 在\n\nB-PER 王\nI-PER 明\n", 2, 1, "O 我"),
        ("B\t商\nE\t品\nS\t和\n", 2, 1, r"B\\t商"),
        ("B-PER NR 王\nO VV 说\n", 3, 1, "B-PER NR 王"),
        ("王 B-PER 0.98\n说 O 0.7\n", 3, 2, "王 B-PER 0.98"),
        ("说 O O 1\n王 O B-PER .5\n", 4, 2, "说 O O 1"),
        ("商 B 0.9\n品 E 1e-3\n", 3, 2, "商 B 0.9"),
    ],
)
def test_tags_in_another_column_than_the_last_are_named(
    tmp_path: Path, content: str, columns: int, at: int, line: str
) -> None:
    message = f":1: the last of {columns} columns is not a tag, column {at} is one; found '{line}'"
    for format in (None, "columns"):
        refused(tmp_path, format, content, f"{message}; expected the character first, its tag last")


def test_a_tag_with_its_score_is_named(tmp_path: Path) -> None:
    refused(tmp_path, None, "说 O/0.7\n王 B-PER/0.98\n", ":1: not a tag; found 'O/0.7'")
    refused(tmp_path, None, "说 VV O/0.7\n王 NR B-PER/0.98\n", ":1: not a tag; found 'O/0.7'")


@pytest.mark.parametrize(
    "lines",
    [
        ["O 型 血"],
        ["B 超", "B 超"],
        ["B 超 室", "O 型 血", "完 了"],
        ["E-mail 是 什么", "E-mail 有 哪些"],
        ["维生素 B 族", "维生素 E 族"],
        ["我 有 B-52 3", "他 说 了", "好 的"],
    ],
)
def test_words_that_look_like_tags_are_words(lines: list[str]) -> None:
    assert guess(lines) == "spaced"
