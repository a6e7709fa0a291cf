"""The words that two segmentations of one text have in common, as `diff` finds them."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fenjie.evaluation.alignment import matched

SEGMENTED = st.lists(st.text("ab", min_size=1, max_size=3), max_size=12)


@given(SEGMENTED, SEGMENTED)
def test_matched_is_a_common_subsequence(left: list[str], right: list[str]) -> None:
    common = [word for word, found in zip(left, matched(left, right), strict=True) if found]
    rest = iter(right)
    assert all(word in rest for word in common)
    # The same number is common from the other side.
    assert sum(matched(right, left)) == len(common)


@given(SEGMENTED)
def test_all_is_matched_with_itself(words: list[str]) -> None:
    assert all(matched(words, words))


@pytest.mark.skipif(shutil.which("diff") is None, reason="there is no diff here")
@pytest.mark.parametrize("seed", range(40))
def test_equals_diff(seed: int, tmp_path: Path) -> None:
    """Two segmentations of one text, from short to long, from alike to wild."""
    chance = random.Random(seed)
    length = chance.choice([20, 100, 400, 2000])
    letters = "abcdefghijklmnop"[: chance.choice([2, 4, 16])]
    text = "".join(chance.choices(letters, k=length))
    first = [chance.random() < 0.5 for _ in text]
    differ = chance.choice([0.02, 0.2, 0.5])
    second = [edge ^ (chance.random() < differ) for edge in first]
    left, right = ([*cut(text, edges)] for edges in (first, second))
    names = []
    for name, words in (("left", left), ("right", right)):
        (tmp_path / name).write_text("".join(f"{word}\n" for word in words))
        names.append(str(tmp_path / name))
    shown = subprocess.run(
        ["diff", "--old-line-format=-", "--new-line-format=", "--unchanged-line-format=+", *names],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "".join("+" if found else "-" for found in matched(left, right)).count("+") == (
        shown.count("+")
    )
    ours = sorted(word for word, found in zip(left, matched(left, right), strict=True) if found)
    theirs = sorted(word for word, mark in zip(left, shown, strict=True) if mark == "+")
    assert ours == theirs


def cut(text: str, edges: list[bool]) -> list[str]:
    words, start = [], 0
    for place, edge in enumerate(edges[:-1], 1):
        if edge:
            words.append(text[start:place])
            start = place
    return [*words, text[start:]]
