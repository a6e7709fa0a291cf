"""Places of words in a piece of any length, as an entity may have that is never cut; labels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.errors import FenjieError
from fenjie.tasks.ner import Entities, labels_of, not_learnt, not_taggable
from fenjie.tasks.partial import PartialTags
from fenjie.text.span import Sentence, Span
from fenjie.text.tags import TagSet


def test_beyond_sixteen_bits() -> None:
    text = "长" * 40_000
    places = np.array([0, 32_767, 39_998])
    words = places, places + 2, np.arange(3), np.ones(3)
    inputs = SimpleNamespace(
        indexer=lambda text: np.zeros((len(text), 1)), words=lambda _: words, pieces=None
    )
    task: Any = SimpleNamespace(inputs=inputs, _tags=PartialTags(TagSet(["LOC"]), [None]))
    sentence = Sentence(text, (Span(0, len(text), "LOC"),))
    example = cast(Any, Entities)._example(task, sentence, 0)
    assert example.start.tolist() == places.tolist()
    assert example.end.tolist() == (places + 1).tolist()


def test_a_label_is_one_line() -> None:
    assert not_taggable(Sentence("北京", (Span(0, 2, "LOC city"),))) is None
    wrong = not_taggable(Sentence("北京", (Span(0, 2, "LOC\ncity"),)))
    assert wrong == "has a label with a line end: 'LOC\\ncity'"
    wrong = not_taggable(Sentence("北京", (Span(0, 2, "LOC\ud800"),)))
    assert wrong == "has a label with a lone surrogate: 'LOC\\ud800'"


def test_words_are_not_learnt_beside_entities() -> None:
    words = Sentence("上海", (Span(0, 2),))
    entities = Sentence("北京", (Span(0, 2, "LOC"),))
    assert labels_of([words]) == ["W"]
    assert labels_of([entities, entities]) == ["LOC"]
    message = r"words \(label W\), as of '上海', beside LOC, as of '北京'$"
    with pytest.raises(FenjieError, match=message):
        labels_of([Sentence("好"), entities, words])


def test_words_tile_their_sentence() -> None:
    words, part = Sentence.from_words(["北京", "好"]), Sentence("北京好", (Span(0, 2),))
    assert not_taggable(words) is None
    assert not_taggable(part) == "is not segmented: its spans are not words that tile it"
    with pytest.raises(FenjieError, match=r"a sentence is not segmented: .*; found '北京好'"):
        labels_of([words, Sentence("北京好")])


def test_labels_that_no_training_sentence_has() -> None:
    assert not_learnt(["LOC", "PER"], {"PER"}) == ""
    assert not_learnt(["LOC", "PER"], {"per", "PER", "Loc"}).endswith("as missed: Loc, per")
    for learnt, scored in (["LOC"], {"LOC", "W"}), (["W"], {"LOC"}):
        with pytest.raises(FenjieError, match="learnt apart: the training files have"):
            not_learnt(learnt, scored)
