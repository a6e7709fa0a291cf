"""SAMS at the paper's size beside the literal implementation, on one thread, in one run.

    python -m benchmarks.sams_speed [--lines 128]

Real lines of the PKU test set, as they are. The literal implementation
(`tests/reference/sams.py`) computes equation after equation: encoder after encoder, head after
head, the Gaussian anew in each layer. It is timed on batches of 64 lines in the order of the
file, padded, as a first implementation would run, and on fenjie's own batches (lines of like
length together), so that what batching gains and what the mathematics gains can be told apart.
Memory is the peak of a process of its own.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

from benchmarks.machine import peak_memory_mib, save
from benchmarks.scripts import child, parser, run
from fenjie import corpus
from fenjie.lexicon.indexer import Indexer, Sizes
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED, gap_loss
from fenjie.recipe.recipe import locate
from fenjie.text.vocabulary import Ids, Vocabulary, collate
from tests.reference.sams import LiteralSams

TOKENS = 4096
"""Size of a batch, padding counted (the paper's Table 4)."""

STEPS = 5
"""Number of training steps after which memory is read: it still grows in the second and third."""


def main() -> None:
    """Run the benchmark, print a table, write the result."""
    arguments = parser(
        __doc__,
        lines=(128, "lines that are timed"),
        repeat=(3, "passes, of which the median counts"),
    ).parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if arguments.child:
        system, length = arguments.child
        print(measure_memory(system, int(length)))
        return
    result = measure(arguments.lines, arguments.repeat)
    result["memory_mib"] = {
        f"{system}, {TOKENS // length} x {length}": child(system, length)
        for system in ("fenjie", "fenjie bf16", "literal")
        for length in (64, 1024)
    }
    save("sams-speed", result)
    print(json.dumps(result, indent=2, ensure_ascii=False))


def measure(lines: int, repeat: int) -> dict[str, object]:
    """Characters a second of each system, and the ratios to the literal implementation."""
    rows = real_lines(lines)
    characters = sum(map(len, rows))
    started = time.perf_counter()
    model = Sams(SamsConfig(), Sizes(5000))
    build = time.perf_counter() - started
    literal = LiteralSams(model)

    in_order = [rows[at : at + 64] for at in range(0, len(rows), 64)]
    by_length = list(buckets(rows))
    runs: dict[str, tuple[Step, list[list[Ids]]]] = {
        "literal, file order": (literal_step(literal), in_order),
        "literal, buckets": (literal_step(literal), by_length),
        "fenjie, file order": (fenjie_step(model), in_order),
        "fenjie, buckets": (fenjie_step(model), by_length),
        "fenjie bf16, buckets": (fenjie_step(model, bf16=True), by_length),
    }
    speeds: dict[str, dict[str, float]] = {}
    for mode in ("training", "inference"):
        model.train(mode == "training")
        times: dict[str, list[float]] = {name: [] for name in runs}
        for turn in range(repeat + 1):  # the first is warm-up; the systems take turns
            for name, (step, batches) in runs.items():
                seconds = timed(step, batches, mode == "training")
                if turn:
                    times[name].append(seconds)
        speeds[mode] = {
            name: round(characters / statistics.median(values)) for name, values in times.items()
        }
    ratios = {
        f"{mode}, {name} / {base}": round(speed[name] / speed[base], 2)
        for mode, speed in speeds.items()
        for name, base in (
            ("fenjie, file order", "literal, file order"),
            ("fenjie, buckets", "literal, buckets"),
            ("fenjie, buckets", "literal, file order"),
            ("fenjie bf16, buckets", "literal, file order"),
        )
    }
    return {
        "command": f"python -m benchmarks.sams_speed --lines {lines} --repeat {repeat}",
        "config": asdict(SamsConfig()),
        "lines": lines,
        "characters": characters,
        "build_s": round(build, 3),
        "characters_per_second": speeds,
        "ratios": ratios,
    }


Step = Callable[[list[Ids], bool], None]


def fenjie_step(model: Sams, bf16: bool = False) -> Step:
    """One step of our model."""

    def step(rows: list[Ids], training: bool) -> None:
        batch = Batch.of(rows)
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16), torch.set_grad_enabled(training):
            scores = model(batch)
            if training:
                model.zero_grad()
                model.loss(scores, gold_like(batch)).backward()

    return step


def literal_step(literal: LiteralSams) -> Step:
    """One step of the literal implementation."""

    def step(rows: list[Ids], training: bool) -> None:
        batch = Batch.of(rows)
        with torch.set_grad_enabled(training):
            final, middle = literal(batch.ids, batch.lengths)
            if training:
                literal.zero_grad()
                gold = gold_like(batch)
                (gap_loss(final, gold) + gap_loss(middle, gold)).backward()

    return step


def gold_like(batch: Batch) -> torch.Tensor:
    """Some gold decisions: every second gap is a boundary."""
    gold = torch.arange(batch.ids.shape[1] - 1) % 2
    return gold.expand(len(batch.ids), -1).masked_fill(~batch.mask[:, 1:], IGNORED)


def real_lines(count: int) -> list[Ids]:
    """The ids of the first lines of the PKU test set."""
    path = locate("cws/pku/pku_test_gold.utf8")
    texts = [sentence.text for sentence in corpus.read(path, "spaced").sentences[:count]]
    indexer = Indexer(Vocabulary.count(character for text in texts for character in text))
    return [indexer(text) for text in texts]


def buckets(rows: list[Ids]) -> Iterator[list[Ids]]:
    """Batches of like length within the token budget."""
    batch: list[Ids] = []
    for row in sorted(rows, key=len):
        if batch and len(row) * (len(batch) + 1) > TOKENS:
            yield batch
            batch = []
        batch.append(row)
    yield batch


def timed(step: Step, batches: list[list[Ids]], training: bool) -> float:
    """Seconds for one pass."""
    started = time.perf_counter()
    for rows in batches:
        step(rows, training)
    return time.perf_counter() - started


def measure_memory(system: str, length: int) -> int:
    """Peak resident memory of this process after `STEPS` training steps, in MiB."""
    model = Sams(SamsConfig(), Sizes(5000))
    table = collate([torch.randint(2, 5000, (length, 1)).numpy()] * (TOKENS // length))
    if system == "literal":
        step = literal_step(LiteralSams(model))
    else:
        step = fenjie_step(model, bf16=system.endswith("bf16"))
    for _ in range(STEPS):
        step(list(table), True)
    return round(peak_memory_mib())


if __name__ == "__main__":
    run(main)
