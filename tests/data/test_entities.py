"""Entity scores and splits on the benchmark data."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fenjie.corpus import read
from fenjie.corpus.splits import in_blocks, last_share
from fenjie.corpus.statistics import measure
from fenjie.evaluation.entity_scores import score
from fenjie.files import read_lines
from fenjie.text.schemes import encode
from fenjie.text.span import Sentence, Span

seqeval = pytest.importorskip("seqeval.metrics")
scheme = pytest.importorskip("seqeval.scheme")

pytestmark = pytest.mark.data

FILES = {
    "ner/resume/test.char.bmes": 1_630,
    "ner/weibo/test.all.bmes": 414,
    "ner/weibo/weiboNER_2nd_conll.test": 414,
    "ner/msra/test.bio": 6_181,
}


def worse(chance: random.Random, sentence: Sentence, labels: list[str]) -> Sentence:
    """Entities lost, relabelled and cut short."""
    spans = []
    for span in sentence.spans:
        if (dice := chance.random()) < 0.7:
            spans.append(span)
        elif dice < 0.8:
            spans.append(Span(span.start, span.end, chance.choice(labels)))
        elif dice < 0.9 and span.end - span.start > 1:
            spans.append(Span(span.start + 1, span.end, span.label))
    return Sentence(sentence.text, tuple(spans))


@pytest.mark.parametrize("name", FILES)
def test_the_scores_of_seqeval(data: Path, name: str) -> None:
    gold = read(data / name).sentences
    labels = sorted({span.label for sentence in gold for span in sentence.spans})
    chance = random.Random(1)
    predicted = [worse(chance, sentence, labels) for sentence in gold]
    scores = score(gold, predicted)
    assert scores.gold == FILES[name]
    tags = [[encode(s.spans, len(s.text), "BIOES") for s in side] for side in (gold, predicted)]
    report = seqeval.classification_report(
        *tags, mode="strict", scheme=scheme.IOBES, output_dict=True, zero_division=0
    )
    for row, counts in {"micro avg": scores.counts, **scores.labels}.items():
        assert report[row]["support"] == counts.gold
        assert report[row]["precision"] == pytest.approx(counts.precision)
        assert report[row]["recall"] == pytest.approx(counts.recall)
        assert report[row]["f1-score"] == pytest.approx(counts.f1)


def test_entities_without_a_first_tag(data: Path) -> None:
    """Four in Weibo's test: the published count and seqeval's strict one leave them out."""
    tags: list[list[str]] = [[]]
    for _, line in read_lines(data / "ner/weibo/test.all.bmes"):
        if line.strip():
            tags[-1].append(line.split()[-1].replace("M-", "I-"))
        else:
            tags.append([])
    tags = [row for row in tags if row]
    strict = seqeval.classification_report(
        tags, tags, mode="strict", scheme=scheme.IOBES, output_dict=True, zero_division=0
    )
    assert strict["micro avg"]["support"] == 414
    lenient = seqeval.classification_report(tags, tags, output_dict=True, zero_division=0)
    assert lenient["micro avg"]["support"] == 418


def test_the_dev_set_of_msra_is_like_the_whole(data: Path) -> None:
    """Entities in a thousand characters: 34 in all, 35 in blocks, 20 in the last tenth."""
    sentences = read(data / "ner/msra/train.lines_approx.bio").sentences

    def density(sentences: list[Sentence]) -> float:
        counted = measure(sentences)
        return 1000 * counted.entities.total() / counted.characters

    assert round(density(sentences)) == 34
    assert round(density(in_blocks(sentences, 0.1)[1])) == 35
    assert round(density(last_share(sentences, 0.1)[1])) == 20
