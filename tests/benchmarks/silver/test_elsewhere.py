"""Words that are names in other sentences."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.elsewhere import names_elsewhere


@pytest.mark.parametrize("text", ["吃苹果", "苹果树开花了", "苹果和香蕉"])
def test_an_apple(text: str) -> None:
    assert names_elsewhere(text) == {"苹果"}


@pytest.mark.parametrize(
    "text",
    [
        "大桥连接东西两岸",
        "河的两岸种满了柳树",
        "秦淮河两岸灯火通明",
        "两岸青山相对出",
        "江水两岸的居民",
    ],
)
def test_the_banks_of_a_river(text: str) -> None:
    assert names_elsewhere(text) == {"两岸"}


@pytest.mark.parametrize(
    "text",
    ["苹果发布手机", "两岸关系取得新进展", "海峡两岸的居民", "香港和两岸三地", "今天天气很好"],
)
def test_a_name_stays(text: str) -> None:
    assert names_elsewhere(text) == set()
