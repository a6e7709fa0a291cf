"""Gaussian attention, dense and by bands, over text length: time and memory of one layer.

    python -m benchmarks.attention

Both give the same values (tests/nn/attention/test_band.py); `fenjie.nn.attention.band.BAND_FROM`
says from which length the band is used.
"""

from __future__ import annotations

import os

from benchmarks.machine import ONE_THREAD, peak_memory_mib, save

os.environ.update(ONE_THREAD)

import json
import statistics
import time

import torch

from benchmarks.scripts import child, parser, run
from fenjie.nn.attention.band import BandPattern
from fenjie.nn.attention.dense import DensePattern, Direction, Pattern

DIRECTIONS: tuple[Direction, ...] = ("forward", "center", "backward")
LENGTHS = (64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192)
CHARACTERS = 4096
"""Characters in a batch; a longer text is a batch of its own."""

HEADS, HEAD_DIM = 4, 64
DENSE_TO = 4096
"""Dense attention is not tried on longer texts: its memory grows with the square."""


def main() -> None:
    """Measure each length in a process of its own; print and save a table."""
    torch.set_num_threads(1)
    options = parser(__doc__).parse_args()
    if options.child:
        kind, size = options.child
        print(json.dumps(measure(kind, int(size))))
        return
    rows = []
    print(f"{'length':>7} {'dense ms':>9} {'band ms':>9} {'dense MiB':>10} {'band MiB':>9}")
    for length in LENGTHS:
        row: dict[str, float | None] = {"length": length}
        for kind in ("dense", "band"):
            if kind == "dense" and length > DENSE_TO:
                row[f"{kind}_ms"] = row[f"{kind}_mib"] = None
                continue
            row[f"{kind}_ms"], row[f"{kind}_mib"] = child(kind, length)
        rows.append(row)
        print(
            "{length:>7} {dense_ms!s:>9} {band_ms!s:>9} {dense_mib!s:>10} {band_mib!s:>9}".format(
                **row
            )
        )
    save("attention", {"command": "python -m benchmarks.attention", "rows": rows})


def measure(kind: str, length: int) -> tuple[float, float]:
    """Milliseconds of a forward and backward pass, and the peak memory that it adds, in MiB."""
    batch = max(1, CHARACTERS // length)
    torch.manual_seed(0)
    shape = (3, batch, HEADS, length, HEAD_DIM)
    query, key, value = (torch.randn(shape, requires_grad=True) for _ in range(3))
    mask = torch.ones(batch, length, dtype=torch.bool)
    before = peak_memory_mib()
    times = []
    for _ in range(4):
        started = time.perf_counter()
        pattern: Pattern = (
            DensePattern.make(mask, DIRECTIONS, 2.0, query)
            if kind == "dense"
            else BandPattern.make(mask, DIRECTIONS, 2.0, query)
        )
        pattern.attend(query, key, value).sum().backward()
        times.append(1000 * (time.perf_counter() - started))
    added = peak_memory_mib() - before
    return round(statistics.median(times[1:]), 1), round(added, 1)


if __name__ == "__main__":
    run(main)
