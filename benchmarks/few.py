"""F1 of `recipes/flat.toml` on the test set of Resume after training on few sentences.

    python -m benchmarks.few [--start MODEL]

50, 200 and 1,000 sentences of Resume's training set are drawn, with three seeds. Each draw is
trained on with the recipe as it stands, a tenth of it held out as dev, and once more with
`steps = 0`, where an epoch is one pass. Writes `benchmarks/results/few.json`.

With `--start` each draw of 50 sentences is trained on by the recipe `flat-from-ner`, but from the
weights of a model that has not seen Resume, such as `runs/ner-without-resume` of
`fenjie train recipes/ner-without-resume.toml`; names and titles begin from its persons and
positions. Writes `benchmarks/results/few-started.json`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read, write
from fenjie.recipe.recipe import Recipe, load, locate
from fenjie.text.span import Sentence
from fenjie.training.run import own_data, run_training

SIZES, SEEDS = (50, 200, 1000), (1, 2, 3)
TEST = "ner/resume/test.char.bmes"
LABELS = {"NAME": "PER", "TITLE": "POSITION"}
"""The labels of Resume that begin from one of another name."""


def main() -> None:
    """Train on each draw, print and save the scores."""
    options = parser(__doc__)
    options.add_argument("--start", help="the folder of a model or a run to start from")
    start = options.parse_args().start
    sentences = read(locate("ner/resume/train.char.bmes")).sentences
    if start is not None:
        row = {"sentences": SIZES[0]} | drawn(started(start), sentences, SIZES[0], TEST)
        print(row, flush=True)
        save("few-started", {"command": typed(), "seeds": SEEDS, "rows": [row]})
        return
    recipe = load(ROOT / "recipes" / "flat.toml")
    recipe = replace(recipe, vocabulary=replace(recipe.vocabulary, vectors=str(ROOT / "vectors")))
    once = replace(recipe, training=replace(recipe.training, steps=0))
    rows = []
    for size in SIZES:
        row = {"sentences": size}
        for name, each in (("as it is", recipe), ("steps = 0", once)):
            row[name] = drawn(each, sentences, size, TEST)
        rows.append(row)
        print(row, flush=True)
    save("few", {"command": typed(), "seeds": SEEDS, "rows": rows})


def started(start: str) -> Recipe:
    """The recipe `flat-from-ner` from another model, with what Resume's labels begin from."""
    recipe = load(Path("flat-from-ner"))
    model = str(Path(start).resolve())
    return replace(recipe, training=replace(recipe.training, start=model, start_labels=LABELS))


def drawn(recipe: Recipe, sentences: Sequence[Sentence], size: int, test: str) -> dict[str, Any]:
    """F1 on a test file in per cent, after learning from each draw of so many sentences."""
    scores = [scored(recipe, sentences, size, seed, test) for seed in SEEDS]
    return {"test": scores, "mean": mean(scores), "deviation": stdev(scores)}


def scored(recipe: Recipe, sentences: Sequence[Sentence], size: int, seed: int, test: str) -> float:
    """F1 on a test file in per cent, after learning from some sentences drawn at random."""
    some = random.Random(seed).sample(sentences, size)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write(some, folder / "train.jsonl", "jsonl")
        path = str(locate(test))
        data = replace(own_data(folder), test=(path,))
        training = replace(recipe.training, seed=seed)
        result = run_training(replace(recipe, data=data, training=training), folder / "run")
    return 100 * result.test[path].f1


if __name__ == "__main__":
    run(main)
