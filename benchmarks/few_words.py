"""F1 on SXU of a segmenter that learns on from another one, after training on few sentences.

    python -m benchmarks.few_words RUN [--dev]

50, 200 and 1,000 lines of the first nine tenths of SXU's training file are drawn, with three seeds,
and each draw is trained on with the recipe `sams-from-segment`, a tenth of it held out as dev, but
from the weights of a run that has not seen SXU, whose sizes and reading of text it takes, such as
`runs/sams-pku-words` of `fenjie train recipes/sams-pku-words.toml`. Beside it stands the run as it
is. Scored is SXU's test file, or with `--dev` the last tenth of the training file. Writes
`benchmarks/results/few-words.json`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.few import SEEDS, SIZES
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read, write
from fenjie.evaluation.word_scores import score
from fenjie.recipe.recipe import Recipe, load, locate
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from fenjie.text.span import Sentence
from fenjie.training.run import own_data, run_training


def main() -> None:
    """Train on each draw, print and save the scores."""
    options = parser(__doc__)
    options.add_argument("run", type=Path, help="the folder of a run to start from")
    options.add_argument("--dev", action="store_true", help="score the last tenth of train")
    chosen = options.parse_args()
    sentences = read(locate("cws/sxu/train.txt")).sentences
    train, dev = sentences[: -len(sentences) // 10], sentences[-len(sentences) // 10 :]
    gold = dev if chosen.dev else read(locate("cws/sxu/test.txt")).sentences
    before = scored(chosen.run / "model", gold)
    print(f"as it is: {before:.2f}")
    recipe = started(chosen.run)
    rows = []
    for size in SIZES:
        scores = [after(recipe, train, size, seed, gold) for seed in SEEDS]
        row = {"sentences": size, "f1": scores, "mean": mean(scores), "deviation": stdev(scores)}
        rows.append(row)
        print(row, flush=True)
    found: dict[str, Any] = {"scored": "dev" if chosen.dev else "test", "as it is": before}
    save("few-words", {"command": typed(), "seeds": SEEDS, **found, "rows": rows})


def started(folder: Path) -> Recipe:
    """The recipe `sams-from-segment` from a run, with its sizes and its reading of text."""
    recipe, other = load(Path("sams-from-segment")), load(folder / "recipe.toml")
    training = replace(recipe.training, start=str(folder.resolve()))
    return replace(recipe, text=other.text, model=other.model, training=training)


def after(
    recipe: Recipe,
    sentences: Sequence[Sentence],
    size: int,
    seed: int,
    gold: Sequence[Sentence],
) -> float:
    """F1 after learning from some sentences drawn at random, in per cent."""
    drawn = random.Random(seed).sample(sentences, size)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write(drawn, folder / "train.jsonl", "jsonl")
        training = replace(recipe.training, seed=seed)
        result = run_training(
            replace(recipe, data=own_data(folder), training=training), folder / "run"
        )
        return scored(result.model, gold)


def scored(model: Path, gold: Sequence[Sentence]) -> float:
    """F1 of a model, in per cent."""
    found = predict(ModelFolder.open(str(model)), [sentence.text for sentence in gold])
    return 100 * score(gold, found).f1


if __name__ == "__main__":
    run(main)
