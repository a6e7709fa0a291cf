"""The entities that models find in the two sentences of ATSSA's Figure 8.

    python -m benchmarks.cases NAME=RUN…

A run is the folder of a finished one, its name stands in the table: for instance
FLAT=runs/flat/weibo-short-1 ATSSA=runs/atssa-weibo-1. Writes `benchmarks/results/cases.json`.
"""

from __future__ import annotations

from benchmarks.machine import save
from benchmarks.scripts import named_runs, parser, run, typed
from fenjie.cli.prediction import predict
from fenjie.runtime.folder import ModelFolder

SENTENCES = ("梦科商城购物节免费送红米", "腾讯联想联合发起电脑清理日")


def main() -> None:
    """Tag the sentences, print, save."""
    options = parser(__doc__)
    options.add_argument("runs", nargs="+", metavar="NAME=RUN")
    found: dict[str, dict[str, str]] = {}
    for name, folder in named_runs(options.parse_args().runs).items():
        tagged = predict(ModelFolder.open(folder / "model"), SENTENCES)
        found[name] = {
            sentence.text: ", ".join(f"{one.text} {one.label}" for one in sentence.entities)
            or "no entity"
            for sentence in tagged
        }
        print(name, found[name])
    save("cases", {"command": typed(), "found": found})


if __name__ == "__main__":
    run(main)
