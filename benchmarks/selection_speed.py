"""FLAT and ATSSA with each selection of keys beside dense ones, on one thread, in one run.

    python -m benchmarks.selection_speed [--sentences 300] [--repeat 7] [--atssa FOLDER]

Real sentences, models of random weights at the size for Resume, batches and steps as in
`benchmarks/flat_speed.py`. Training steps are of 10 sentences; inference is from texts to tags in
batches of 16 and of 1, by PyTorch, and by ONNX Runtime, as users do. The number of rows that need
the floor of ATSSA depends on the weights, so the keys that each head keeps are given beside the
times.

With the folder of a trained model of the architecture `atssa`, it is measured too, with its
threshold and, of the same weights, without: on the test set of Weibo, from texts to entities, all
of a call (words, scores, decoding), by PyTorch and by ONNX Runtime.

The models take turns batch by batch. Times are CPU time of the one thread, and of each batch the
fastest of some passes counts. The ratio is the time of a model over that of the dense one.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import onnx
import torch

from benchmarks.flat_speed import CONFIG, Data, tagger, trainer
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie import corpus
from fenjie.export.trace import trace
from fenjie.models.flat import Flat
from fenjie.nn.attention.selection import SelectionConfig, kept_share, observing
from fenjie.nn.attention.selections import make_selection
from fenjie.recipe.recipe import locate
from fenjie.runtime.decoding.crf import viterbi
from fenjie.runtime.decoding.entities import Decoder
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.reading import Scorer
from fenjie.runtime.scorer import OnnxScorer
from fenjie.runtime.session import INPUTS, WORD_INPUTS, Session
from fenjie.store.load import load_model
from fenjie.tasks.scorer import TorchScorer
from fenjie.text.span import Sentence

SELECTIONS = {
    "dense": SelectionConfig(),
    "threshold": SelectionConfig("threshold"),
    "threshold, no floor": SelectionConfig("threshold", keep=0),
    "top-k": SelectionConfig("top-k"),
    "sparsemax": SelectionConfig("sparsemax"),
    "entmax": SelectionConfig("entmax"),
}

WEIBO = "ner/weibo/weiboNER_2nd_conll.test"

Work = Callable[[Sequence[Sentence]], None]
Run = tuple[str, int, dict[str, Work]]


def main() -> None:
    """Run the benchmark, write the result."""
    options = parser(
        __doc__,
        sentences=(300, "sentences that are timed"),
        repeat=(7, "passes, of which the fastest counts"),
    )
    options.add_argument("--atssa", type=Path, help="the model folder of a trained ATSSA")
    arguments = options.parse_args()
    torch.set_num_threads(1)
    data = Data()
    # Like lengths together, as the run time makes its batches.
    chosen = sorted(data.sentences(arguments.sentences), key=lambda sentence: len(sentence.text))
    models = {
        name: data.model(replace(CONFIG, selection=selection))
        for name, selection in SELECTIONS.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        result = {
            "command": typed(),
            "config": asdict(CONFIG),
            "sentences": len(chosen),
            "kept": {name: kept(data, model, chosen) for name, model in models.items()},
            "sentences_per_second": measure(
                flat_runs(data, models, Path(folder)), chosen, arguments.repeat
            ),
        }
        if arguments.atssa:
            result["atssa"] = measure_atssa(
                arguments.atssa, arguments.sentences, arguments.repeat, Path(folder)
            )
    save("selection-speed", result)
    print(json.dumps(result, indent=2, ensure_ascii=False))


def flat_runs(data: Data, models: dict[str, Flat], folder: Path) -> list[Run]:
    """The timed runs of FLAT."""
    inference = {name: tagger(data, "fenjie", model) for name, model in models.items()}
    exported = {name: onnx_tagger(data, model, folder / name) for name, model in models.items()}
    # Training last: it changes the weights.
    return [
        *inference_runs(inference, exported),
        ("training, batch 10", 10, {n: training(data, m) for n, m in models.items()}),
    ]


def measure_atssa(
    path: Path, sentences: int, repeat: int, folder: Path
) -> dict[str, dict[str, dict[str, float]]]:
    """`measure` for the model of a folder, dense and as it is."""
    opened = ModelFolder.open(path)
    chosen = list(corpus.read(locate(WEIBO)))[:sentences]
    chosen.sort(key=lambda sentence: len(sentence.text))
    models: dict[str, Any] = {name: load_model(opened) for name in ("dense", "threshold")}
    config = models["dense"].config
    for layer in models["dense"].encoder.layers:
        dense = make_selection(SelectionConfig(), config.dim, config.heads)
        layer.attention.selection = dense.eval()
    by_torch: dict[str, Work] = {}
    by_onnx: dict[str, Work] = {}
    for name, model in models.items():
        onnx.save_model(trace(model, 2), folder / f"atssa-{name}")
        by_torch[name] = caller(opened, TorchScorer(model, opened.words))
        by_onnx[name] = caller(opened, OnnxScorer(folder / f"atssa-{name}", opened.words))
    return measure(inference_runs(by_torch, by_onnx), chosen, repeat)


def caller(folder: ModelFolder, score: Scorer) -> Work:
    """From texts to entities, all in one batch."""
    reader = LatticeReader(folder.normaliser, folder.indexer, folder.finder, 1 << 30)
    decode = Decoder(folder.tags, folder.transitions, with_confidence=True)

    def call(batch: Sequence[Sentence]) -> None:
        reader.read([sentence.text for sentence in batch]).decoded(score, decode)

    return call


def inference_runs(by_torch: dict[str, Work], by_onnx: dict[str, Work]) -> list[Run]:
    """Inference in batches of 16 and of 1."""
    ways = {"inference": by_torch, "inference by ONNX Runtime": by_onnx}
    return [(f"{way}, batch {size}", size, ways[way]) for size in (16, 1) for way in ways]


def measure(
    runs: Sequence[Run], chosen: Sequence[Sentence], repeat: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Sentences a second, and the time over that of the first, which is dense."""
    found = {}
    for task, size, works in runs:
        batches = [chosen[at : at + size] for at in range(0, len(chosen), size)]
        times = np.full((len(works), len(batches)), np.inf)
        for turn in range(repeat + 1):  # the first is warm-up
            for column, batch in enumerate(batches):
                for row, work in enumerate(works.values()):
                    started = time.process_time()
                    work(batch)
                    if turn:
                        taken = time.process_time() - started
                        times[row, column] = min(times[row, column], taken)
        seconds: list[float] = times.sum(axis=1).tolist()
        found[task] = {
            name: {
                "sentences_per_second": round(len(chosen) / taken, 1),
                "ratio": round(taken / seconds[0], 3),
            }
            for name, taken in zip(works, seconds, strict=True)
        }
        print(task, found[task], file=sys.stderr)
    return found


def training(data: Data, model: Flat) -> Work:
    """One training step, the search for words included."""
    step = trainer(model)
    return lambda batch: step(*data.gold(batch))


def onnx_tagger(data: Data, model: Flat, path: Path) -> Work:
    """From texts to tags by an exported model."""
    model.eval()
    onnx.save_model(trace(model, 2), path)
    session = Session(path, 1, (*INPUTS, *WORD_INPUTS))
    table = model.crf.table().numpy()
    vectors = model.embedding.words.whole().detach().float().numpy()

    def tag(batch: Sequence[Sentence]) -> None:
        lattice = data.lattice(batch)
        assert lattice.word is not None
        lengths, words = lattice.lengths.numpy(), lattice.words.numpy()
        # A program wants room for one word at least.
        room = ((0, 0), (0, int(lattice.start.shape[1] == 0)))
        start, end, word = (
            np.pad(part.numpy(), room) for part in (lattice.start, lattice.end, lattice.word)
        )
        scores = session(lattice.ids.numpy(), lengths, start, end, words, vectors[word])
        viterbi(scores, lengths, table)

    return tag


def kept(data: Data, model: Flat, chosen: Sequence[Sentence]) -> list[float]:
    """The share of the keys that each head keeps."""
    model.eval()
    with torch.inference_mode(), observing(model) as observed:
        for sentence in chosen:
            model(data.lattice([sentence]))
    (calls,) = observed.values()
    return [round(share, 3) for share in kept_share(calls).tolist()]


if __name__ == "__main__":
    run(main)
