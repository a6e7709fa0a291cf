"""Speed of tagging with the shipped model of entities, matching and decoding included.

    python -m benchmarks.tagging

Sentences of Resume's test set, one thread, as many a call as named. Times are CPU time, in turns;
the fastest pass counts. Needs no torch. Writes `benchmarks/results/tagging.json`.
"""

from __future__ import annotations

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.timing import fastest
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

PASSES = 9


def main() -> None:
    """Time each size of call, print and save sentences per second."""
    parser(__doc__).parse_args()
    texts = [sentence.text for sentence in read(locate("ner/resume/test.char.bmes")).sentences]
    tagger = fenjie.load("ner")

    def tag(size: int) -> None:
        for at in range(0, len(texts), size):
            tagger(texts[at : at + size])

    sizes = {f"{size} a call": size for size in (1, 16, len(texts))}
    times = fastest({name: lambda size=size: tag(size) for name, size in sizes.items()}, PASSES)
    speeds = {name: round(len(texts) / seconds) for name, seconds in times.items()}
    result = {
        "command": typed(),
        "sentences": len(texts),
        "characters": sum(map(len, texts)),
        "sentences_per_second": speeds,
    }
    save("tagging", result)
    print(result)


if __name__ == "__main__":
    run(main)
