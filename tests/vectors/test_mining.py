"""Words are mined where a stretch holds together and stands in many surroundings."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from fenjie.vectors.mining import COHESION, SHARE, VARIETY, mine

OTHERS = "一二三四五六七八九十百千万天地人水火山石田土"


def made(words: list[str], size: int = 400, seed: int = 1) -> str:
    """Lines of words among characters by chance."""
    chance = np.random.default_rng(seed)
    lines = []
    for _ in range(size):
        around = ["".join(chance.choice(list(OTHERS), 12)) for _ in range(2)]
        lines.append(around[0] + words[chance.integers(len(words))] + around[1])
    return "\n".join(lines)


def literal(text: str, word: str) -> tuple[int, float, float]:
    """The occurrences, the cohesion and the variety of a word, by the book."""
    total = sum(character != "\n" for character in text)
    times = text.count(word)
    parts = [(word[:split], word[split:]) for split in range(1, len(word))]
    cohesion = min(math.log(times * total / (text.count(a) * text.count(b))) for a, b in parts)
    padded = f"\n{text}\n"
    places = [place for place in range(len(padded)) if padded.startswith(word, place)]
    entropies = []
    for shift in (-1, len(word)):
        seen = Counter(padded[place + shift] for place in places)
        ends = seen.pop("\n", 0)
        entropy = -sum(count / times * math.log(count / times) for count in seen.values())
        entropies.append(entropy + ends / times * math.log(times))
    return times, cohesion, min(entropies)


def test_words_and_their_reasons() -> None:
    text = made(["杭州亚运会", "华为", "拼多多"])
    found = {one.word: one for one in mine(text, 10)}
    assert {"杭州亚运会", "华为", "拼多多"} <= set(found)
    for one in found.values():
        times, cohesion, variety = literal(text, one.word)
        assert one.times == times
        assert one.cohesion == pytest.approx(cohesion) and one.cohesion >= COHESION
        assert one.variety == pytest.approx(variety) and one.variety >= VARIETY
    assert not {"杭州", "亚运会", "州亚运会", "拼多", "多多"} & set(found), "parts of longer words"


def test_what_is_no_word() -> None:
    text = made(["哈哈哈哈", "２０２０", "好。很"]) + "\nABAB\nABAB"
    assert not {one.word for one in mine(text, 5)} & {"哈哈", "哈哈哈", "哈哈哈哈", "好很", "AB"}
    assert list(mine("", 1)) == []
    assert list(mine("\n\0 abc", 1)) == []
    assert SHARE < 1


def test_rare_stretches_are_left_out() -> None:
    text = made(["华为", "拼多多"], size=30)
    seen = text.count("华为")
    assert "华为" in {one.word for one in mine(text, seen)}
    assert "华为" not in {one.word for one in mine(text, seen + 1)}
