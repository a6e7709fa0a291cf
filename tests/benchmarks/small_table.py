"""A table of two rows with its recipes, and what their runs leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.reproduce.runs import Job
from fenjie.recipe.derived import self_contained

TABLE = """\
title = "One and another"
source = "Table 1"
paper = "someone-2020"

[data.weibo]
title = "Weibo"
seeds = 2

[data.resume]
title = "Resume"
seeds = 1

[rows.one]
title = "One"
recipes = { weibo = "recipes/one.toml", resume = "recipes/one-resume.toml" }
published = { weibo = 60.3, resume = 95.45 }

[rows.other]
title = "Other"
recipes = { weibo = "recipes/more/other.toml" }
published = { weibo = 58 }
baseline = "one"
bert = true
"""

RECIPE = '[data]\ntrain = ["train.txt"]\ntest = ["test.txt"]\n\n[training]\nepochs = {epochs}\n'


def write_repository(root: Path) -> None:
    """Write the table and its recipes where a repository has them."""
    for name, text in {
        "recipes/tables/small.toml": TABLE,
        "recipes/one.toml": RECIPE.format(epochs=1),
        "recipes/one-resume.toml": RECIPE.format(epochs=2),
        "recipes/more/other.toml": RECIPE.format(epochs=3),
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def finish(job: Job, f1: float = 0.5) -> None:
    """Leave what a finished run leaves."""
    (job.folder / "model").mkdir(parents=True)
    text = self_contained(Path(job.recipe)).decode() + f"seed = {job.seed}\n"
    (job.folder / "recipe.toml").write_text(text, encoding="utf-8")
    card = f"- seed {job.seed}; best after step 9\n- machine: one\n  and more\n- data: none\n"
    (job.folder / "model" / "README.md").write_text(card, encoding="utf-8")
    scores = {"seed": job.seed, "dev": {"f1": f1}, "test": {"test.txt": {"f1": f1}}}
    (job.folder / "scores.json").write_text(json.dumps(scores), encoding="utf-8")


def run(seed: int, f1: float) -> dict[str, Any]:
    return {"seed": seed, "dev": {"f1": f1}, "test": {"test.txt": {"f1": f1}}}
