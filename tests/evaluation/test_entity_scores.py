"""Entity scores, against seqeval and by hand."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict
from typing import Any

import pytest

from fenjie.errors import FenjieError
from fenjie.evaluation.entity_scores import BANDS, Counts, EntityScores, band, mentions, score
from fenjie.text.schemes import encode
from fenjie.text.span import Sentence, Span

seqeval = pytest.importorskip("seqeval.metrics")
scheme = pytest.importorskip("seqeval.scheme")


def sentence(text: str, *spans: tuple[int, int, str]) -> Sentence:
    return Sentence(text, tuple(sorted(Span(*span) for span in spans)))


def random_sentence(random: random.Random, length: int, labels: str) -> Sentence:
    spans, place = [], 0
    while (place := place + random.randrange(4)) < length:
        end = min(place + random.randrange(1, 5), length)
        spans.append(Span(place, end, random.choice(labels)))
        place = end
    return Sentence("字" * length, tuple(spans))


def noisy(random: random.Random, gold: Sentence, labels: str) -> Sentence:
    """A prediction that is often right."""
    other = random_sentence(random, len(gold.text), labels)
    cut = random.randrange(len(gold.text) + 1)
    spans = [s for s in gold.spans if s.end <= cut] + [s for s in other.spans if s.start >= cut]
    return Sentence(
        gold.text,
        tuple(
            Span(s.start, s.end, random.choice(labels)) if random.random() < 0.2 else s
            for s in spans
        ),
    )


def by_seqeval(gold: list[Sentence], predicted: list[Sentence]) -> dict[str, dict[str, Any]]:
    """The report of seqeval, which reads tags: a span is B I… E, or S."""
    sides = [[encode(s.spans, len(s.text), "BIOES") for s in side] for side in (gold, predicted)]
    return seqeval.classification_report(  # type: ignore[no-any-return]
        *sides, mode="strict", scheme=scheme.IOBES, output_dict=True, zero_division=0
    )


def agree(scores: EntityScores, report: dict[str, dict[str, Any]]) -> None:
    rows = {"micro avg": scores.counts, **scores.labels}
    assert {*report} - {"macro avg", "weighted avg"} == {*rows}
    for name, counts in rows.items():
        theirs = report[name]
        assert theirs["support"] == counts.gold
        for key, value in (
            ("precision", counts.precision),
            ("recall", counts.recall),
            ("f1-score", counts.f1),
        ):
            assert theirs[key] == pytest.approx(0 if math.isnan(value) else value, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_scores_of_seqeval(seed: int) -> None:
    chance = random.Random(seed)
    labels = "ABC"[: 1 + seed % 3]
    gold = [random_sentence(chance, chance.randrange(1, 30), labels) for _ in range(30)]
    predicted = [noisy(chance, s, labels) for s in gold]
    scores = score(gold, predicted)
    assert 0 < scores.correct < scores.gold
    agree(scores, by_seqeval(gold, predicted))
    # Span F is the score of the same spans under one label.
    bare = [
        [Sentence(s.text, tuple(Span(x.start, x.end, "X") for x in s.spans)) for s in side]
        for side in (gold, predicted)
    ]
    report = by_seqeval(*bare)
    assert scores.span_f1 == pytest.approx(report["micro avg"]["f1-score"])
    # Without overlaps each located entity is one place.
    assert scores.located == scores.spans.correct
    assert scores.type_accuracy == pytest.approx(scores.correct / scores.spans.correct)
    assert sum(c.gold for c in scores.lengths.values()) == scores.gold
    assert sum(c.correct for c in scores.labels.values()) == scores.correct


TEXT = "李雷在北京市海淀区"
GOLD = [
    sentence(TEXT, (0, 2, "PER"), (3, 6, "LOC"), (6, 9, "LOC")),
    sentence("没有"),
    sentence("李雷", (0, 2, "PER")),
]
PREDICTED = [
    sentence(TEXT, (0, 2, "ORG"), (3, 5, "LOC"), (6, 9, "LOC")),
    sentence("没有", (0, 1, "PER")),
    sentence("李雷", (0, 2, "PER")),
]


def test_counts_by_hand() -> None:
    scores = score(GOLD, PREDICTED)
    assert scores.counts == (4, 5, 2)
    assert (scores.precision, scores.recall, scores.f1) == (2 / 5, 2 / 4, 4 / 9)
    assert scores.spans == (4, 5, 3)
    assert (scores.span_f1, scores.type_accuracy) == (6 / 9, 2 / 3)
    assert scores.labels == {"LOC": (2, 2, 1), "ORG": (0, 1, 0), "PER": (2, 2, 1)}
    assert scores.lengths == {"1": (0, 1, 0), "2": (2, 3, 1), "3": (2, 1, 1)}
    assert (scores.seen, scores.unseen) == (None, None)


def test_seen_is_text_and_label() -> None:
    training = [
        sentence("李雷海淀区", (0, 2, "PER"), (2, 5, "ORG")),
        Sentence.from_words(["北京市"]),
    ]
    known = mentions(training)
    assert known == {("李雷", "PER"), ("海淀区", "ORG")}
    scores = score(GOLD, PREDICTED, known)
    assert scores.seen == (2, 1, 1)
    assert scores.unseen == (2, 4, 1)
    assert scores.figures["seen recall"] == scores.figures["unseen recall"] == 0.5
    assert math.isnan(score(GOLD, PREDICTED).figures["seen recall"])
    assert score(GOLD, PREDICTED, set()).seen == (0, 0, 0)


def test_a_span_counts_once_and_overlapping_spans_each() -> None:
    gold = [sentence("北京大学", (0, 4, "ORG"), (0, 4, "ORG"), (0, 2, "LOC"), (0, 4, "LOC"))]
    predicted = [sentence("北京大学", (0, 4, "ORG"), (0, 4, "ORG"), (0, 4, "PER"))]
    scores = score(gold, predicted)
    assert scores.counts == (3, 2, 1)
    assert scores.spans == (2, 1, 1)
    assert scores.located == 2
    assert scores.type_accuracy == 0.5


def test_words_are_no_entities() -> None:
    words = Sentence.from_words(["北京", "好"])
    assert score([words], [words]).counts == (0, 0, 0)


def test_confidence_is_not_compared() -> None:
    sure = Sentence("北京", (Span(0, 2, "LOC", 0.9),))
    assert score([sentence("北京", (0, 2, "LOC"))], [sure]).f1 == 1


def test_scores_survive_json() -> None:
    for known in (None, {("李雷", "PER")}):
        scores = score(GOLD, PREDICTED, known)
        again = EntityScores(**json.loads(json.dumps(asdict(scores))))
        assert again == scores == EntityScores(**json.loads(json.dumps(vars(scores))))
        assert isinstance(again.spans, Counts)
        assert json.loads(json.dumps(scores.as_dict(), allow_nan=False)) == again.as_dict()


def test_nothing_to_count() -> None:
    scores = score([Sentence("没有")], [Sentence("没有")])
    assert math.isnan(scores.f1) and math.isnan(scores.type_accuracy)
    assert scores.as_dict()["f1"] is None
    assert scores.labels == {}


def test_bands() -> None:
    assert [band(n) for n in (1, 2, 3, 4, 5, 6, 7, 9, 10, 99)] == [
        *("1", "2", "3", "4", "5–6", "5–6", "7–9", "7–9", "10+", "10+"),
    ]  # fmt: skip
    assert list(score(GOLD, PREDICTED).lengths) == [name for name in BANDS if name in "123"]


def test_sentences_that_do_not_correspond() -> None:
    with pytest.raises(FenjieError, match="1 predicted sentences for 3 gold"):
        score(GOLD, PREDICTED[:1])
    with pytest.raises(
        FenjieError,
        match="sentence 2: the prediction has another text from character 1 on; found '有'",
    ):
        score(GOLD, [PREDICTED[0], Sentence("有"), PREDICTED[2]])


def test_texts_that_differ_far_behind_are_shown_where_they_do() -> None:
    text = "一二三四五六七八九十" * 10
    with pytest.raises(
        FenjieError,
        match="from character 96 on; found '…六七八九十一二三四五甲七八九十', "
        "expected '…六七八九十一二三四五六七八九十'",
    ):
        score([Sentence(text)], [Sentence(text[:95] + "甲七八九十")])
    with pytest.raises(FenjieError, match="character 91 on; found '…一二三四五六七八九十', exp"):
        score([Sentence(text)], [Sentence(text[:90])])
