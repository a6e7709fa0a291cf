"""Spans of works grow over the title marks around them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")

from benchmarks.silver import works
from fenjie.corpus import read
from fenjie.text.span import Sentence, Span


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("《三体》好看", (1, 3), (0, 4)),
        ("看《三体》", (2, 4), (1, 5)),
        ("看<活着>", (2, 4), (1, 5)),
        ("三体好看", (0, 2), (0, 2)),
        ("三体", (0, 2), (0, 2)),
        ("《三体》", (0, 4), (0, 4)),
        ("《三体全集》", (1, 3), (1, 3)),
        ("三体》", (0, 2), (0, 2)),
        ("《三体》和《活着》", (1, 3), (0, 4)),
    ],
)
def test_title_marks(text: str, before: tuple[int, int], after: tuple[int, int]) -> None:
    sentence = Sentence(text, (Span(*before, "book"),))
    assert works.with_marks(sentence) == Sentence(text, (Span(*after, "book"),))


def test_names_beside_works() -> None:
    text = "鲁迅的呐喊，北京"
    book = Sentence(text, (Span(3, 5, "book"),))
    found = Sentence(
        text,
        (Span(0, 2, "PER", 0.9), Span(4, 5, "LOC", 0.5), Span(6, 8, "LOC", 0.9)),
    )
    expected = (Span(0, 2, "PER"), Span(3, 5, "book"), Span(6, 8, "LOC"))
    assert works.with_names(book, found).spans == expected
    film = Sentence(text, (Span(0, 2, "MOVIE", 0.9),))
    assert works.with_names(book, film) == book


def test_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"text": "王小明看《三体》和活着", "spans": [[5, 7, "book"], [9, 11, "book"]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = tmp_path / "b.jsonl"
    monkeypatch.setattr("sys.argv", ["works", str(tmp_path / "a.jsonl"), "-o", str(made)])
    works.main()
    (sentence,) = read(made).sentences
    found = [(span.start, span.end, span.label) for span in sentence.spans]
    assert found == [(0, 3, "PER"), (4, 8, "book"), (9, 11, "book")]
