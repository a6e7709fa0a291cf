"""Models of entities outside of the news that they learnt from: posts on Weibo, and résumés.

    python -m benchmarks.outside [MODEL…]

Scored by exact spans and labels are the named persons, places and organisations of Weibo NER (its
geo-political entities are places to MSRA; nominal mentions such as "mother" do not count), and the
persons and organisations of Resume NER (its few countries and places are left out). It is the
training sets that are read, of which a model of MSRA has seen nothing, so that the test sets stay
unseen. Writes `benchmarks/results/outside.json`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import fenjie
from benchmarks.machine import save
from fenjie.corpus import read
from fenjie.evaluation.entities import score
from fenjie.text.span import Sentence, Span
from fenjie.training.recipe import locate

CORPORA = {
    "ner/weibo/weiboNER_2nd_conll.train": {
        "PER.NAM": "PER",
        "LOC.NAM": "LOC",
        "GPE.NAM": "LOC",
        "ORG.NAM": "ORG",
    },
    "ner/resume/train.char.bmes": {"NAME": "PER", "ORG": "ORG"},
}
"""The files, and the labels that count, as MSRA calls them."""


def main() -> None:
    """Score the models, print and save."""
    names = sys.argv[1:] or ["ner"]
    result = {
        "command": " ".join(["python -m benchmarks.outside", *sys.argv[1:]]),
        "found": {
            name: {file: scored(name, file, CORPORA[file]) for file in CORPORA} for name in names
        },
    }
    save("outside", result)
    for name, files in result["found"].items():
        for file, scores in files.items():
            print(name, file, {label: value["f1"] for label, value in scores.items()})


def scored(model: str, file: str, labels: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Precision, recall and F1 over all labels, and of each."""
    gold = [renamed(sentence, labels) for sentence in read(locate(file)).sentences]
    kept = {label: label for label in labels.values()}
    found = fenjie.load(model)([sentence.text for sentence in gold])
    scores = score(gold, [renamed(sentence, kept) for sentence in found])
    shown = {"all": scores.counts, **scores.labels}
    return {
        label: {
            "gold": counts.gold,
            "precision": round(counts.precision, 4),
            "recall": round(counts.recall, 4),
            "f1": round(counts.f1, 4),
        }
        for label, counts in shown.items()
    }


def renamed(sentence: Sentence, labels: Mapping[str, str]) -> Sentence:
    """The sentence with the spans of some labels alone, these by another name."""
    spans = (
        Span(span.start, span.end, labels[span.label])
        for span in sentence.spans
        if span.label in labels
    )
    return Sentence(sentence.text, tuple(spans))


if __name__ == "__main__":
    main()
