"""Roles within other words."""

from __future__ import annotations

import pytest

from benchmarks.silver.roles import is_part, positions, roles_in
from fenjie.text.span import Span

ROLE = Span(0, 2, "POSITION", 0.9)


@pytest.mark.parametrize(
    ("text", "words", "part"),
    [
        ("记者会开始了", {0, 3, 5, 6}, True),
        ("记者会问问题", {0, 2, 3, 4, 6}, False),  # a word ends after the role
        ("记者会见来宾", {0, 2, 4, 6}, False),
        ("护士长来了", {0, 3, 5}, False),  # a role, too
        ("记者", {0, 2}, False),
    ],
)
def test_a_role_that_a_word_goes_on_after_is_none(text: str, words: set[int], part: bool) -> None:
    assert is_part(ROLE, text, words) is part
    assert not is_part(Span(0, 2, "PER"), text, words)


def test_the_longest_role_is_sought() -> None:
    assert positions().findall("研究生和学生") == ["研究生", "学生"]
    assert roles_in("记者会和学生证，记者来了") == {"记者会", "学生证"}
