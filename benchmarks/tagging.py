"""Speed of tagging with the shipped model of entities, matching and decoding included.

    python -m benchmarks.tagging

Sentences of Resume's test set, one thread, as many a call as named; passes in turn, the median
counts. Needs no torch. Writes `benchmarks/results/tagging.json`.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import fenjie
from benchmarks.machine import save
from fenjie.corpus import read

PASSES = 5


def main() -> None:
    """Time each size of call, print and save sentences a second."""
    path = Path(os.environ["FENJIE_DATA"]) / "ner" / "resume" / "test.char.bmes"
    texts = [sentence.text for sentence in read(path).sentences]
    tagger = fenjie.load("ner")
    times: dict[int, list[float]] = {1: [], 16: [], len(texts): []}
    for turn in range(PASSES + 1):  # the first is warm-up
        for size, found in times.items():
            calls = [texts[at : at + size] for at in range(0, len(texts), size)]
            begin = time.perf_counter()
            for part in calls:
                tagger(part)
            if turn:
                found.append(time.perf_counter() - begin)
    speeds = {
        f"{size} a call": round(len(texts) / statistics.median(found))
        for size, found in times.items()
    }
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
