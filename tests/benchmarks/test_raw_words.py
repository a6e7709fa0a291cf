"""Words that raw text has, and mentions that are words."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.raw_words import seen, shares_of
from fenjie.lexicon import Lexicon


def test_words_that_raw_text_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    Path("raw.txt").write_text("王小明在北京。\n\n他说４Ｓ店很好\n", encoding="utf-8")
    names = ["北京", "小明", "上海", "4S"]
    lexicon = Lexicon.build(names)
    found = seen(lexicon, ["raw.txt"])[lexicon.ids(names)]
    assert found.tolist() == [True, True, False, True]


def test_mentions_that_are_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    line = (
        '{"text": "王小明去北京和上海", "spans": [[0, 3, "PER"], [4, 6, "LOC"], [7, 9, "LOC"]]}\n'
    )
    Path("gold.jsonl").write_text(line, encoding="utf-8")
    lexicons = {"all": Lexicon.build(["北京", "上海", "王小明"]), "some": Lexicon.build(["北京"])}
    assert shares_of("gold.jsonl", lexicons) == {
        "LOC": {"all": 100.0, "some": 50.0},
        "PER": {"all": 100.0, "some": 0.0},
    }
