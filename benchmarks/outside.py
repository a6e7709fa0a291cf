"""Models of entities outside of the news that they learnt from: posts on Weibo, and résumés.

    python -m benchmarks.outside [MODEL…]

Scored by exact spans and labels are the named persons, places and organisations of Weibo NER (its
geo-political entities are places to MSRA; nominal mentions such as "mother" do not count), and the
persons and organisations of Resume NER (its few countries and places are left out). It is the
training sets that are read, of which a model of MSRA has seen nothing, so that the test sets stay
unseen. Writes `benchmarks/results/outside.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.evaluation.entity_scores import score
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

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
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner"], help="shipped models or folders")
    names = options.parse_args().models
    found = {name: scored(name) for name in names}
    save("outside", {"command": typed(), "found": found})
    for name, files in found.items():
        for file, counts in files.items():
            print(name, file, {label: round(value["f1"], 4) for label, value in counts.items()})


def scored(model: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Scores and counts on each file, over all labels and of each."""
    tagger, found = fenjie.load(model), {}
    for file, labels in CORPORA.items():
        gold = [renamed(sentence, labels) for sentence in read(locate(file)).sentences]
        kept = {label: label for label in labels.values()}
        tagged = [renamed(sentence, kept) for sentence in tagger([s.text for s in gold])]
        scores = score(gold, tagged)
        found[file] = {
            label: counts.as_dict()
            for label, counts in {"all": scores.counts, **scores.labels}.items()
        }
    return found


def renamed(sentence: Sentence, labels: Mapping[str, str]) -> Sentence:
    """The sentence with the spans of some labels alone, these by another name."""
    spans = (
        Span(span.start, span.end, labels[span.label])
        for span in sentence.spans
        if span.label in labels
    )
    return Sentence(sentence.text, tuple(spans))


if __name__ == "__main__":
    run(main)
