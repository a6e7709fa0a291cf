"""The pairs of characters and words are those that their spans give."""

from __future__ import annotations

from fenjie.nn.incidence import Incidence
from tests.lattices import sentences, wider


def test_pairs() -> None:
    given = wider(sentences([9, 1, 5, 23], [7, 0, 4, 30]))
    found = Incidence.of(given)
    for row, (length, many) in enumerate(zip(given.lengths, given.words, strict=True)):
        for word in range(given.start.shape[1]):
            first, last = int(given.start[row, word]), int(given.end[row, word])
            for place in range(given.ids.shape[1]):
                real = place < length and word < many
                pair = (row, place, word)
                assert found.begins[pair] == (real and place == first)
                assert found.inside[pair] == (real and first <= place <= last)
                assert found.ends[pair] == (real and place == last)
                assert found.around[pair] == (real and place in (first - 1, last + 1))
