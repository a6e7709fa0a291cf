"""The kinds of hostile cases."""

from __future__ import annotations

from collections.abc import Callable

from tests.hostile import commands, files, folders, kills, memory, recipes, texts
from tests.hostile.case import Outcome, measured

Run = Callable[[Outcome, float, int], None]
"""Runs a share of the cases of a kind that follow from a seed."""


def _reading(run: Callable[[Outcome, str, float, int], None], model: str) -> Run:
    return lambda outcome, share, seed: run(outcome, model, share, seed)


KINDS: dict[str, Run] = {
    "random texts, entities": _reading(texts.run, "ner"),
    "random texts, words": _reading(texts.run, "segment"),
    "damaged annotated files": files.run,
    "re-sealed model folders": folders.run,
    "recipe fields": recipes.run,
    "stopped, killed, full disk": kills.run,
    "random command lines": commands.run,
    "costly texts, entities": _reading(memory.run, "ner"),
    "costly texts, words": _reading(memory.run, "segment"),
}
"""By name, those that take longest first."""


def one(job: tuple[str, float, int]) -> Outcome:
    """Run a kind."""
    kind, share, seed = job
    return measured(kind, lambda outcome: KINDS[kind](outcome, share, seed))
