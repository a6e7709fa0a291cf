"""Grapheme clusters, and the edges of emoji."""

from __future__ import annotations

import pytest

from fenjie.runtime.rules.graphemes import clusters
from fenjie.text.vocabulary import code_points


def parts(text: str) -> list[str]:
    """The clusters of a text."""
    found = clusters(code_points(text))
    inside = [False] * len(text) if found is None else found[0].tolist()
    made: list[str] = []
    for character, goes_on in zip(text, inside, strict=True):
        if goes_on:
            made[-1] += character
        else:
            made.append(character)
    return made


@pytest.mark.parametrize(
    "expected",
    [
        ["商", "品", "a", "，"],
        ["e\u0301", "x", "한", "\u1112\u1161\u11ab"],
        ["👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3"],
        ["🇨🇳", "🇯🇵", "🇨", "x"],
        ["\r", "\n", "\u0301"],
    ],
)
def test_clusters(expected: list[str]) -> None:
    assert parts("".join(expected)) == expected


def test_plain_text_has_no_clusters() -> None:
    assert clusters(code_points("商品和服务，abc 12。")) is None


def test_emoji_have_edges() -> None:
    text = "好😀吧🇨🇳x❤\ufe0f"
    found = clusters(code_points(text))
    assert found is not None
    assert [text[i] for i in found[1].nonzero()[0].tolist()] == ["😀", "吧", "🇨", "x", "❤"]
