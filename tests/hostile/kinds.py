"""The kinds of hostile cases."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from tests.hostile.case import Outcome, measured

Run = Callable[[Outcome, float, int], None]
"""Runs a share of the cases of a kind that follow from a seed."""


def _cases(module: str, *model: str) -> Run:
    """A kind whose module is imported when it runs: some load PyTorch, which takes memory."""

    def run(outcome: Outcome, share: float, seed: int) -> None:
        import_module(f"tests.hostile.{module}").run(outcome, *model, share, seed)

    return run


KINDS: dict[str, Run] = {
    "random texts, entities": _cases("texts", "ner"),
    "random texts, words": _cases("texts", "segment"),
    "damaged annotated files": _cases("files"),
    "re-sealed model folders": _cases("folders"),
    "recipe fields": _cases("recipes"),
    "stopped, killed, full disk": _cases("kills"),
    "random command lines": _cases("commands"),
    "costly texts, entities": _cases("memory", "ner"),
    "costly texts, words": _cases("memory", "segment"),
}
"""By name, those that take longest first."""


def one(job: tuple[str, float, int]) -> Outcome:
    """Run a kind."""
    kind, share, seed = job
    return measured(kind, lambda outcome: KINDS[kind](outcome, share, seed))
