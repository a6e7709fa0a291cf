"""CoNLL-U of Universal Dependencies."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import conllu, read, write
from fenjie.text.span import Sentence
from tests.corpus.examples import CONLLU, put, refused


def test_comments_multi_word_tokens_and_empty_nodes_are_skipped(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, CONLLU), "conllu")
    assert [sentence.words for sentence in corpus] == [["我", "在", "北京"], ["完"]]
    assert corpus.lines == [1, 8]


def test_what_is_written_has_ten_columns(tmp_path: Path) -> None:
    write([Sentence.from_words(["我", "在"])], tmp_path / "out", "conllu")
    text, first, second, empty = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert (text, empty) == ("# text = 我在", "")
    assert first.split("\t") == ["1", "我", *["_"] * 7, "SpaceAfter=No"]
    assert conllu.columns(second) == ["2", "在", *["_"] * 7, "SpaceAfter=No"]
    assert conllu.columns("2\t在") is None


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        (None, CONLLU.replace("3\t北京\t_", "3\t北京"), r":6: not a CoNLL-U line; found '3"),
        ("conllu", "1\t\t_\t_\t_\t_\t_\t_\t_\t_\n", ":1: not a CoNLL-U line"),
        ("conllu", "中 国\n", ":1: not a CoNLL-U line"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)
