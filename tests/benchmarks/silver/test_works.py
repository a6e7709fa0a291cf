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


def test_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"text": "看《三体》和活着", "spans": [[2, 4, "book"], [6, 8, "book"]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = tmp_path / "b.jsonl"
    monkeypatch.setattr("sys.argv", ["works", str(tmp_path / "a.jsonl"), "-o", str(made)])
    works.main()
    (sentence,) = read(made).sentences
    assert [(span.start, span.end) for span in sentence.spans] == [(1, 5), (6, 8)]
