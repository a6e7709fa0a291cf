"""Dilated, shifted windows (DSWA) beside dense attention, on one thread.

    python -m benchmarks.windows speed    # sentences per second on Weibo, Resume and MSRA
    python -m benchmarks.windows length   # time and memory from 512 to 65,536 characters

`speed`: FLAT with windows, FLAT with attention over the whole lattice, and the latter as its
equations stand (`tests/reference/flat.py`, which computes as the released code does); and a layer
of a character encoder, forward and backward. All in one process, in turns, on the same sentences;
the literal form gets the first ones only. As in `benchmarks.flat_speed`, times are CPU time, the
fastest pass counts, vectors are by chance, and ids and words of training are found beforehand.

`length`: forward and backward of one attention, each length in a process of its own, and the
memory that this adds to the process. Dense attention goes block by block, so that its memory does
not grow with the square of the length; `matrix` is dense attention with a matrix of all scores. A
length for which one of them would need more than `ROOM` or more than `PATIENCE` is left out.
"""

from __future__ import annotations

import os

from benchmarks.machine import ONE_THREAD, RESULTS, ROOT, peak_memory_mib, save

os.environ.update(ONE_THREAD)

import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks import flat_speed
from benchmarks.plot import plot
from benchmarks.scripts import child, parser, run, typed
from benchmarks.timing import by, each, fastest
from fenjie.nn.attention import relative as relative_attention
from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.relative import CharacterPattern, RelativeAttention
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.relative_transformer import EncoderConfig, RelativeEncoder
from fenjie.nn.encoders.windowed import CharacterWindows
from fenjie.text.span import Sentence
from tests.reference.flat import LiteralFlat

CORPORA = {
    "Weibo": "ner/weibo/weiboNER_2nd_conll.train",
    "Resume": "ner/resume/train.char.bmes",
    "MSRA": "ner/msra/train.lines_approx.bio",
}
WINDOWS = {
    "windows of 2, 4 rounds": WindowConfig(2, 4),
    "windows of 8, 2 rounds": WindowConfig(8, 2),
}
DIM, HEADS = 128, 8

LENGTHS = tuple(2**power for power in range(9, 17))
KINDS = ("windows", "dense", "matrix")
ROOM = 4096
"""MiB."""

PATIENCE = 20.0
"""Seconds of one pass."""

Pass = Callable[[], None]


def main() -> None:
    """Run one of the benchmarks; its result is written beside the other one's."""
    options = parser(
        __doc__,
        sentences=(200, "sentences that are timed"),
        literal=(40, "number of them that the literal implementation gets"),
        repeat=(4, "passes, of which the fastest counts"),
    )
    options.add_argument("what", nargs="?", choices=("speed", "length"), default="speed")
    arguments = options.parse_args()
    torch.set_num_threads(1)
    if arguments.child:
        kind, length = arguments.child
        print(json.dumps(measure(kind, int(length))))
        return
    if arguments.what == "speed":
        counts = (arguments.sentences, arguments.literal, arguments.repeat)
        found: Any = {name: speeds(corpus, *counts) for name, corpus in CORPORA.items()}
    else:
        found = by_length()
    path = RESULTS / "windows.json"
    result = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    result.pop("machine", None)
    result[arguments.what] = {"command": typed(), "found": found}
    save("windows", result)
    print(json.dumps(found, indent=2))


def speeds(corpus: str, sentences: int, literal: int, repeat: int) -> dict[str, object]:
    """Sentences a second on one corpus.

    Args:
        corpus: its training set.
        sentences: number of its sentences.
        literal: number of them that the literal form gets.
        repeat: passes of each.
    """
    data = flat_speed.Data(corpus)
    chosen = data.sentences(sentences)
    configs = {"dense": flat_speed.CONFIG}
    for name, windows in WINDOWS.items():
        configs[name] = dataclasses.replace(flat_speed.CONFIG, windows=windows)
    given = dict.fromkeys(configs, chosen) | {"literal": chosen[:literal]}
    ready = [data.gold(batch) for batch in by(10, chosen)]
    training: dict[str, Pass] = {}
    inference: dict[str, Pass] = {}
    for name, some in given.items():
        model = data.model(configs.get(name, flat_speed.CONFIG))
        system = "literal" if name == "literal" else "fenjie"
        step = flat_speed.trainer(model, LiteralFlat(model) if name == "literal" else None)
        tag = flat_speed.tagger(data, system, model)
        batches = by(10, some)
        training[name] = each(step, ready[: len(batches)])
        inference[name] = each(tag, [(batch,) for batch in batches])
    encoder: dict[str, Pass] = {"dense": encoding(chosen, WindowConfig())}
    encoder |= {name: encoding(chosen, windows) for name, windows in WINDOWS.items()}
    lengths = [len(sentence.text) for sentence in chosen]
    counts = {name: len(some) for name, some in given.items()}
    return {
        "characters_per_sentence": round(statistics.mean(lengths), 1),
        "sentences": counts,
        "training": in_turns(training, counts, repeat),
        "inference": in_turns(inference, counts, repeat),
        "layer_over_characters": in_turns(encoder, counts, repeat),
    }


def encoding(sentences: Sequence[Sentence], windows: WindowConfig) -> Pass:
    """Forward and backward of one layer over vectors by chance."""
    torch.manual_seed(0)
    encoder = RelativeEncoder(EncoderConfig(dim=DIM, heads=HEADS, windows=windows))
    batches = []
    for batch in by(10, sentences):
        lengths = torch.tensor([len(sentence.text) for sentence in batch])
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        batches.append((torch.randn(*mask.shape, DIM, requires_grad=True), mask))

    def run() -> None:
        for x, mask in batches:
            encoder(x, mask).x.sum().backward()

    return run


def in_turns(
    passes: dict[str, Pass], counts: dict[str, int], repeat: int
) -> dict[str, dict[str, float]]:
    """Sentences a second, and how much time one needs beside dense attention."""
    each = {name: found / counts[name] for name, found in fastest(passes, repeat).items()}
    return {
        name: {
            "sentences_per_second": round(1 / seconds, 1),
            "time_beside_dense": round(seconds / each["dense"], 2),
        }
        for name, seconds in each.items()
    }


def by_length() -> list[dict[str, float | str]]:
    """All lengths, and the picture of them."""
    rows: list[dict[str, float | str]] = []
    for kind in KINDS:
        for length in LENGTHS:
            row = {"kind": kind, "length": length, **child(kind, length)}
            rows.append(row)
            print(row, flush=True)
            # Of dense attention time grows with the square, of a matrix memory too.
            if 4 * row["seconds"] > PATIENCE or (kind == "matrix" and 4 * row["mib"] > ROOM):
                break
    names = {"windows": "windows", "dense": "dense, by blocks", "matrix": "dense, a matrix"}
    series = {
        name: [(float(row["length"]), float(row["seconds"])) for row in rows if row["kind"] == kind]
        for kind, name in names.items()
    }
    plot(
        ROOT / "docs" / "images" / "dswa-length.svg",
        series,
        "characters in the text",
        "seconds of CPU, forward and backward",
        "One attention of 128 numbers and 8 heads, one thread",
    )
    return rows


def measure(kind: str, length: int) -> dict[str, float]:
    """Seconds of a forward and backward pass, and the peak memory that it adds, in MiB."""
    torch.manual_seed(0)
    attention: nn.Module
    if kind == "windows":
        attention = CharacterWindows(AttentionConfig(DIM, HEADS, windows=WindowConfig(2, 4)))
    else:
        attention = RelativeAttention(AttentionConfig(DIM, HEADS))
    if kind == "matrix":
        relative_attention.LONG = sys.maxsize
    step(attention, torch.randn(1, 16, DIM))  # what is loaded once
    x = torch.randn(1, length, DIM)
    before, times = peak_memory_mib(), []
    for _ in range(4):
        times.append(step(attention, x))
        if times[-1] > PATIENCE / 4:
            break
    return {"seconds": round(min(times), 5), "mib": round(peak_memory_mib() - before, 1)}


def step(attention: nn.Module, x: Tensor) -> float:
    """Forward and backward; the CPU time."""
    x = x.clone().requires_grad_()
    started = time.process_time()
    attention(x, CharacterPattern(torch.ones(x.shape[:2], dtype=torch.bool))).x.sum().backward()
    return time.process_time() - started


if __name__ == "__main__":
    run(main)
