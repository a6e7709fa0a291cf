"""Speed of the shipped models with the code of this checkout beside that of another one.

    git worktree add ../before COMMIT
    python -m benchmarks.trees ../before

PKU's and MSRA's test sentences, one per call and all in one list. Each checkout has a process of
its own with the model loaded; they take turns, one thread each. Times are CPU time, medians of the
turns; the ratio is that of this checkout to the other. Writes `benchmarks/results/trees.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import ONE_THREAD, ROOT, commit, save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

CORPORA = {"segment": "cws/pku/pku_test_gold.utf8", "ner": "ner/msra/test.bio"}
CALLS, LIST = 300, 1500
"""Number of sentences that are tagged one per call, and in one list."""

WORKER = """
import json, sys, time
import fenjie
texts, tagger = json.loads(sys.stdin.readline()), fenjie.load(sys.argv[1])
for line in sys.stdin:
    calls, start = int(line), time.process_time()
    for text in texts[:calls]:
        tagger(text)
    if not calls:
        tagger(texts)
    print(time.process_time() - start, flush=True)
"""


class Tree:
    """A process that tags with the code of a checkout."""

    def __init__(self, tree: Path, model: str, texts: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": str(tree / "src")},
        )
        self._ask(json.dumps(texts))

    def seconds(self, calls: int) -> float:
        """The CPU time of so many texts, one per call; of all in one list where 0."""
        self._ask(str(calls))
        assert self._process.stdout is not None
        return float(self._process.stdout.readline())

    def _ask(self, line: str) -> None:
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def measure(other: Path, model: str, turns: int) -> dict[str, Any]:
    """The times of both checkouts with a model, and their ratio."""
    texts = [sentence.text for sentence in read(locate(CORPORA[model])).sentences][:LIST]
    trees = {"this": Tree(ROOT, model, texts), "other": Tree(other, model, texts)}
    found = {}
    for way, calls in (("one per call", CALLS), ("list", 0)):
        times: dict[str, list[float]] = {name: [] for name in trees}
        for turn in range(turns + 1):
            for name in sorted(trees, reverse=bool(turn % 2)):
                taken = trees[name].seconds(calls)
                if turn:  # the first one warms up
                    times[name].append(taken)
        medians = {name: median(each) for name, each in times.items()}
        found[way] = {
            **{name: round(seconds, 4) for name, seconds in medians.items()},
            "ratio": round(medians["this"] / medians["other"], 3),
        }
    for tree in trees.values():
        tree.close()
    return found


def main() -> None:
    """Time both checkouts, print and save."""
    options = parser(__doc__, turns=(15, "turns that count"))
    options.add_argument("other", type=Path, help="the root of the other checkout")
    given = options.parse_args()
    result: dict[str, Any] = {
        "command": typed(),
        "commits": {"this": commit(ROOT), "other": commit(given.other)},
        "sentences": {"one per call": CALLS, "list": LIST},
        "turns": given.turns,
    }
    for model in CORPORA:
        result[model] = measure(given.other.resolve(), model, given.turns)
        print(model, result[model])
    save("trees", result)


if __name__ == "__main__":
    run(main)
