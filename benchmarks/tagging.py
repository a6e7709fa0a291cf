"""Speed of tagging with the shipped model of entities, matching and decoding included.

    python -m benchmarks.tagging

Sentences of Resume's test set, one thread, as many a call as named. Times are CPU time, in turns;
the fastest pass counts. Needs no torch. Writes `benchmarks/results/tagging.json`.
"""

from __future__ import annotations

import os
from pathlib import Path

import fenjie
from benchmarks.machine import save
from benchmarks.timing import fastest
from fenjie.corpus import read

PASSES = 9


def main() -> None:
    """Time each size of call, print and save sentences a second."""
    path = Path(os.environ["FENJIE_DATA"]) / "ner" / "resume" / "test.char.bmes"
    texts = [sentence.text for sentence in read(path).sentences]
    tagger = fenjie.load("ner")

    def tag(size: int) -> None:
        for at in range(0, len(texts), size):
            tagger(texts[at : at + size])

    sizes = {f"{size} a call": size for size in (1, 16, len(texts))}
    times = fastest({name: lambda size=size: tag(size) for name, size in sizes.items()}, PASSES)
    speeds = {name: round(len(texts) / seconds) for name, seconds in times.items()}
    result = {
        "command": "python -m benchmarks.tagging",
        "sentences": len(texts),
        "characters": sum(map(len, texts)),
        "sentences_per_second": speeds,
    }
    save("tagging", result)
    print(result)


if __name__ == "__main__":
    main()
