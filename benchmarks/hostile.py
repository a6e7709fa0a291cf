"""The record of the hostile cases, and the table of it on the page of promises.

`make hostile` runs the cases and writes the record; `python -m benchmarks.tables` writes the table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import RESULTS, describe
from fenjie.files import atomic

RECORD = RESULTS / "hostile.json"

HEAD = """\
| kind | cases | failures | peak memory (MiB) | slowest (ms per character) | date | commit |
|---|---|---|---|---|---|---|"""


def write(path: Path, kinds: Sequence[dict[str, Any]], seed: int, share: float) -> None:
    """Write the outcomes of some kinds, in the place of older ones of these kinds.

    Args:
        path: the record; a new one where there is none.
        kinds: a `tests.hostile.case.Outcome` as a table, for each.
        seed: what the cases were made from.
        share: the share of them that was run.
    """
    old = read(path) if path.exists() else []
    machine = describe()
    about = {name: machine.pop(name) for name in ("date", "commit")}
    found = {kind["kind"]: kind for kind in old}
    found |= {kind["kind"]: kind | about | {"seed": seed, "share": share} for kind in kinds}
    with atomic(path) as file:
        text = json.dumps(
            {"machine": machine, "kinds": list(found.values())}, ensure_ascii=False, indent=2
        )
        file.write_text(text + "\n", encoding="utf-8")


def read(path: Path = RECORD) -> list[dict[str, Any]]:
    """The outcomes of all kinds."""
    kinds: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["kinds"]
    return kinds


def markdown(kinds: Sequence[dict[str, Any]]) -> str:
    """A table of outcomes, a kind a row, and of their sum."""
    rows = [HEAD, *map(_row, sorted(kinds, key=lambda kind: str(kind["kind"])))]
    slowest = [kind["slowest"] for kind in kinds if kind["slowest"] is not None]
    total = {
        "kind": "**all**",
        "cases": sum(kind["cases"] for kind in kinds),
        "failures": sum(kind["failures"] for kind in kinds),
        "memory": max(kind["memory"] for kind in kinds),
        "slowest": max(slowest, default=None),
    }
    return "\n".join([*rows, _row(total)]) + "\n"


def _row(kind: dict[str, Any]) -> str:
    slowest = "–" if kind["slowest"] is None else f"{kind['slowest']:.2f}"
    return (
        f"| {kind['kind']} | {kind['cases']:,} | {kind['failures']:,} | {kind['memory']:,.0f} "
        f"| {slowest} | {kind.get('date', '')[:10]} | {kind.get('commit', '')} |".replace("  ", " ")
    )
