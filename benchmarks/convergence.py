"""F1 on dev by epoch, of several runs (ATSSA, Figure 5).

    python -m benchmarks.convergence NAME=RUN…

A run is the folder of a finished or interrupted one, its name stands in the picture: for instance
FLAT=runs/flat/weibo-short-1 ATSSA=runs/atssa-weibo-1. Reads their logs, writes
`benchmarks/results/convergence.json` and `docs/images/convergence.svg`.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.charts import lines
from benchmarks.machine import ROOT, save
from benchmarks.scripts import named_runs, parser, run, typed
from fenjie.errors import FileError
from fenjie.files import read_lines

PICTURE = ROOT / "docs" / "images" / "convergence.svg"


def main() -> None:
    """Read the logs, draw, save."""
    options = parser(__doc__)
    options.add_argument("runs", nargs="+", metavar="NAME=RUN")
    curves: dict[str, list[tuple[int, float]]] = {}
    for name, folder in named_runs(options.parse_args().runs).items():
        curves[name] = curve(folder / "log.jsonl")
    lines(PICTURE, curves, ("epoch", "F1 on dev, %"), "Convergence")
    result = {"command": typed(), "curves": curves}
    print(save("convergence", result).relative_to(ROOT), PICTURE.relative_to(ROOT))


def curve(log: Path) -> list[tuple[int, float]]:
    """The last F1 of each epoch in the log of a run, in per cent.

    Raises:
        FileError: the log cannot be read, or has no score.
    """
    found: dict[int, float] = {}
    for number, line in read_lines(log):
        try:
            entry = json.loads(line)
            if "dev" in entry:
                found[int(entry["epoch"])] = round(100 * float(entry["dev"]["f1"] or 0), 2)
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(log, "is no log of a run", line=number, found=line) from error
    if not found:
        raise FileError(log, "holds no score on dev")
    return sorted(found.items())


if __name__ == "__main__":
    run(main)
