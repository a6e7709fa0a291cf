"""Entities in traditional characters: the shipped model on MSRA's test set, as it is and converted.

Run `python -m benchmarks.traditional` with FENJIE_DATA set and the extra `traditional` installed.
Each character is converted for itself (OpenCC s2t), so that offsets stay; real traditional text
differs in more than its characters, so this is an upper bound.
"""

from __future__ import annotations

import opencc

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run
from fenjie.corpus import read
from fenjie.evaluation.entity_scores import EntityScores, score
from fenjie.evaluation.shares import per_cent
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence


def main() -> None:
    """Score both, print and save them."""
    parser(__doc__).parse_args()
    gold = list(read(locate("ner/msra/test.bio")))
    convert = opencc.OpenCC("s2t").convert
    other = [Sentence("".join(map(convert, s.text)), s.spans) for s in gold]
    tagger = fenjie.load("ner")
    scores: dict[str, EntityScores] = {}
    for name, sentences in (("simplified", gold), ("traditional", other)):
        found = tagger([s.text for s in sentences])
        scores[name] = score(sentences, found, set())
        print(f"{name:<12} F1 {per_cent(scores[name].f1)}")
    save("traditional", {name: made.f1 for name, made in scores.items()})


if __name__ == "__main__":
    run(main)
