"""Inference speed of systems of lattices beside Lattice LSTM (FLAT, Figure 3; ATSSA, Figure 4).

    python -m benchmarks.relative_speed [--sentences 200] [--literal 10] [--repeat 3]

Real sentences, vectors by chance and one thread, as in `benchmarks/recurrent_speed.py`: from texts
to tags by PyTorch, one by one and in batches of 16. 1 is Lattice LSTM one by one. The literal forms
of Lattice LSTM and FLAT (`tests/reference`) get the first of the sentences only. The shipped
segmenter is timed on PKU's test set, all lines in one call (SAMS, Table 5). Draws
`docs/images/relative-speed.svg`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from numpy.typing import NDArray

import fenjie
from benchmarks.charts import bars
from benchmarks.machine import ROOT, save
from benchmarks.recurrent_speed import Words
from benchmarks.scripts import parser, run, typed
from benchmarks.timing import by, each, fastest
from fenjie.cli.architectures import ARCHITECTURES
from fenjie.corpus import read
from fenjie.models import TAGGERS
from fenjie.recipe.recipe import locate
from fenjie.runtime.decoding.crf import viterbi
from fenjie.text.span import Sentence
from tests.reference.flat import LiteralFlat
from tests.reference.lattice_lstm import LiteralLatticeLstm

SYSTEMS = ("lattice_lstm", "lr_cnn", "lgn", "cgn", "flat", "atssa")
"""The systems of both figures, as far as they are built."""

LITERAL = {"lattice_lstm": LiteralLatticeLstm, "flat": LiteralFlat}
SIZES = (1, 16)
BASE = "lattice_lstm"
PICTURE = ROOT / "docs" / "images" / "relative-speed.svg"
PKU = "cws/pku/pku_test_gold.utf8"


def main() -> None:
    """Time, draw, save."""
    arguments = parser(
        __doc__,
        sentences=(200, "sentences that are timed"),
        literal=(10, "number of them that the literal forms get"),
        repeat=(3, "passes, of which the fastest counts"),
    ).parse_args()
    torch.set_num_threads(1)
    data = Words()
    chosen = data.sentences(arguments.sentences)
    few = chosen[: arguments.literal]
    speeds = {size: measure(data, chosen, few, size, arguments.repeat) for size in SIZES}
    base = speeds[1][BASE]
    relative = {
        name: {str(size): round(speeds[size][name] / base, 2) for size in SIZES}
        for name in speeds[1]
    }
    result = {
        "command": typed(),
        "sentences": {"all": len(chosen), "literal": len(few)},
        "sentences_per_second": speeds,
        "relative": relative,
        "batches_over_one": {
            name: round(speeds[SIZES[-1]][name] / speeds[1][name], 2) for name in speeds[1]
        },
        "pku_test_seconds": pku_seconds(arguments.repeat),
    }
    bars(
        PICTURE,
        {
            title(name): {f"batch of {size}": value for size, value in values.items()}
            for name, values in relative.items()
        },
        "speed; Lattice LSTM one by one = 1",
        "Inference on one CPU thread, Resume",
    )
    save("relative-speed", result)
    print(json.dumps(result, indent=2))


def title(name: str) -> str:
    """The name of a system in the picture."""
    system, _, literal = name.partition(", ")
    return ARCHITECTURES[system].title + (f",\n{literal}" if literal else "")


def measure(
    data: Words, chosen: Sequence[Sentence], few: Sequence[Sentence], size: int, repeat: int
) -> dict[str, float]:
    """Sentences a second of each system, in batches of a size."""
    work: dict[str, Any] = {}
    counts = {}
    for name in filter(TAGGERS.__contains__, SYSTEMS):
        model = data.model_of(name).eval()
        for system, scores, some in (
            (name, model, chosen),
            *((f"{name}, literal", LITERAL[name](model), few) for _ in range(name in LITERAL)),
        ):
            table = model.crf.table().numpy()
            batches = by(size, some)
            work[system] = each(tag, [(data, scores, table, batch) for batch in batches])
            counts[system] = len(some)
    times = fastest(work, repeat)
    return {name: round(counts[name] / seconds, 1) for name, seconds in times.items()}


def tag(data: Words, scores: Any, table: NDArray[np.float32], batch: Sequence[Sentence]) -> None:
    """From texts to tags."""
    with torch.inference_mode():
        lattice = data.lattice(batch)
        scored = scores(lattice)
        found = getattr(scored, "tags", scored).numpy()
    viterbi(found, lattice.lengths.numpy(), table)


def pku_seconds(repeat: int) -> float:
    """Seconds of the shipped segmenter for PKU's test set."""
    texts = [sentence.text for sentence in read(locate(PKU), "spaced").sentences]
    segmenter = fenjie.load("segment")
    return round(fastest({"all": lambda: segmenter(texts)}, repeat)["all"], 2)


if __name__ == "__main__":
    run(main)
