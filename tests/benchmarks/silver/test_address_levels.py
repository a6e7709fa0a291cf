"""Addresses that are annotated whole, in their levels."""

from __future__ import annotations

import pytest

from benchmarks.silver.address_levels import with_levels
from fenjie.text.span import Sentence, Span


def parted(address: str, *places: str, label: str = "address") -> list[str]:
    """The spans of a sentence with an address in which a model finds places."""
    text = f"住在{address}。"
    found, start = [], 0
    for place in places:
        start = text.index(place, start)
        found.append(Span(start, start + len(place), "LOC"))
        start += len(place)
    whole = Span(2, 2 + len(address), label)
    made = with_levels(Sentence(text, (whole,)), Sentence(text, tuple(found)), "address")
    assert {span.label for span in made.spans} == {label}
    return [span.of(text) for span in made.spans]


@pytest.mark.parametrize(
    ("address", "levels"),
    [
        ("北京市海淀区", ["北京市", "海淀区"]),
        ("福建宁德", ["福建", "宁德"]),
        ("山东聊城", ["山东", "聊城"]),
        ("福州市体育馆", ["福州市", "体育馆"]),
        ("文汇路樱花广场", ["文汇路", "樱花广场"]),
    ],
)
def test_an_address_is_parted_where_a_level_begins(address: str, levels: list[str]) -> None:
    assert parted(address, *levels) == levels


def test_what_lies_between_is_no_entity() -> None:
    assert parted("北京市的西城区36号", "北京市", "西城区") == ["北京市", "西城区"]


def test_what_is_named_after_its_place_stays_whole() -> None:
    assert parted("北京西站", "北京", "西站") == ["北京西站"]
    assert parted("南京长江大桥", "南京", "长江大桥") == ["南京长江大桥"]
    assert parted("江苏南京长江大桥", "江苏", "南京", "长江大桥") == ["江苏", "南京长江大桥"]


def test_all_else_stays_as_it_is() -> None:
    assert parted("北京市郊", "北京市") == ["北京市郊"]
    assert parted("京石高速长阳出口", "京", "长阳") == ["京石高速长阳出口"]
    assert parted("北京市海淀区", "北京市", "海淀区", label="company") == ["北京市海淀区"]
