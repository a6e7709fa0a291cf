"""The card of a distilled model: its README.md."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from fenjie import __version__
from fenjie.distillation.distill_recipe import DistillRecipe
from fenjie.evaluation.shares import per_cent
from fenjie.evaluation.word_scores import WordScores
from fenjie.store.card import LAST, dev_of
from fenjie.store.provenance import cpu


def card(
    path: Path,
    recipe: DistillRecipe,
    copy: bytes,
    dev: WordScores,
    test: Mapping[str, WordScores],
    characters: int,
    minutes: float,
) -> str:
    """The model card: data, scores, command, machine, versions, recipe.

    Args:
        path: the recipe's file.
        recipe: the recipe.
        copy: its text, with that of its bases.
        dev: the scores on dev.
        test: those on each test file.
        characters: the number of characters that the teacher has cut.
        minutes: the time that it took.
    """
    rows = [("dev", dev), *((f"`{name}`", scores) for name, scores in test.items())]
    table = "\n".join(
        f"| {name} | {' | '.join(map(per_cent, scores.figures.values()))} |"
        for name, scores in rows
    )
    texts = "\n".join(f"  - `{text.path}`" for text in recipe.texts)
    heads = " | ".join(dev.figures)
    return f"""\
# {path.stem}

A model of fenjie for Chinese word segmentation: linear, n-grams around each gap, numpy alone.

## Data

- {characters / 1e6:.1f} million characters of raw text, cut by the segmenter `{recipe.teacher}`:
{texts}
- then {", ".join(f"`{name}`" for name in recipe.data.train)}
- dev is {dev_of(recipe.data, LAST)}
- the model holds weights of hashes of n-grams, not the data; their own terms apply

## Scores

In per cent, by the counts of the official SIGHAN script.

| data | {heads} |
|---|{"---|" * len(dev.figures)}
{table}

## Training

- command: `fenjie distill {path}`
- seed {recipe.training.seed}, {minutes:.0f} minutes
- machine: {cpu()}, 1 process
- versions: fenjie {__version__}, Python {platform.python_version()}, torch {version("torch")}, \
numpy {version("numpy")}

## Recipe

```toml
{copy.decode().rstrip()}
```
"""
