"""Entities in text of a kind that a model has not learnt from: one corpus of five left out.

    python -m benchmarks.outside [CORPUS…] [--model MODEL | --vectors FOLDER | --encoder FOLDER]

The corpora are those of `recipes/outside.toml`, by the names of their folders: msra, resume, weibo,
cluener, youku. For each, a model learns from the four others by that recipe, in
`runs/outside/CORPUS`; a run that was stopped goes on, and one that is finished is not repeated.
With `--vectors` the models start from those of another folder than the recipe's, with `--encoder`
they have a pretrained encoder besides, frozen; both in `runs/outside/CORPUS-FOLDER`. With `--model`
it is this model, a shipped one or a folder, that is scored instead: one that has not learnt from
these corpora.

Scored are exact spans with their labels, as persons, places and organisations, by the types that
the left-out corpus marks, on its training set; so the test sets stay unseen. Writes
`benchmarks/results/outside.json`, where the results of other corpora and models stay.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import fenjie
from benchmarks.held_out import name_of
from benchmarks.machine import RESULTS, ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.errors import FenjieError
from fenjie.evaluation.entity_scores import score
from fenjie.export import export
from fenjie.nn.encoders.pretrained import PretrainedConfig
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.recipe.recipe import Recipe, load
from fenjie.runtime.model_files import ONNX
from fenjie.tasks.corpora import read_sentences
from fenjie.tasks.mapping import LabelMap
from fenjie.tasks.ner import not_taggable
from fenjie.training.loop import SCORES
from fenjie.training.run import run_training

RECIPE = ROOT / "recipes" / "outside.toml"


def main() -> None:
    """Train and score, print and save."""
    recipe = load(RECIPE)
    names = [name_of(corpus) for corpus in recipe.data.corpora]
    options = parser(__doc__)
    options.add_argument("corpora", nargs="*", default=names, metavar="CORPUS", help=str(names))
    group = options.add_mutually_exclusive_group()
    group.add_argument("--model", help="a shipped model or a folder, instead of training")
    group.add_argument("--vectors", help="a folder of vectors, instead of the recipe's")
    group.add_argument("--encoder", help="a folder of a pretrained encoder, beside the vectors")
    chosen = options.parse_args()
    if unknown := set(chosen.corpora) - set(names):
        raise FenjieError(f"no corpus {min(unknown)!r}; expected some of {', '.join(names)}")
    with_these = with_folders(recipe, chosen.vectors, chosen.encoder)
    folder = chosen.vectors or chosen.encoder
    for corpus in recipe.data.corpora:
        if (name := name_of(corpus)) in chosen.corpora:
            model = chosen.model or str(without(with_these, corpus, folder))
            found = scored(model, corpus)
            how = f"left out, {folder}" if folder else "left out"
            keep(chosen.model or how, name, found)
            print(
                name, {label: round(value["f1"], 4) for label, value in found.items()}, flush=True
            )


def with_folders(recipe: Recipe, vectors: str | None, encoder: str | None) -> Recipe:
    """The recipe with other vectors, or a frozen encoder, each a folder in the repository."""
    source = ROOT / (vectors or str(recipe.vocabulary.vectors))
    vocabulary = replace(recipe.vocabulary, vectors=str(source))
    settings = PretrainedConfig(name=str(ROOT / encoder), frozen=True) if encoder else None
    model = replace(recipe.model, pretrained=settings)
    return replace(recipe, vocabulary=vocabulary, model=model)


def without(recipe: Recipe, left_out: CorpusRecipe, suffix: str | None) -> Path:
    """The folder of the model that learns from all corpora but one; trained where it is not yet."""
    kept = tuple(corpus for corpus in recipe.data.corpora if corpus is not left_out)
    made = replace(recipe, data=replace(recipe.data, corpora=kept))
    name = f"{name_of(left_out)}-{Path(suffix).name}" if suffix else name_of(left_out)
    folder = ROOT / "runs" / "outside" / name
    if not (folder / SCORES).exists():
        run_training(made, folder, resume=True)
    if not (folder / "model" / ONNX).exists():
        export(folder / "model")
    return folder / "model"


def scored(model: str, corpus: CorpusRecipe) -> dict[str, dict[str, Any]]:
    """Scores and counts of a model on the training set of a corpus, over all types and of each."""
    labels = LabelMap(corpus)
    files = (read_sentences(name, corpus, not_taggable, labels) for name in corpus.train)
    gold = [sentence.only(corpus.types) for file in files for sentence in file]
    tagged = fenjie.load(model)([sentence.text for sentence in gold])
    scores = score(gold, [sentence.only(corpus.types) for sentence in tagged])
    every = {"all": scores.counts, **scores.labels}
    return {label: counts.as_dict() for label, counts in every.items()}


def keep(model: str, corpus: str, found: dict[str, dict[str, Any]]) -> None:
    """Write a result beside those that are there."""
    path = RESULTS / "outside.json"
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results = dict(old.get("found", {}))
    results[model] = {**results.get(model, {}), corpus: {"command": typed(), **found}}
    save("outside", {"found": results})


if __name__ == "__main__":
    run(main)
