"""Annotated files are read and written, whole or not at all."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fenjie.corpus import FORMATS, Corpus, read, write
from fenjie.errors import FenjieError, FileError
from fenjie.text.span import Sentence, Span
from tests.corpus.examples import ENTITIES, FILES, put, refused


@pytest.mark.parametrize("format", FORMATS)
def test_the_ways_a_file_is_stored(tmp_path: Path, format: str) -> None:
    expected = read(put(tmp_path, FILES[format]))
    content = FILES[format]
    for stored in (
        content.replace("\n", "\r\n").encode(),
        content.replace("\n", "\r").encode(),
        content.rstrip("\n").replace("\n", "\r").encode() + b"\n",
        b"\xef\xbb\xbf" + content.encode(),
        gzip.compress(content.encode()),
        content.rstrip("\n").encode(),
    ):
        assert read(put(tmp_path, stored)) == expected
    path = put(tmp_path, content.encode("gb18030"))
    assert read(path, encoding="gb18030") == expected
    with pytest.raises(FileError, match="not utf-8 text"):
        read(path)


def test_line_numbers(tmp_path: Path) -> None:
    assert read(put(tmp_path, FILES["columns"])).lines == [1, 7]
    assert read(put(tmp_path, FILES["spaced"])).lines == [1, 3]
    assert read(put(tmp_path, FILES["jsonl"])).lines == [1, 3]
    assert read(put(tmp_path, FILES["conllu"])).lines == [1, 8]


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        (None, "", "holds nothing to guess a format from; found ''; expected one of col"),
        (None, "\n \n", "holds nothing to guess"),
        (None, "一行没有空格的字\n", "unknown format; found '一行没有空格的字'; expected one of"),
    ],
)  # fmt: skip
def test_files_of_no_known_format(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)


def test_words_with_parts_of_speech_are_not_taken_for_words(tmp_path: Path) -> None:
    content = "\n我/r 在/p 北京/ns 。/w\n"
    refused(tmp_path, None, content, ":2: words with parts of speech; found '我/r 在/p")
    assert read(put(tmp_path, content), "spaced").sentences[0].words[0] == "我/r"
    assert read(put(tmp_path, "时速 90 km/h\n")).sentences[0].words[2] == "km/h"


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_file_is_an_empty_corpus(tmp_path: Path, format: str) -> None:
    assert read(put(tmp_path, ""), format) == Corpus()
    assert read(put(tmp_path, "\n\n"), format) == Corpus()


@pytest.mark.parametrize(
    ("format", "sentence", "message"),
    [
        ("columns", Sentence("a\nb"), "expected a text in one line"),
        ("columns", Sentence(""), "not empty"),
        ("columns", Sentence("ab", (Span(0, 1, "x y"),)), "label 'x y' cannot stand in a column"),
        ("columns", Sentence("abc", (Span(0, 2, "A"), Span(1, 3, "A"))), "tags cannot say"),
        ("columns", Sentence("\ud800"), r"in utf-8; found '\\ud800'; expected .*jsonl"),
        ("weibo", Sentence(""), "not empty"),
        ("spaced", Sentence("中国"), "expected words that tile"),
        ("spaced", Sentence(""), "expected words that tile"),
        ("spaced", Sentence.from_words(["a b"]), "found whitespace"),
        ("conllu", Sentence.from_words(["a\tb"]), "found a tab"),
        ("spaced", Sentence("北京", (Span(0, 2, "LOC"),)), "found the label 'LOC' on '北京'"),
        ("conllu", Sentence("中国", (Span(0, 1),)), "expected words that tile"),
        ("conllu", Sentence("在京", (Span(0, 1), Span(1, 2, "LOC"))), "label 'LOC' on '京'"),
        ("jsonl", Sentence("\ud83d\ude00"), "split surrogate pair"),
        ("jsonl", Sentence("ab", (Span(0, 2, "A"), Span(1, 2, "A"))), "spans overlap at 1"),
        ("jsonl", Sentence("ab", (Span(0, 2, ""),)), "empty label"),
    ],
)
def test_sentences_that_a_format_cannot_say(
    tmp_path: Path, format: str, sentence: Sentence, message: str
) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(FileError, match=f"out: sentence 2 cannot be written.*{message}"):
        write([Sentence.from_words(["好"]), sentence], path, format)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_an_encoding_lacks(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="sentence 1 cannot be written in gb2312; found '㎏'"):
        write([Sentence("㎏")], tmp_path / "out", "jsonl", encoding="gb2312")
    assert not list(tmp_path.iterdir())


def test_a_full_disk(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full here")
    with pytest.raises(FileError, match="/dev/full: cannot be written: No space left on device"):
        write(ENTITIES, "/dev/full", "jsonl")


@pytest.mark.parametrize("path", [None, 5, b"a", ["a"]])
def test_what_is_no_path(path: Any) -> None:
    for format in (None, "jsonl", "brat"):
        with pytest.raises(FenjieError, match=r"^found .*; expected the path of a file$"):
            read(path, format)
    with pytest.raises(FenjieError, match=r"^found .*; expected the path of a file$"):
        write([], path, "jsonl")


def test_unknown_names(tmp_path: Path) -> None:
    path = put(tmp_path, FILES["columns"])
    with pytest.raises(FenjieError, match="unknown format 'bmes'; expected columns, spaced"):
        read(path, "bmes")
    with pytest.raises(FenjieError, match="unknown format"):
        write([], path, "bmes")
    with pytest.raises(FenjieError, match="unknown label scheme"):
        write([], path, "columns", scheme="IOB")
    with pytest.raises(FenjieError, match="unknown encoding"):
        write([], path, "columns", encoding="utf-9")


@pytest.mark.parametrize("format", [*FILES, "brat"])
def test_offsets_of_an_array_are_written_as_integers(tmp_path: Path, format: str) -> None:
    label = "W" if format in ("spaced", "conllu") else "LOC"
    start, end = np.array([0, 2])
    write([Sentence("北京", (Span(start, end, label),))], tmp_path / "out.ann", format)
    (sentence,) = read(tmp_path / "out.ann", format).sentences
    assert sentence == Sentence("北京", (Span(0, 2, label),))


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [((0.0, 2.0, "LOC"), "offsets that are integers"), ((0, 2, None), "a label that is a text")],
)
def test_what_cannot_be_read_again_is_not_written(
    tmp_path: Path, wrong: Any, expected: str
) -> None:
    with pytest.raises(FenjieError, match=rf"found Span.*; expected {expected}"):
        write([Sentence("北京", (Span(*wrong),))], tmp_path / "out", "jsonl")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("wrong", ["我在北京", ["我在北京"]])
def test_what_is_no_sentence_is_not_written(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(FenjieError, match="found '我在北京'; expected"):
        write(wrong, tmp_path / "out", "jsonl")
    assert not (tmp_path / "out").exists()
