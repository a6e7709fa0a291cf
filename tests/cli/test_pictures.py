"""Lattices and attention as pictures."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fenjie.cli.pictures import (
    attention_lines,
    attention_svg,
    lattice_blocks,
    lattice_svg,
    shade,
    stacked,
)

BRIDGE = list("南京市长江大桥")
WORDS = [(0, 2), (0, 3), (2, 4), (3, 5), (3, 7), (5, 7)]


def test_each_word_stands_under_its_characters() -> None:
    (block,) = lattice_blocks(BRIDGE, WORDS, 80)
    assert block == [
        "南 京 市 长 江 大 桥",
        "南─京 市─长    大─桥",
        "南─京─市 长─江",
        "         长─江─大─桥",
    ]


def test_narrow_characters_take_one_column() -> None:
    (block,) = lattice_blocks(list("A股x"), [(0, 2)], 80)
    assert block == ["A 股 x", "A─股"]


def test_a_long_text_goes_on_in_further_blocks() -> None:
    blocks = lattice_blocks(BRIDGE, [(0, 2), (3, 7)], 12)
    assert blocks == [
        ["南 京 市 长", "南─京    长─"],
        ["江 大 桥", "江─大─桥"],
    ]
    assert lattice_blocks(list("南京"), [], 1) == [["南"], ["京"]]


PLACES = st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda w: (w[0], sum(w)))


@given(st.lists(PLACES, unique=True))
def test_stacked_words_are_all_there_and_none_lies_over_another(
    words: list[tuple[int, int]],
) -> None:
    rows = stacked(words)
    assert sorted(word for row in rows for word in row) == sorted(words)
    for row in rows:
        assert all(left[1] <= right[0] for left, right in pairwise(row))
    depth = max((sum(s <= p < e for s, e in words) for p in range(14)), default=0)
    assert len(rows) == depth  # as few rows as will do


def test_a_lattice_is_a_picture_of_boxes() -> None:
    root = ElementTree.fromstring(lattice_svg(["<", "京"], [(0, 2)]))
    kinds = [child.tag.rpartition("}")[2] for child in root]
    assert kinds == ["rect", "text"] * 3
    assert [child.text for child in root if child.text and child.text.strip()] == ["<", "京", "<京"]


def test_attention_is_a_table_of_shades() -> None:
    weights = [[1.0, 0.0, 0.0], [0.1, 0.3, 0.6]]
    assert attention_lines(["南", "ab"], ["南", "京", "南京"], weights) == [
        "       南",
        "   南京京",
        "南 ██     1",
        "ab ░░▒▒▓▓ 3",
    ]


def test_shades() -> None:
    assert [shade(weight, 1.0) for weight in (0.0, 1e-9, 0.25, 0.5, 0.75, 1.0)] == [
        0,
        1,
        2,
        3,
        4,
        4,
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_lines_of_attention_are_as_wide_as_their_keys(row: list[float]) -> None:
    keys = [chr(0x4E00 + place) for place in range(len(row))]
    head, line = attention_lines(["问"], keys, [row])
    kept = str(sum(weight > 0 for weight in row))
    assert cell_len(head) == 3 + 2 * len(row)
    assert line.endswith(kept) and line.startswith("问 ")


def test_attention_is_a_picture_of_squares() -> None:
    root = ElementTree.fromstring(
        attention_svg(["南", "京"], ["南", "南京"], [[1.0, 0], [0.25, 0.75]])
    )
    squares = [child for child in root if child.tag.endswith("rect")]
    assert [square.get("fill-opacity") for square in squares] == ["1.000", None, "0.250", "0.750"]
    texts = [child.text for child in root if child.tag.endswith("text")]
    assert texts == ["南", "京", "南", "京", "南"]
    assert ElementTree.fromstring(attention_svg(["a"], ["b"], [[0.0]])) is not None
