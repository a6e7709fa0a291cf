"""The card of a model: its README.md."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

import torch

from fenjie import __version__
from fenjie.evaluation.shares import per_cent
from fenjie.evaluation.standard_scores import StandardScores
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.recipe.recipe import Recipe, dumps
from fenjie.store import provenance
from fenjie.tasks.task import Scores


@dataclass(frozen=True)
class Origin:
    """The training run that a model comes from.

    Attributes:
        name: of the model.
        command: the command that trained it.
        epoch: the epoch in which it was best on dev, counted from 1.
        step: the step after which it was.
        seconds: of training up to that step.
        processes: number of processes that trained it.
        device: the name of the processor.
        dev: its scores on dev.
        test: its scores on each test file.
    """

    name: str
    command: str
    epoch: int
    step: int
    seconds: float
    processes: int
    device: str
    dev: Scores
    test: Mapping[str, Scores]


def card(recipe: Recipe, origin: Origin, parameters: int) -> str:
    """The model card: data, scores, command, seed, machine, versions."""
    training = recipe.training
    title, counts, held_out = _KINDS[recipe.task]
    train = _listed(name for part in recipe.data.parts for name in part.train)
    best = ", ".join(dev_of(part, held_out) for part in recipe.data.parts)
    lexicons = "".join(
        f"- shown the words of the dictionary `{name}` where they occur\n"
        for name in recipe.vocabulary.lexicon
    )
    start = f"- starts from the weights of `{training.start}`\n" if training.start else ""
    heads = list(origin.dev.figures)
    rows = [*_dev(origin.dev), *((f"`{name}`", scores) for name, scores in origin.test.items())]
    table = "\n".join(
        f"| {name} | {' | '.join(map(per_cent, scores.figures.values()))} |"
        for name, scores in rows
    )
    processes = f"{origin.processes} process{'es' if origin.processes > 1 else ''}"
    return f"""\
# {origin.name}

A model of fenjie for Chinese {title} ({recipe.architecture}, {parameters:,} parameters).

## Data

- trained on {train}
- best epoch chosen on {best}
{lexicons}{start}- the data are not part of the model; their own terms apply

## Scores

In per cent, {counts}.

| data | {" | ".join(heads)} |
|---|{"---|" * len(heads)}
{table}

## Training

- command: `{origin.command}`
- seed {training.seed}; best after step {origin.step:,} (epoch {origin.epoch} of \
{training.epochs}), {origin.seconds / 60:.0f} minutes
- machine: {origin.device}, {processes}, {torch.get_num_threads()} threads
- versions: {versions()}

## Recipe

```toml
{dumps(recipe).rstrip()}
```
"""


def dev_of(part: DataRecipe | CorpusRecipe, held_out: str) -> str:
    """What the sentences of dev are: files, or a share of one, held out in some way."""
    if isinstance(part.dev, float):
        return f"{part.dev:.0%} of `{part.train[0]}`, {held_out}"
    return _listed(part.dev)


def _dev(scores: Scores) -> list[tuple[str, Scores]]:
    """The rows of a table for dev: one, or one for each standard."""
    if not isinstance(scores, StandardScores):
        return [("dev", scores)]
    return [(f"dev, {name}", own) for name, own in scores.standards.items()]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


LAST = "the last"
"""How `fenjie.corpus.splits.last_share` holds sentences out."""

_KINDS = {
    "segment": ("word segmentation", "by the counts of the official SIGHAN script", LAST),
    "ner": ("named entities", "by exact spans and labels", "in blocks spread over it"),
}
"""By task: the title of a card, the unit of its scores, the sentences held out."""


def versions() -> str:
    """The versions of fenjie, Python and the libraries that compute."""
    others = (f"{name} {version(name)}" for name in ("torch", "accelerate", "numpy"))
    return ", ".join([f"fenjie {__version__}", f"Python {platform.python_version()}", *others])


def machine(device: torch.device) -> str:
    """The processor that trains, in words."""
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    return provenance.cpu()
