"""Lists of persons with nothing between the names, by a model of entities, on MSRA's test set.

    python -m benchmarks.lists [MODEL…]

Scored are the names of persons in the sentences that list some: as they stand, and with the marks
between the names taken out (`fenjie.tasks.lists`), as a list stands whose spaces were lost; and
in the sentences that have such lists of their own, ten names or more in a row. Of all sentences but
these, all entities are scored.
Writes `benchmarks/results/lists.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.evaluation.entity_scores import score
from fenjie.recipe.recipe import locate
from fenjie.tasks.lists import without_marks
from fenjie.text.span import Sentence

LABEL = "PER"

MANY = 9
"""Neighbours in a sentence with a list that has no marks."""


def main() -> None:
    """Score the models, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner"], help="shipped models or folders")
    names = options.parse_args().models
    sentences = list(read(locate("ner/msra/test.bio")))
    made = [(sentence, without_marks(sentence, {LABEL})) for sentence in sentences]
    others = [sentence for sentence in sentences if neighbours(sentence) < MANY]
    sets = {
        "with marks": [sentence for sentence, other in made if other],
        "marks taken out": [other for _, other in made if other],
        "long lists without marks": [s for s in sentences if neighbours(s) >= MANY],
    }
    found: dict[str, dict[str, object]] = {}
    for name in names:
        tagger = fenjie.load(name)
        found[name] = {}
        for kind, some in sets.items():
            counts = score(some, tagger([s.text for s in some]), set()).labels[LABEL]
            row = {"sentences": len(some), "names": counts.gold, "f1": round(counts.f1, 4)}
            found[name][kind] = row
            print(name, kind, row)
        rest = score(others, tagger([s.text for s in others]), set()).f1
        found[name]["all entities of the others"] = {
            "sentences": len(others),
            "f1": round(rest, 4),
        }
        print(name, "all entities of the others", found[name]["all entities of the others"])
    save("lists", {"command": typed(), "label": LABEL, "found": found})


def neighbours(sentence: Sentence) -> int:
    """The number of persons that stand right after another."""
    persons: Sequence[tuple[int, int]] = [
        (span.start, span.end) for span in sentence.spans if span.label == LABEL
    ]
    return sum(left[1] == right[0] for left, right in pairwise(persons))


if __name__ == "__main__":
    run(main)
