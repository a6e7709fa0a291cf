"""`make hostile`: all kinds of hostile cases, two at a time, as a table and as JSON."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.machine import RESULTS, describe
from tests.hostile.case import Outcome
from tests.hostile.kinds import KINDS, one


def row(outcome: Outcome) -> str:
    """A row of the table."""
    slowest = "–" if outcome.slowest is None else f"{outcome.slowest:.2f}"
    return (
        f"| {outcome.kind} | {outcome.cases:,} | {outcome.failures:,} | {outcome.memory:,.0f} "
        f"| {slowest} |"
    )


def main() -> None:
    """Run a share of the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=KINDS, help="this kind alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, help="JSON; all cases go to benchmarks/results")
    options = parser.parse_args()
    jobs = [(kind, options.share, options.seed) for kind in options.only or KINDS]
    context = multiprocessing.get_context("spawn")
    with context.Pool(options.workers, maxtasksperchild=1) as pool:
        outcomes = []
        for outcome in pool.imap(one, jobs, chunksize=1):
            outcomes.append(outcome)
            print(f"{outcome.kind}: {outcome.cases:,} cases, {outcome.failures} failed, "
                  f"{outcome.seconds:.0f} s", file=sys.stderr)  # fmt: skip
            for line in outcome.shown:
                print(f"  {line}", file=sys.stderr)
    print("| kind | cases | failures | peak memory (MiB) | slowest (ms per character) |")
    print("|---|---|---|---|---|")
    print("\n".join(map(row, outcomes)))
    output = options.output
    if output is None and options.share == 1 and not options.only:
        output = RESULTS / "hostile.json"
    if output is not None:
        about = {"machine": describe(), "share": options.share, "seed": options.seed}
        text = json.dumps(about | {"kinds": list(map(asdict, outcomes))}, indent=2)
        output.write_text(text + "\n", encoding="utf-8")
    sys.exit(any(outcome.failures for outcome in outcomes))


if __name__ == "__main__":
    main()
