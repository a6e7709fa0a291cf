"""The best path with a bonus for user words, against all sets of words."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.words.preferred import (
    BONUS,
    ENTITY_BONUS,
    PER_CHARACTER,
    choose,
    entity_bonus,
    least_weight,
    word_bonus,
)
from fenjie.runtime.words.user_words import UserWords
from fenjie.text.normalise import Normaliser


def loss(words: list[tuple[int, int]], odds: list[float]) -> float:
    """What the model loses where these words are found."""
    begin = {edge for word in words for edge in word if edge < len(odds)}
    inside = {place for low, high in words for place in range(low + 1, high)} - begin
    return sum(max(-odds[place], 0.0) for place in begin) + sum(
        max(odds[place], 0.0) for place in inside
    )


def best(words: list[tuple[int, int, float]], odds: list[float]) -> float:
    """The most that any set of words that are not over each other gains."""
    gains = [0.0]
    for size in range(1, len(words) + 1):
        for some in combinations(sorted(words), size):
            if all(one[1] <= two[0] for one, two in pairwise(some)):
                places = [word[:2] for word in some]
                gains.append(sum(word[2] for word in some) - loss(places, odds))
    return max(gains)


@pytest.mark.parametrize("seed", range(60))
def test_the_path_is_the_best_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    length = 9
    odds = random.normal(0, 4, length).round(2)
    start = random.integers(0, length - 1, 7)
    end = start + random.integers(1, 4, 7).clip(max=length - start)
    bonus = random.uniform(0, 8, 7).round(2)
    chosen = choose(start, end, bonus, odds.astype(np.float32))
    words = [(int(start[n]), int(end[n])) for n in chosen]
    assert all(one[1] <= two[0] for one, two in pairwise(words))
    gain = sum(bonus[n] for n in chosen) - loss(words, odds.tolist())
    every = list(zip(start.tolist(), end.tolist(), bonus.tolist(), strict=True))
    assert gain == pytest.approx(best(every, odds.tolist()), abs=1e-4)


def test_where_the_model_is_not_asked_nothing_is_lost() -> None:
    odds = np.array([np.nan, np.inf, -np.inf, np.nan], dtype=np.float32)
    place = np.array([0])
    assert choose(place, place + 4, np.array([0.1]), odds).tolist() == [0]


def test_of_words_that_are_worth_the_same_the_longer_is_found() -> None:
    odds = np.full(6, np.nan, dtype=np.float32)
    for start, end in ([1, 2], [5, 5]), ([1, 1], [4, 5]), ([1, 2], [3, 5]):
        sizes = np.subtract(end, start)
        chosen = choose(np.array(start), np.array(end), np.ones(2), odds)
        assert chosen.tolist() == [sizes.argmax()]


def test_weights_are_bonuses() -> None:
    weights, two = np.array([10.0, 100.0, 0.0, 1.0]), np.array([2] * 4)
    for usual, bonus in (BONUS, word_bonus(weights, two)), (ENTITY_BONUS, entity_bonus(weights)):
        assert bonus[0] == usual
        assert bonus[1] - usual == pytest.approx(np.log(10))
        assert bonus[2] == bonus[3] == pytest.approx(usual - np.log(10))
    longer = word_bonus(np.full(3, 10.0), np.array([2, 3, 7])) - BONUS
    assert longer.tolist() == [0, PER_CHARACTER, 5 * PER_CHARACTER]
    single = word_bonus(weights, np.array([1] * 4)) - BONUS
    less = -PER_CHARACTER - np.log(10)
    assert single.tolist() == pytest.approx([-PER_CHARACTER, -PER_CHARACTER, less, less])
    words = UserWords(Normaliser())
    words.add("服务", weight=0)
    for wrong in (-1, float("nan"), float("inf"), 10**400, "5", True):
        with pytest.raises(FenjieError, match="not a weight of a user word"):
            words.add("和服", weight=wrong)
        with pytest.raises(FenjieError, match="not a weight of a user word"):
            words.add({"和服": wrong})
    assert list(words) == ["服务"]
    for weight in (np.int64(1000), np.float32(1000)):  # as a table of pandas' has them
        words.add({"和服": weight})
        assert words.known["和服"].weight == 1000


@pytest.mark.parametrize("odds", [[3.0], [12.0], [9.0, -2.0, 8.0, np.inf], [40.0, 30.0], [5000.0]])
def test_the_least_weight_is_enough_and_half_of_it_too_little(odds: list[float]) -> None:
    known = np.array([np.nan, *odds], dtype=np.float32)
    start, end = np.array([0]), np.array([len(known)])
    weight = least_weight(known)

    def is_found(weight: float) -> bool:
        bonus = word_bonus(np.array([weight], dtype=float), end - start)
        return len(choose(start, end, bonus, known)) == 1

    assert is_found(weight) == (odds != [5000.0])
    assert weight == 1 or not is_found(weight / 2)


@pytest.fixture(scope="module", params=["segment", "segment-fast"])
def segment(request: pytest.FixtureRequest) -> Segmenter:
    return fenjie.load(request.param)


def test_a_word_is_found_where_the_model_allows(segment: Segmenter) -> None:
    tagger = segment.copy()
    tagger.words.add("和服")
    assert "和服" in tagger.cut("她穿和服")
    assert tagger.cut("商品和服务") == ["商品", "和", "服务"]
    tagger.words.add("和服", force=True)
    assert tagger.cut("商品和服务") == ["商品", "和服", "务"]
    tagger.words.add("和服", weight=10)
    assert tagger.cut("商品和服务") == ["商品", "和", "服务"]


def test_a_long_word_is_found_though_the_model_cuts_it(segment: Segmenter) -> None:
    tagger, text = segment.copy(), "他在北京市第一中级人民法院工作"
    assert tagger.cut(text) == ["他", "在", "北京市", "第一", "中级", "人民法院", "工作"]
    tagger.words.add("北京市第一中级人民法院")
    assert tagger.cut(text) == ["他", "在", "北京市第一中级人民法院", "工作"]


def test_a_dictionary_with_its_frequencies_parts_no_words(segment: Segmenter) -> None:
    tagger, text = segment.copy(), "他在北京大学读书"
    dictionary = {"北京": 34488, "大学": 20025, "北京大学": 2053, "读书": 4031}
    tagger.words.add({**dict.fromkeys(text, 300_000.0), **dictionary})
    assert "".join(found := tagger.cut(text)) == text
    assert {"他", "在", "读书"} <= set(found)
    assert not {"北", "京", "大", "学", "读", "书"} & set(found)
