"""The best path with a bonus for preferred entities, against all sets of them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from fenjie.runtime.decoding.crf import NO_TAG, viterbi
from fenjie.runtime.decoding.entities import Decoder, EntityColumns
from fenjie.runtime.decoding.preferences import Preferences, choose
from fenjie.runtime.words.preferred import WITHIN
from fenjie.text.tags import TagSet


def make(seed: int) -> tuple[TagSet, np.ndarray, np.ndarray, np.ndarray, Preferences]:
    """Tags, scores of some sentences, their lengths, transitions and preferred entities."""
    random = np.random.default_rng(seed)
    tags = TagSet(["LOC", "PER"])
    lengths = random.integers(1, 8, 3)
    scores = random.normal(0, 2, (3, int(lengths.max()), len(tags)))
    table = random.normal(0, 1, (len(tags) + 2, len(tags)))
    table[:-2][~tags.allowed] = table[-2][~tags.begins] = table[-1][~tags.ends] = -np.inf
    row = random.integers(0, 3, 8)
    start = random.integers(0, lengths[row])
    end = np.minimum(start + random.integers(1, 4, 8), lengths[row])
    columns = np.unique(np.stack([row, start, end], axis=1), axis=0).T
    size = columns.shape[1]
    bonus = random.uniform(0, 8, size)
    return tags, scores, lengths, table, Preferences(*columns, random.integers(0, 2, size), bonus)


def decoded(tags: TagSet, scores: np.ndarray, table: np.ndarray, some: list) -> tuple[float, set]:
    """The score of the best path that has some entities, and all the entities on it."""
    length = len(scores)
    fixed = np.full((1, length), NO_TAG)
    scores = scores.copy()
    for _, start, end, label, _ in some:
        fixed[0, start:end] = tags.path(tags.labels[label], end - start)
        if end < length:
            scores[end, ~tags.begins] = -np.inf
    masked = np.where((fixed[0] != NO_TAG)[:, None], -np.inf, scores)
    places = np.arange(length)
    masked[places, fixed[0]] = np.where(fixed[0] != NO_TAG, scores[places, fixed[0]], 0)
    masked = np.where((fixed[0] == NO_TAG)[:, None], scores, masked)
    path = viterbi(masked[None], np.array([length]), table)[0]
    value = masked[places, path].sum() + table[:-2][path[:-1], path[1:]].sum()
    spans = {(s.start, s.end, tags.labels.index(s.label)) for s in tags.decode(path)}
    return float(value + table[-2, path[0]] + table[-1, path[-1]]), spans


def best(tags: TagSet, scores: np.ndarray, table: np.ndarray, words: list) -> float:
    """The score of the best path, of all sets of entities that are not over each other."""
    found = [decoded(tags, scores, table, [])[0]]
    for size in range(1, len(words) + 1):
        for some in combinations(sorted(words), size):
            if all(one[2] <= two[1] for one, two in pairwise(some)):
                value, _ = decoded(tags, scores, table, list(some))
                found.append(value + sum(word[4] for word in some))
    return max(found)


@pytest.mark.parametrize("seed", range(20))
def test_the_path_is_the_best_one(seed: int) -> None:
    tags, scores, lengths, table, words = make(seed)
    chosen = choose(scores, lengths, table, tags, words)
    every = list(zip(*(column.tolist() for column in words), strict=True))
    for row, length in enumerate(lengths.tolist()):
        those = [word for word in every if word[0] == row]
        some = sorted(word for word, on in zip(every, chosen, strict=True) if on and word[0] == row)
        assert all(one[2] <= two[1] for one, two in pairwise(some))
        value, spans = decoded(tags, scores[row, :length], table, some)
        value += sum(word[4] for word in some)
        assert value == pytest.approx(best(tags, scores[row, :length], table, those), abs=1e-4)
        assert {word[1:4] for word in some} <= spans
        assert not {word[1:4] for word in those} - {word[1:4] for word in some} & spans


def within(words: Preferences, found: EntityColumns, offsets: np.ndarray) -> list[bool]:
    """Which entities lie within a longer one that was found."""
    spans = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    starts, ends = (offsets[words.row] + edge for edge in (words.start, words.end))
    return [
        any(low <= start and end <= high and high - low > end - start for low, high in spans)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


@pytest.mark.parametrize("seed", range(10))
def test_the_decoder_finds_the_entities_of_the_best_path(seed: int) -> None:
    tags, scores, lengths, table, words = make(seed)
    decode = Decoder(tags, table, with_confidence=True)
    scores[:, 0, 1] = -np.inf  # as where a rule decides
    offsets = np.array([0, 100, 200])
    nothing = np.full(scores.shape[:2], NO_TAG)
    made = decode(scores, lengths, offsets, nothing, preferred=words)
    plain = decode(scores, lengths, offsets, nothing)
    longer = within(words, plain, offsets)
    less = words._replace(bonus=words.bonus - WITHIN * np.array(longer))
    chosen = words.only(choose(scores, lengths, table, tags, less))
    found = set(zip(*(column.tolist() for column in made[:3]), strict=True))
    for row, start, end, label, _ in zip(*chosen, strict=True):
        assert (offsets[row] + start, offsets[row] + end, label) in found
    assert ((made.confidence >= 0) & (made.confidence <= 1)).all()
    assert (np.diff(made.start) > 0).all()
    no_words = words.only(np.zeros(len(words.row), bool))
    none = decode(scores, lengths, offsets, nothing, preferred=no_words)
    for one, other in zip(plain, none, strict=True):
        assert one.tolist() == other.tolist()


def test_the_bonus_is_in_the_probability() -> None:
    tags = TagSet(["PER"])
    table = np.where(np.concatenate((tags.allowed, [tags.begins, tags.ends])), 0.0, -np.inf)
    scores = np.zeros((1, 1, len(tags)))
    one = np.array([0])
    word = Preferences(one, one, one + 1, one, np.array([np.log(3.0)]))
    found = Decoder(tags, table, with_confidence=True)(scores, one + 1, one, None, None, word)
    assert found.confidence.tolist() == pytest.approx([0.75])  # 3 to 1, where it was 1 to 1


@pytest.mark.parametrize("ends", [[1, 2], [2, 1]])
def test_of_entities_that_cost_the_same_the_longer_one_is_found(ends: list[int]) -> None:
    tags = TagSet(["PER"])
    table = np.where(np.concatenate((tags.allowed, [tags.begins, tags.ends])), 0.0, -np.inf)
    none = np.zeros(2, int)
    words = Preferences(none, none, np.array(ends), none, np.array([5.0, 5.0]))
    chosen = choose(np.zeros((1, 2, len(tags))), np.array([2]), table, tags, words)
    assert words.end[chosen].tolist() == [2]


@pytest.mark.parametrize(("bonus", "label", "end"), [(7.0, 1, 3), (13.0, 0, 2)])
def test_within_a_longer_entity_the_bonus_is_less(bonus: float, label: int, end: int) -> None:
    tags = TagSet(["LOC", "ORG"])
    table = np.where(np.concatenate((tags.allowed, [tags.begins, tags.ends])), 0.0, -np.inf)
    scores = np.zeros((1, 3, len(tags)))
    scores[0, np.arange(3), tags.path("ORG", 3)] = 1.0  # 3 more than any other path
    one = np.array([0])
    word = Preferences(one, one, one + 2, one, np.array([bonus]))
    found = Decoder(tags, table)(scores, one + 3, one, None, None, word)
    assert (found.start[0], found.end[0], found.label[0]) == (0, end, label)
