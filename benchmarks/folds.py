"""F1 of recipes on dev and on five folds of their training file, pooled.

    python -m benchmarks.folds RECIPES… [--folds 5] [--work build/folds]

For settings between which one dev set cannot choose. The training file is cut into stretches of
consecutive sentences of nearly the same number. Each recipe learns as it stands, scored on its dev,
and once for each stretch from all the others, scored on this one; the counts are added. Test is not
scored. Of two recipes the folds are the same, so their scores are paired. Scores of finished runs
are kept in the work folder, so that the command can be stopped, or run beside another with other
recipes there. Writes `benchmarks/results/folds.json`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read, write
from fenjie.errors import FenjieError
from fenjie.evaluation.entity_scores import Counts, EntityScores
from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe, dumps, load, locate
from fenjie.text.span import Sentence
from fenjie.training.run import run_training

Split = tuple[Sequence[Sentence], Sequence[Sentence]]
"""The sentences to train on, and those of dev."""


def main() -> None:
    """Train, print and save the scores of each recipe."""
    options = parser(__doc__, folds=(5, "parts of the training file"))
    options.add_argument("recipes", nargs="+", type=Path, help="recipes of named entities")
    options.add_argument("--work", type=Path, default=Path("build/folds"), help="keeps the scores")
    chosen = options.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    rows = {path.as_posix(): row_of(path, chosen.folds, chosen.work) for path in chosen.recipes}
    for name, row in rows.items():
        parts = " ".join(f"{100 * Counts(*counts).f1:.2f}" for counts in row["parts"])
        print(f"{name}: {row['f1']:.2f} (dev and each fold: {parts})")
    save("folds", {"command": typed(), "rows": rows})


def row_of(path: Path, folds: int, work: Path) -> dict[str, Any]:
    """The counts on dev and on each fold, and F1 of their sum in per cent."""
    recipe = load(path)
    if recipe.task != "ner" or len(recipe.data.train) != 1:
        raise FenjieError(f"{path}: folds are of one training file of named entities")
    name = f"{path.stem}-{sha256(dumps(recipe).encode()).hexdigest()[:8]}"
    parts = [scored(recipe, work / f"{name}-dev.json", None)]
    sentences = read(locate(recipe.data.train[0])).sentences
    for fold, split in enumerate(stretches(sentences, folds), start=1):
        parts.append(scored(recipe, work / f"{name}-{fold}-of-{folds}.json", split))
    return {"f1": 100 * together(parts).f1, "parts": parts}


def stretches(sentences: Sequence[Sentence], folds: int) -> list[Split]:
    """Each stretch of consecutive sentences, behind all the others.

    Raises:
        FenjieError: there are fewer than two folds, or fewer sentences than folds.
    """
    if not 2 <= folds <= len(sentences):
        raise FenjieError(f"found {folds} folds of {len(sentences)} sentences; expected 2 or more")
    ends = [len(sentences) * fold // folds for fold in range(folds + 1)]
    return [
        ([*sentences[:start], *sentences[end:]], sentences[start:end])
        for start, end in pairwise(ends)
    ]


def scored(recipe: Recipe, kept: Path, split: Split | None) -> Counts:
    """The counts of entities on dev; those kept, where there are any.

    Args:
        recipe: what is trained.
        kept: the file for the counts.
        split: what is trained on and scored; None = as the recipe says.
    """
    if kept.exists():
        return Counts(*json.loads(kept.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        data = replace(recipe.data, test=())
        if split is not None:
            names = [folder / "train.jsonl", folder / "dev.jsonl"]
            for name, sentences in zip(names, split, strict=True):
                write(sentences, name, "jsonl")
            data = replace(data, train=(str(names[0]),), dev=(str(names[1]),), format=None)
        dev = run_training(replace(recipe, data=data), folder / "run").dev
    assert isinstance(dev, EntityScores)
    with atomic(kept) as file:
        file.write_text(json.dumps(dev.counts), encoding="utf-8")
    return dev.counts


def together(parts: Sequence[Counts]) -> Counts:
    """The sums of gold, predicted and correct entities."""
    return Counts(*map(sum, zip(*parts, strict=True)))


if __name__ == "__main__":
    run(main)
