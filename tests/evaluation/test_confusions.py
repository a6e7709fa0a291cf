"""The most frequent errors, with some of their places."""

from __future__ import annotations

from fenjie.evaluation.confusions import Confusion, Tally, in_context


def test_the_most_frequent_comes_first_and_then_the_first_seen() -> None:
    tally = Tally()
    for word in "乙甲丙丙丙":
        tally.add("split", (word,), None, f"[{word}]")
    found = tally.report(("split", "merged"), most=2)
    assert found.kinds == {"split": 5, "merged": 0}
    assert found.confusions == (
        Confusion("split", ("丙",), None, 3, ("[丙]",) * 2),
        Confusion("split", ("乙",), None, 1, ("[乙]",)),
    )


def test_context_is_cut() -> None:
    text = "零一二三四五六七八九十百千万亿兆京垓秭穰"
    assert in_context(text, 9, 11) == "…一二三四五六七八[九十]百千万亿兆京垓秭…"
    assert in_context(text, 0, 20) == f"[{text}]"
