"""A pre-training run of seconds."""

from __future__ import annotations

from pathlib import Path

from fenjie.pretraining.pretraining import pretrain

RECIPE = """\
texts = ["text.txt"]

[encoder]
characters = 50
dim = 16
layers = 2
heads = 2
hidden = 32
length = 16

[training]
rows = 4
millions = 0.004
keep = [0.002]
evaluate_every = 20
held_out = 8
warmup = 5
checkpoint_minutes = 0.0
"""


def run(output: str, recipe: str = RECIPE, *, resume: bool = False) -> Path:
    Path("recipe.toml").write_text(recipe, encoding="utf-8")
    return pretrain(Path("recipe.toml"), Path(output), resume=resume)
