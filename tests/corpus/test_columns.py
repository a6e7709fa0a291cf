"""A character and its tag a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import guess, read, write
from fenjie.corpus.columns import NOT_BEGUN
from fenjie.text.schemes import NEW_LABEL, NO_BEGIN
from fenjie.text.span import Sentence, Span
from tests.corpus.examples import put, refused


def test_odd_characters_in_columns(tmp_path: Path) -> None:
    sentence = Sentence(" \t\r\x00\u3000\u2028a\ufeff", (Span(0, 3, "A"),))
    write([sentence], tmp_path / "out", "columns")
    assert read(tmp_path / "out").sentences == [sentence]
    spaces = put(tmp_path, "a B-X\n  I-X\n\t\tI-X\nb   O \n")
    assert read(spaces).sentences == [Sentence("a \tb", (Span(0, 3, "X"),))]


def test_a_column_may_hold_more_than_a_character(tmp_path: Path) -> None:
    path = put(tmp_path, "我 O\n2020 B-T\n年 I-T\n👩\u200d🚀 O\n")
    assert read(path).sentences == [Sentence("我2020年👩\u200d🚀", (Span(1, 6, "T"),))]


def test_of_more_than_two_columns_the_first_and_the_last_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, "王 NN B-PER\n说 VV O\n\n\t\tSP\tO\n京\tNR\tB-LOC\n")
    assert guess(path.read_text(encoding="utf-8").splitlines()) == "columns"
    first, second = read(path).sentences
    assert first == Sentence("王说", (Span(0, 1, "PER"),))
    assert second == Sentence("\t京", (Span(1, 2, "LOC"),))


@pytest.mark.parametrize("mark", ["-DOCSTART- -X- O", "-DOCSTART- O"])
def test_marks_between_documents_are_no_sentences(tmp_path: Path, mark: str) -> None:
    middle = " NN" * (mark.count(" ") - 1)
    rows = f"王{middle} B-PER\n说{middle} O\n"
    corpus = read(put(tmp_path, f"{mark}\n\n{rows}\n{mark}\n\n{rows}"))
    assert corpus.sentences == [Sentence("王说", (Span(0, 1, "PER"),))] * 2
    assert corpus.lines == [3, 8]


def test_weibo_digits(tmp_path: Path) -> None:
    path = put(tmp_path, "30\tO\n310\tB-A\n\ufffd\ufffd0\tI-A\nx12\tO\n")
    assert read(path).sentences == [Sentence("33\ufffd\ufffdx", (Span(1, 4, "A"),))]


def test_repairs_are_counted(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, "a I-X\nb I-X\n\nc O\nd I-X\n"))
    assert corpus.repairs == {NO_BEGIN: 2}
    assert [sentence.spans for sentence in corpus] == [(Span(0, 2, "X"),), (Span(1, 2, "X"),)]


@pytest.mark.parametrize(
    ("content", "spans", "repairs"),
    [
        ("a M-X\nb E-X\nc S-X\n", [(2, 3)], {NOT_BEGUN: 1}),
        ("a B-X\nb M-X\nc M-Y\nd E-Y\n", [(0, 2)], {NOT_BEGUN: 1}),
        ("a E-X\nb O\n", [], {NOT_BEGUN: 1}),
        ("a O\nb I-X\nc O\nd B-X\ne I-X\n", [(3, 5)], {NOT_BEGUN: 1}),
        ("a I-X\nb B-X\nc I-X\nd I-Y\n", [(0, 1), (1, 3), (3, 4)], {NO_BEGIN: 1, NEW_LABEL: 1}),
        ("a M\nb E\nc S\n", [(0, 2), (2, 3)], {NO_BEGIN: 1}),
    ],
)
def test_an_entity_begins_with_a_tag_that_says_so(
    tmp_path: Path, content: str, spans: list[tuple[int, int]], repairs: dict[str, int]
) -> None:
    """Except in IOB1, where I does; words are mended so that they tile the text."""
    corpus = read(put(tmp_path, content))
    assert [(span.start, span.end) for span in corpus.sentences[0].spans] == spans
    assert corpus.repairs == repairs


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        (None, "中 B-X\n国\n", r":2: not two columns; found '国'; expected two columns: a"),
        (None, "中 B-X\n国 x I-X\n", r":2: not two columns; found '国 x I-X'"),
        (None, "中 B-X\n国 PER\n文 O\n", r":2: not a tag; found 'PER'; expected O or"),
        (None, "中 B-X\n国 I-X\n文 M-X\n", r":3: I- and M- tags both occur"),
        (None, "\n中 B\n国 M\n\n\n中 B\n国 M\n文 I\n", r":8: I- and M- tags both occur"),
        (None, "中 NN B-X\n国 I-X\n", r":2: not 3 columns, as the first line; found '国 I-X'"),
        (None, "中 NN B-X\n国 NN PER\n文 NN O\n", r":2: not a tag; found 'PER'"),
        (None, "1 中 B-X\n2 国 I-X\n", r":1: the first column counts the lines"),
        ("columns", "中 \n", ":1: not two columns"),
        ("columns", " O\n", ":1: not two columns"),
        ("weibo", "中0 O\n国 O\n", r":2: not a line of the Weibo form; found '国 O'"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    refused(tmp_path, format, content, message)
