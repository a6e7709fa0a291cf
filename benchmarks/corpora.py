"""Scores of models of entities on each corpus of `recipes/ner-modern.toml`, by type.

    python -m benchmarks.corpora [MODEL…] [--test]

Scored are exact spans with their labels by the types that a corpus marks, on its held-out part, or
with `--test` on its test files, which CLUENER has not. `names` are the persons, places and
organisations among them, so that models with other types can be compared. MSRA is scored a second
time, as `msra-whole`, without the parts of words that the recipe lists as `unmarked`, and CLUENER,
as `cluener-levels`, with its places parted by `benchmarks.silver.address_levels`. Writes
`benchmarks/results/corpora.json`, with `--test` `corpora-test.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import fenjie
from benchmarks.held_out import RECIPE, held_out, test_files
from benchmarks.machine import save
from benchmarks.modern import NAMES
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.address_levels import PLACE, in_levels
from fenjie.evaluation.entity_scores import score
from fenjie.recipe.recipe import load
from fenjie.tasks.mapping import without_parts
from fenjie.text.span import Sentence


def main() -> None:
    """Score the models, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner", "ner-small"], help="names or folders")
    options.add_argument("--test", action="store_true", help="the test files")
    chosen = options.parse_args()
    corpora = test_files() if chosen.test else held_out()
    types, sentences = corpora["msra"]
    corpora["msra-whole"] = types, unmarked(sentences)
    if "cluener" in corpora:
        types, sentences = corpora["cluener"]
        corpora["cluener-levels"] = types, in_levels(sentences, PLACE)
    found: dict[str, dict[str, Any]] = {}
    for model in chosen.models:
        tagger = fenjie.load(model)
        found[model] = {}
        for name, (types, sentences) in corpora.items():
            answers = tagger([sentence.text for sentence in sentences])
            found[model][name] = scored(sentences, answers, types)
            said = "  ".join(
                f"{group} {100 * (value['f1'] or 0):.2f}"
                for group, value in found[model][name].items()
            )
            print(f"{model}  {name:10}  {said}", flush=True)
    save("corpora-test" if chosen.test else "corpora", {"command": typed(), "found": found})


def unmarked(sentences: Sequence[Sentence]) -> list[Sentence]:
    """MSRA's sentences without the spans that the recipe leaves out."""
    words = load(RECIPE).data.corpora[0].unmarked
    return [without_parts(sentence, words)[0] for sentence in sentences]


def scored(
    gold: Sequence[Sentence], answers: Sequence[Sentence], types: frozenset[str]
) -> dict[str, dict[str, Any]]:
    """Scores and counts over all types that a corpus marks, over names, and of each type."""
    groups = {}
    for group, some in (("all", types), ("names", types.intersection(NAMES))):
        right = [sentence.only(some) for sentence in gold]
        scores = score(right, [sentence.only(some) for sentence in answers])
        groups[group] = scores.counts.as_dict()
        if group == "all":
            labels = {label: counts.as_dict() for label, counts in scores.labels.items()}
    return groups | labels


if __name__ == "__main__":
    run(main)
