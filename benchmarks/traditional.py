"""Entities in traditional characters: shipped models on MSRA's test set, as it is and converted.

Run `python -m benchmarks.traditional` with FENJIE_DATA set and the extra `traditional` installed.
Each character is converted for itself (OpenCC s2t), so that offsets stay; real traditional text
differs in more than its characters, so this is an upper bound.
"""

from __future__ import annotations

import opencc

import fenjie
from benchmarks.machine import save
from benchmarks.modern import NAMES
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.evaluation.entity_scores import score
from fenjie.evaluation.shares import per_cent
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence


def main() -> None:
    """Score both, print and save them."""
    parser(__doc__).parse_args()
    gold = list(read(locate("ner/msra/test.bio")))
    convert = opencc.OpenCC("s2t").convert
    other = [Sentence("".join(map(convert, s.text)), s.spans) for s in gold]
    found: dict[str, dict[str, float | None]] = {}
    for model in ("ner", "ner-small"):
        tagger = fenjie.load(model)
        found[model] = {}
        for name, sentences in (("simplified", gold), ("traditional", other)):
            scores = score(sentences, [s.only(NAMES) for s in tagger([s.text for s in sentences])])
            found[model][name] = scores.f1
            print(f"{model:<10} {name:<12} F1 {per_cent(scores.f1)}", flush=True)
    save("traditional", {"command": typed(), "found": found})


if __name__ == "__main__":
    run(main)
