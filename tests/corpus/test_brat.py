"""Standoff files of brat."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import read, write
from fenjie.errors import FenjieError, FileError
from fenjie.text.span import Sentence, Span

TEXT = "我在北京。\n\n李雷见3人\n没有\n"
ANNOTATIONS = """\
T1\tLOC 2 4\t北京
T2\tPER.NAM 7 9\t李雷
R1\tKnows Arg1:T1 Arg2:T2
A1\tNegated T1
#1\tAnnotatorNotes T1\t?
*\tEquiv T1 T2
"""
SENTENCES = [
    Sentence("我在北京。", (Span(2, 4, "LOC"),)),
    Sentence("李雷见3人", (Span(0, 2, "PER.NAM"),)),
    Sentence("没有"),
]


def put(folder: Path, text: str | bytes = TEXT, annotations: str = ANNOTATIONS) -> Path:
    content = text.encode() if isinstance(text, str) else text
    (folder / "a.txt").write_bytes(content)
    (folder / "a.ann").write_bytes(annotations.encode())
    return folder / "a.ann"


def test_read(tmp_path: Path) -> None:
    path = put(tmp_path)
    corpus = read(path)
    assert corpus.sentences == SENTENCES
    assert corpus.lines == [1, 3, 4]
    assert read(path.with_suffix(".txt"), "brat") == read(path.with_suffix(""), "brat") == corpus


def test_offsets_count_what_stands_in_the_file(tmp_path: Path) -> None:
    moved = ANNOTATIONS.replace("7 9", "9 11")
    assert read(put(tmp_path, TEXT.replace("\n", "\r\n"), moved)).sentences == SENTENCES
    marked = ANNOTATIONS.replace("2 4", "3 5").replace("7 9", "8 10")
    corpus = read(put(tmp_path, "\ufeff" + TEXT, marked))
    assert (corpus.sentences, corpus.lines) == (SENTENCES, [1, 3, 4])
    emoji = read(put(tmp_path, "😀北京", "T1\tLOC 1 3\t北京\nT2\tX 0 1\n"))
    assert emoji.sentences == [Sentence("😀北京", (Span(0, 1, "X"), Span(1, 3, "LOC")))]


def test_written_files(tmp_path: Path) -> None:
    write(iter(SENTENCES), tmp_path / "a.ann", "brat")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == TEXT.replace("\n\n", "\n")
    assert (tmp_path / "a.ann").read_text(encoding="utf-8") == (
        "T1\tLOC 2 4\t北京\nT2\tPER.NAM 6 8\t李雷\n"
    )
    assert read(tmp_path / "a.ann").sentences == SENTENCES
    write(SENTENCES, tmp_path / "b.txt", "brat", encoding="gb18030")
    assert read(tmp_path / "b", "brat", encoding="gb18030").sentences == SENTENCES
    write([], tmp_path / "c", "brat")
    assert read(tmp_path / "c.ann").sentences == []


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (
            "T1\tLOC 2 3;4 5\t北 。\n",
            "a.ann:1: a span in several pieces; found '2 3;4 5'; expected",
        ),
        ("\nT1\tLOC 2 99\t北京\n", "a.ann:2: a span that is empty or outside of the text; found"),
        ("T1\tLOC 2 2\t\n", "a.ann:1: a span that is empty"),
        (f"T1\tLOC 2 {'9' * 5000}\t\n", "a.ann:1: a span that is empty or outside"),
        ("T1\tLOC 4 8\t。  李\n", "a.ann:1: the text from 4 to 8 is not what the line says"),
        ("T1\tLOC 4 8\n", "a.ann:1: a span over the end of a line; found '。.*李'"),
        ("T1\tLOC 5 6\n", "a.ann:1: a span over the end of a line"),
        ("T1\tLOC 3 4\t北京\n", "a.ann:1: the text from 3 to 4 .*; found '京'; expected '北京'"),
        ("T1\tLOC 2 4\t北京\nT2\tX 3 5\t京。\n", r"a.ann:2: spans overlap; found \['北京 LOC', "),
        ("T1 LOC 2 4 北京\n", "a.ann:1: not a line of brat; found 'T1 LOC"),
        ("T1\t 2 4\t北京\n", "a.ann:1: not a line of brat"),
    ],
)
def test_annotations_that_are_not_what_they_should_be(
    tmp_path: Path, annotations: str, message: str
) -> None:
    with pytest.raises(FileError, match=message) as caught:
        read(put(tmp_path, TEXT, annotations))
    assert "\n" not in str(caught.value)


def test_files_that_are_missing_or_no_text(tmp_path: Path) -> None:
    path = put(tmp_path, b"\xe6\x88\n\xff")
    with pytest.raises(FileError, match=r"a.txt:1: not utf-8 text; found b'\\xe6"):
        read(path)
    path.unlink()
    with pytest.raises(FileError, match=r"b.ann: cannot be read"):
        read(put(tmp_path).with_suffix(".txt").rename(tmp_path / "b.txt"), "brat")
    with pytest.raises(FileError, match=r"a.txt: cannot be read"):
        read(path)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (Sentence("a\nb"), "expected a text in one line"),
        (Sentence(""), "not empty"),
        (Sentence("ab", (Span(0, 2, "A"), Span(1, 2, "A"))), "spans overlap at 1"),
        (Sentence("ab", (Span(0, 1, "x y"),)), "label 'x y' cannot stand"),
        (Sentence("\ud800"), "in utf-8; found"),
    ],
)
def test_sentences_that_brat_cannot_say(tmp_path: Path, sentence: Sentence, message: str) -> None:
    put(tmp_path)
    with pytest.raises(FenjieError, match=f"a.txt: sentence 2 cannot be written.*{message}"):
        write([SENTENCES[0], sentence], tmp_path / "a", "brat")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == TEXT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ann", "a.txt"]
