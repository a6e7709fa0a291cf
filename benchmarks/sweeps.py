"""F1 by one setting, from the records of runs (ATSSA, Figures 6 and 7).

    python -m benchmarks.sweeps

Draws `docs/images/atssa-k.svg` and `docs/images/atssa-alpha.svg` as soon as every value of a data
set has a run on record (`python -m benchmarks.reproduce atssa-k`, `atssa-alpha`); the mean over
the seeds that all values have.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.charts import lines
from benchmarks.machine import ROOT
from benchmarks.reproduce.comparison import measured
from benchmarks.reproduce.published import find_table
from benchmarks.reproduce.records import Records
from benchmarks.scripts import parser, run

SWEEPS = {
    "atssa-k": "k: keys that each query keeps at least",
    "atssa-alpha": "α: amplification of the step",
}
"""The tables, and the name of the setting."""


def main() -> None:
    """Draw what can be drawn."""
    parser(__doc__).parse_args()
    records = Records()
    for name, label in SWEEPS.items():
        series = points(name, records)
        if not series:
            print(f"{name}: not every value has a run: python -m benchmarks.reproduce {name}")
            continue
        path = ROOT / "docs" / "images" / f"{name}.svg"
        lines(path, series, (label, "F1 on test, %"), "ATSSA without BERT")
        print(path.relative_to(ROOT))


def points(name: str, records: Records) -> dict[str, list[tuple[float, float]]]:
    """The mean F1 by value, over the seeds that every value has, for each data set with any."""
    table = find_table(name)
    found = {}
    for key, data in table.data.items():
        cells, _ = measured(table, key, records)
        if seeds := set[int].intersection(*(set(cell.scores) for cell in cells)):
            found[data.title] = [
                (float(cell.title.partition(" = ")[2]), mean(cell.scores[seed] for seed in seeds))
                for cell in cells
            ]
    return found


if __name__ == "__main__":
    run(main)
