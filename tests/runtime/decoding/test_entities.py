"""From the scores of tags to entities."""

from __future__ import annotations

from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np
import pytest

from fenjie.runtime.decoding.crf import NO_TAG
from fenjie.runtime.decoding.entities import Decoder
from fenjie.text.tags import TagSet

TAGS = TagSet(["LOC", "PER"])


def table(legal: bool = True) -> np.ndarray:
    """Transitions that only forbid what no scheme allows, if that."""
    allowed = np.concatenate((TAGS.allowed, [TAGS.begins, TAGS.ends]))
    return np.where(allowed | (not legal), 0.0, -np.inf).astype(np.float32)


def scores(*rows: str) -> np.ndarray:
    """Scores that make each row's tags by far the best: `[batch, length, tags]`."""
    tags = [row.split() for row in rows]
    made = np.zeros((len(rows), max(map(len, tags)), len(TAGS.tags)), np.float32)
    for number, row in enumerate(tags):
        for place, tag in enumerate(row):
            made[number, place, TAGS.tags.index(tag)] = 20
    return made


def decoded(decoder: Decoder, *rows: str, **options: Any) -> list[tuple[int, int, str]]:
    """The entities of texts that lie one after another in a row, ten characters apart."""
    lengths = np.array([len(row.split()) for row in rows])
    offsets = 10 * np.arange(len(rows))
    start, end, label, _ = decoder(scores(*rows), lengths, offsets, **options)
    return [
        (first, last, TAGS.labels[number])
        for first, last, number in zip(start.tolist(), end.tolist(), label.tolist(), strict=True)
    ]


ROWS = ("B-LOC E-LOC O S-PER", "S-PER", "O O B-PER M-PER E-PER")
FOUND = [(0, 2, "LOC"), (3, 4, "PER"), (10, 11, "PER"), (22, 25, "PER")]


@pytest.mark.parametrize("legal", [True, False])
def test_the_best_tags_become_entities(legal: bool) -> None:
    assert decoded(Decoder(TAGS, table(legal)), *ROWS) == FOUND


def test_tags_that_no_scheme_allows_are_repaired() -> None:
    assert decoded(Decoder(TAGS, table(legal=False)), "M-LOC E-LOC O B-PER") == [
        (0, 2, "LOC"), (3, 4, "PER"),
    ]  # fmt: skip


def test_fixed_tags_win() -> None:
    fixed = np.full((1, 4), NO_TAG)
    fixed[0, 1:3] = [TAGS.tags.index("B-PER"), TAGS.tags.index("E-PER")]
    assert decoded(Decoder(TAGS, table()), ROWS[0], fixed=fixed) == [(1, 3, "PER"), (3, 4, "PER")]


def test_a_fixed_entity_does_not_go_on_where_tags_may_be_ill_formed() -> None:
    fixed = np.full((1, 4), NO_TAG)
    fixed[0, 1:3] = [TAGS.tags.index("B-PER"), TAGS.tags.index("E-PER")]
    decoder = Decoder(TAGS, table(legal=False))
    assert decoded(decoder, "O O O E-PER", fixed=fixed) == [(1, 3, "PER")]


@pytest.mark.parametrize("legal", [True, False])
def test_confidence_is_a_probability(legal: bool) -> None:
    decoder = Decoder(TAGS, table(legal), True)
    lengths = np.array([4])
    sure = decoder(scores(ROWS[0]), lengths, np.zeros(1, int))
    unsure = decoder(scores(ROWS[0]) / 10, lengths, np.zeros(1, int))
    assert np.allclose(sure[3], 1, atol=1e-5)
    assert ((unsure[3] > 0) & (unsure[3] < 0.9)).all()
    assert np.isnan(Decoder(TAGS, table())(scores(ROWS[0]), lengths, np.zeros(1, int))[3]).all()


def test_no_entity_begins_or_ends_at_a_closed_edge() -> None:
    tags, random = TagSet(["LOC", "PER"]), np.random.default_rng(1)
    moves = random.normal(size=(len(tags) + 2, len(tags)))
    moves[:-2][~tags.allowed] = moves[-2][~tags.begins] = moves[-1][~tags.ends] = -np.inf
    values = random.normal(size=(8, 4, len(tags)))
    closed = random.random((8, 5)) < 0.4
    start, end, label, _ = Decoder(tags, moves)(
        values, np.full(8, 4), np.zeros(8, int), None, closed
    )
    found = list(zip(start.tolist(), end.tolist(), label.tolist(), strict=True))
    expected = []
    for each, shut in zip(values, closed, strict=True):
        ways = []
        for path in product(range(len(tags)), repeat=4):
            spans = tags.decode(path)
            if not shut[[edge for span in spans for edge in (span.start, span.end)]].any():
                score = each[range(4), path].sum() + moves[path[:-1], path[1:]].sum()
                ways.append((score + moves[-2, path[0]] + moves[-1, path[-1]], spans))
        best = max(ways, key=itemgetter(0))[1]
        expected += [(span.start, span.end, tags.labels.index(span.label)) for span in best]
    assert found == expected


def test_closed_edges_stay_closed_however_sure_the_model_is() -> None:
    """In the sums a forbidden tag is very unlikely; all else may be more so, tag for tag."""
    values = scores(" ".join(["B-LOC", *["M-LOC"] * 38, "E-LOC"]))
    values[0, [0, -1], TAGS.tags.index("M-LOC")] = 10
    closed = np.ones((1, 41), dtype=np.bool_)
    decoder = Decoder(TAGS, table(), with_confidence=True)
    found = decoder(values, np.array([40]), np.zeros(1, int), closed=closed)
    assert not len(found.start)


def test_nothing_to_find() -> None:
    assert decoded(Decoder(TAGS, table(), True), "O O O") == []
