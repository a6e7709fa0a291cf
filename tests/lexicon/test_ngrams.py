"""Hashed n-grams around each gap."""

from __future__ import annotations

import numpy as np

from fenjie.lexicon import Lexicon
from fenjie.lexicon.longest import JointLexicons
from fenjie.lexicon.ngrams import TEMPLATES, WINDOWS, hashed_ngrams
from fenjie.text.vocabulary import code_points

BUCKETS = 1 << 20


def hashed(*texts: str, words: tuple[str, ...] = ()) -> np.ndarray:
    """The columns of some texts: `[characters, columns]`."""
    codes, ends = code_points("".join(texts)), np.cumsum([len(text) for text in texts])
    joint = JointLexicons([Lexicon.build(words)])
    views = [joint.longest_words(codes, ends, np.array([0])).of(0)] if words else []
    return np.stack(hashed_ngrams(codes, ends, views, BUCKETS), axis=1)


def test_a_column_for_each_template_and_two_for_each_lexicon() -> None:
    assert hashed("今天很好").shape == (4, TEMPLATES)
    assert hashed("今天很好", words=("今天",)).shape == (4, TEMPLATES + 2)
    assert hashed("今天很好").max() < BUCKETS


def test_the_same_characters_around_a_gap_have_the_same_numbers() -> None:
    table = hashed("甲今天乙今天丙")
    for window, column in zip(WINDOWS, table.T, strict=True):
        same = set(window) <= {0, 1}  # inside of 今天, whatever stands around it
        assert (column[1] == column[4]) == same
    assert len(set(table[0].tolist())) == TEMPLATES  # templates do not share their numbers


def test_a_text_does_not_see_its_neighbour() -> None:
    together = hashed("今天", "很好", words=("天很", "很好"))
    apart = [hashed("今天", words=("天很", "很好")), hashed("很好", words=("天很", "很好"))]
    assert (together == np.concatenate(apart)).all()


def test_words_at_the_gap_are_told_apart() -> None:
    inside, outside = hashed("今天很好", words=("今天",)), hashed("今天很好", words=("天很",))
    assert (inside[:, :TEMPLATES] == outside[:, :TEMPLATES]).all()
    assert inside[0, TEMPLATES] != outside[0, TEMPLATES]
