"""Long texts are cut where no word is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fenjie.errors import FenjieError
from fenjie.runtime import parts


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 20)


def cut(text: str, *words: str) -> list[str]:
    """The parts of a text in which user words occur."""

    def covered(stretch: str) -> np.ndarray:
        found = np.zeros(len(stretch), dtype=bool)
        for word in words:
            start = stretch.find(word)
            while start >= 0:
                found[start + 1 : start + len(word)] = True
                start = stretch.find(word, start + len(word))
        return found

    found = list(parts.parts(text, covered if words else None))
    assert "".join(part.text for part in found) == text
    assert all(text.startswith(part.text, part.offset) for part in found)
    assert all(20 <= len(part.text) <= 40 for part in found[:-1])
    return [part.text for part in found]


LINE = "商品和服务的价格上涨了"


def test_a_long_line_is_cut_at_the_best_place() -> None:
    assert cut(LINE * 2 + "。他说" * 9 + LINE)[0] == LINE * 2 + "。"
    assert cut(LINE * 2 + "。他 \n说" + LINE * 3)[0] == LINE * 2 + "。他 \n"
    assert cut(LINE * 2 + " 他" + LINE * 3)[0] == LINE * 2 + " "
    assert cut(LINE * 4)[0] == (LINE * 4)[:21]
    assert cut("a" * 40) == ["a" * 40]
    assert cut("abc, " * 20)[0] == "abc, " * 4 + "abc, "


def test_a_user_word_is_not_cut() -> None:
    assert cut(LINE * 4, "服务的价")[0] == (LINE * 4)[:21]
    line = "中" * 19 + "商品和服务" * 9
    assert cut(line, "商品和服务")[0] == "中" * 19 + "商品和服务"
    assert cut("中" * 90, "中" * 7)[0] == "中" * 21


def test_numbers_clusters_and_runs_are_not_cut() -> None:
    assert all(part[0] != "\u0301" for part in cut("e\u0301" * 100))
    assert cut("12.5%" * 20)[0] == "12.5%" * 8
    assert cut("-" * 15 + "12.5%-" * 20)[0][-1] == "-"


def test_a_run_that_is_too_long_goes_on() -> None:
    for run in ("1" * 100, "a" * 100, " " * 100, "\u0301" * 100):
        found = list(parts.parts(run))
        assert [part.goes_on for part in found] == [False, True, True][: len(found)]
    assert [p.goes_on for p in parts.parts(LINE * 9)] == [False] * len(cut(LINE * 9))


@pytest.mark.parametrize("texts", [None, 5, b"bytes"])
def test_what_is_no_text_is_told(texts: Any) -> None:
    with pytest.raises(FenjieError, match=r"no texts; found .*, expected str"):
        next(parts.chunks(texts, 10))


@pytest.mark.parametrize("text", [None, float("nan"), b"bytes"])
def test_a_value_that_is_no_text_is_told_by_its_number(text: Any) -> None:
    with pytest.raises(FenjieError, match=r"text 2 is no text; found .*, expected str"):
        list(parts.chunks(["北京", text], 10))
