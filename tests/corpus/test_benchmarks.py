"""The counts of the benchmarks' files are those of the papers."""

from __future__ import annotations

from pathlib import Path

from fenjie.corpus import benchmarks
from fenjie.text.span import Sentence, Span

ENTITIES = [Sentence("我在北京。", (Span(2, 4, "LOC"),)), Sentence("没有")]


def test_entities_that_no_tag_begins_are_not_counted(small: Path) -> None:
    (small / "a.bmes").write_text("我 S-LOC\n在 E-LOC\n\n好 O\n", encoding="utf-8")
    (checked,) = benchmarks.check(small)
    assert checked.repairs == 1
    assert checked.found is not None and checked.found["entities"] == 1
