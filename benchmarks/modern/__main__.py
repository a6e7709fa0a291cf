"""Entities in five pages of sentences of today, by models of entities.

    python -m benchmarks.modern [MODEL…]

Scored are exact spans with their labels, over all sentences of a page and by kind of text: persons,
places and organisations, on the fifth page books, films and songs; other types are left out. Recall
is given apart for mentions that `benchmarks.silver.known_names` lists, which `ner` has learnt to
know by name, and for all others. No model learns from these sentences. A choice may be made by the
second page, whose errors said what a stage of `ner` should mend; the third is a test: no error in
it is read. Errors in the fourth were read, too. The fifth was written before a model had learnt
works from anything but news. Writes `benchmarks/results/modern.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fenjie
from benchmarks.machine import save
from benchmarks.modern import PAGES, TYPES
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.known_names import listed_names
from fenjie.corpus import read
from fenjie.evaluation.entity_scores import score
from fenjie.text.span import Sentence


def main() -> None:
    """Score the models, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner"], help="shipped models or folders")
    models = options.parse_args().models
    found = {
        name: {model: scored(model, page, TYPES[name]) for model in models}
        for name, page in PAGES.items()
    }
    for name, page in PAGES.items():
        print(page.name)
        for model, groups in found[name].items():
            say(model, groups)
    save("modern", {"command": typed(), **found})


def say(model: str, groups: dict[str, dict[str, Any]]) -> None:
    """Print the scores of a model."""
    for name, counts in groups.items():
        shares = [share for share in ("precision", "recall", "f1") if share in counts]
        said = "  ".join(f"{share} {100 * (counts[share] or 0):5.1f}" for share in shares)
        print(f"{model}  {name:13}  {said}", flush=True)


def scored(model: str, page: Path, types: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Scores and counts of a model on a page: over all, by type, and by kind of sentence.

    Args:
        model: its name or folder.
        page: the file.
        types: those that the page marks; others are left out of the answers.
    """
    gold = read(page).sentences
    tagged = fenjie.load(model)([sentence.text for sentence in gold])
    answers = [sentence.only(types) for sentence in tagged]
    scores = score(gold, answers)
    groups = {"all": scores.counts, **{label: scores.labels[label] for label in types}}
    lines = page.read_text(encoding="utf-8").splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    for kind in dict.fromkeys(kinds):
        chosen = [number for number, each in enumerate(kinds) if each == kind]
        part = score([gold[n] for n in chosen], [answers[n] for n in chosen])
        groups[kind] = part.counts
    return {name: counts.as_dict() for name, counts in groups.items()} | recalls(gold, answers)


def recalls(gold: Sequence[Sentence], answers: Sequence[Sentence]) -> dict[str, dict[str, Any]]:
    """Recall of the mentions that are listed names and of the others."""
    listed = listed_names()
    found: dict[str, list[bool]] = {"listed": [], "not listed": []}
    for sentence, answer in zip(gold, answers, strict=True):
        for span in sentence.spans:
            name = "listed" if span.of(sentence.text) in listed else "not listed"
            found[name].append(span in answer.spans)
    return {
        name: {"recall": sum(hits) / len(hits), "gold": len(hits), "correct": sum(hits)}
        for name, hits in found.items()
        if hits
    }


if __name__ == "__main__":
    run(main)
