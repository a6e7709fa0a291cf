"""The table and the picture of segmentation tools side by side, from the record of `peers`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT

RECORD = ROOT / "benchmarks" / "results" / "peers.json"
PICTURE = ROOT / "docs" / "images" / "peers.svg"

NAMES = {
    "fenjie": "segment",
    "fenjie-batched": "segment, all lines in one call",
    "fenjie-fast": "segment-fast",
    "fenjie-fast-batched": "segment-fast, all lines in one call",
}
"""What fenjie's tools are called: by their models."""

HEAD = """\
| tool | PKU F1 | characters/s | × jieba | start-up s | peak MiB | installed MiB |
|---|---|---|---|---|---|---|
"""


def measured() -> list[dict[str, Any]]:
    """The rows of the record, the most accurate tool first."""
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["tools"]
    return sorted((row for row in rows if "missing" not in row), key=lambda row: -row["f1"])


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table, and what it says of fenjie's models."""
    return f"{HEAD}{''.join(map(_line, rows))}\n{_said(rows)}\n"


def _said(rows: Sequence[Mapping[str, Any]]) -> str:
    """Sentences on the models of which there are rows, each beside the tool nearest to it."""
    tools = {row["tool"]: row for row in rows}
    said = []
    for model, peer in (("fenjie", "pkuseg"), ("fenjie-fast", "jieba")):
        if {model, peer, f"{model}-batched"} <= tools.keys():
            one, many = (_ratio(tools[way], tools[peer]) for way in (model, f"{model}-batched"))
            points = tools[model]["f1"] - tools[peer]["f1"]
            said.append(
                f"`{NAMES[model]}` has {points:.1f} points more than {peer} and {one:.2f} × its "
                f"speed, {many:.2f} × with all lines in one call."
            )
    return " ".join(said)


def _ratio(row: Mapping[str, Any], peer: Mapping[str, Any]) -> float:
    """The speed of a tool over that of another; over jieba's as in the table."""
    key = "speed_ratio" if peer["tool"] == "jieba" else "characters_per_second"
    ratio: float = row[key] / peer[key]
    return ratio


def _line(row: Mapping[str, Any]) -> str:
    tool = row["tool"]
    name, comma, rest = NAMES.get(tool, tool).partition(",")
    cells = (
        f"**{name}**{comma}{rest}" if tool in NAMES else name,
        f"{row['f1']:.2f}",
        f"{row['characters_per_second']:,}",
        f"{row['speed_ratio']:.2f}",
        f"{row['startup_s']:.2f}",
        f"{row['memory_mib']:.0f}",
        f"{row['installed_mib']:.0f}",
    )
    return f"| {' | '.join(cells)} |\n"


def draw(rows: Sequence[Mapping[str, Any]], path: Path = PICTURE) -> None:
    """Draw accuracy against speed, a point for each tool."""
    from benchmarks.charts import scatter

    points = {
        NAMES.get(row["tool"], row["tool"]).replace(", all lines in one call", " (list)"): (
            row["characters_per_second"],
            row["f1"],
        )
        for row in rows
    }
    own = {name for name in points if name.startswith("segment")}
    labels = "characters a second, one thread", "F1 on PKU's test"
    scatter(path, points, labels, "Accuracy against speed", own)
