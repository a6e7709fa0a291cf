"""Speed of tagging with models of entities, matching and decoding included.

    python -m benchmarks.tagging
    python -m benchmarks.tagging MODEL …

Sentences of Resume's test set, one thread, as many a call as named. Times are CPU time, in turns;
the fastest pass counts. Needs no torch. Without a name the shipped models are timed, and
`benchmarks/results/tagging.json` is written.
"""

from __future__ import annotations

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.timing import fastest
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

MODELS = ("ner", "ner-small")

PASSES = 9


def main() -> None:
    """Time each size of call, print and save sentences per second."""
    reader = parser(__doc__)
    reader.add_argument("models", nargs="*", help="model folders, or names of shipped models")
    models = reader.parse_args().models or MODELS
    texts = [sentence.text for sentence in read(locate("ner/resume/test.char.bmes")).sentences]
    characters = sum(map(len, texts))
    taggers = {name: fenjie.load(name) for name in models}

    def tag(name: str, size: int) -> None:
        for at in range(0, len(texts), size):
            taggers[name](texts[at : at + size])

    ways = {
        f"{name}, {size} a call": lambda name=name, size=size: tag(name, size)
        for name in models
        for size in (1, 16, len(texts))
    }
    times = fastest(ways, PASSES)
    result = {
        "command": typed(),
        "sentences": len(texts),
        "characters": characters,
        "sentences_per_second": {way: round(len(texts) / time) for way, time in times.items()},
        "characters_per_second": {way: round(characters / time) for way, time in times.items()},
    }
    if models is MODELS:
        save("tagging", result)
    print(result)


if __name__ == "__main__":
    run(main)
