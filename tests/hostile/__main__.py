"""`make hostile`: all kinds of hostile cases, two at a time, as a table and as JSON."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks import hostile
from tests.hostile.kinds import KINDS, one


def main() -> None:
    """Run a share of the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=KINDS, help="this kind alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--output", type=Path, help="JSON; of whole kinds without it benchmarks/results"
    )
    options = parser.parse_args()
    output = options.output or (hostile.RECORD if options.share == 1 else None)
    jobs = [(kind, options.share, options.seed) for kind in options.only or KINDS]
    context = multiprocessing.get_context("spawn")
    outcomes = []
    with context.Pool(options.workers, maxtasksperchild=1) as pool:
        for outcome in pool.imap_unordered(one, jobs, chunksize=1):
            outcomes.append(asdict(outcome))
            print(f"{outcome.kind}: {outcome.cases:,} cases, {outcome.failures} failed, "
                  f"{outcome.seconds:.0f} s", file=sys.stderr)  # fmt: skip
            for line in outcome.shown:
                print(f"  {line}", file=sys.stderr)
            sys.stderr.flush()
            if output is not None:
                hostile.write(output, outcomes[-1:], options.seed, options.share)
    print(hostile.markdown(outcomes), end="")
    sys.exit(any(outcome["failures"] for outcome in outcomes))


if __name__ == "__main__":
    main()
