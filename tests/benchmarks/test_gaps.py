"""Marks of gaps: how they are read, when words keep to them, and the page itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.gaps import SENTENCES, Marked, marked
from benchmarks.machine import ROOT


def test_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "gaps.txt"
    path.write_text("# first\n结婚的|和|尚_未\n# second\n点_赞\n", encoding="utf-8")
    assert list(marked(path)) == [
        Marked("first", "结婚的和尚未", frozenset({3, 4}), frozenset({5})),
        Marked("second", "点赞", frozenset(), frozenset({1})),
    ]


def test_words_keep_to_marks_or_not() -> None:
    one = Marked("", "结婚的和尚未", frozenset({3, 4}), frozenset({5}))
    assert one.is_right(["结婚", "的", "和", "尚未"])
    assert one.is_right(["结婚的", "和", "尚未"])
    assert not one.is_right(["结婚", "的", "和尚未"])
    assert not one.is_right(["结婚", "的", "和", "尚", "未"])


def test_the_page() -> None:
    sentences = list(marked(SENTENCES))
    assert len({one.text for one in sentences}) == len(sentences)
    for one in sentences:
        assert one.ends | one.inside, one.text
        assert not one.ends & one.inside, one.text
        assert max(one.ends | one.inside) < len(one.text), one.text


def test_the_figures_of_the_page_are_those_of_the_results() -> None:
    path = ROOT / "benchmarks" / "results" / "gaps.json"
    found = json.loads(path.read_text(encoding="utf-8"))["found"]
    page = (SENTENCES.parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `.*?` \| ((?:\d+ of \d+ \| ?)+)$", page, re.MULTILINE)
    assert [row.rstrip(" |").split(" | ") for row in rows] == [
        [f"{part['right']} of {part['sentences']}" for part in scores["parts"].values()]
        for scores in found.values()
    ]
