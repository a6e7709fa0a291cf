"""Lattice LSTM, SoftLexicon and BiLSTM-CRF beside their literal versions, on one thread.

    python -m benchmarks.recurrent_speed [--sentences 200] [--literal 10]

Real sentences: the Resume training set with the words of jieba's dictionary, for SoftLexicon each
character as a word too; vectors by chance, which cost what trained ones cost. The literal versions
(`tests/reference/lattice_lstm.py`, `tests/reference/recurrent.py`) go from sentence to sentence and
from character to character, as the equations and the released codes do. All train in batches of 10
with SGD and momentum (a step is forward, CRF loss, backward and update; ours with
`fenjie.training.optimizers.Sgd`, the literal ones with torch's own; ids and words are found
beforehand), and tag texts in batches of 1, 10 and 16, from text to tags: ids, words of the lexicon,
scores, Viterbi; and all of them as one list, sorted by length and 64 a batch, as the taggers do it
by themselves. "exported" is the ONNX program of the same model in ONNX Runtime, which is what a
user of a model folder runs. All use our CRF, which favours the literal side. The literal ones get
the first of the sentences only; the ratio is that of both on just these.

One layer of the BiLSTM is also timed beside torch's own, forward and backward, on the same batches:
with packed sequences, and on padded ones, of which one direction reads each sentence turned around.

Times are CPU time of the one thread, and the fastest of some passes counts: other processes on the
machine disturb both less than time on the wall. Memory is the peak of a process of its own, the
data included, after training on batches of 10.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.flat_speed import VECTOR, Data, trainer
from benchmarks.machine import peak_memory_mib, save
from benchmarks.scripts import child, parser, run, typed
from benchmarks.timing import by, each, fastest
from fenjie.export.trace import trace
from fenjie.models import TAGGERS
from fenjie.models.tagger import Tagger, TaggerSizes
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.lattice import Lattice
from fenjie.runtime.decoding.crf import viterbi
from fenjie.runtime.session import INPUTS, WORD_INPUTS, Session
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import RESERVED, UNKNOWN, code_points
from tests.reference.lattice_lstm import LiteralLatticeLstm
from tests.reference.recurrent import Literal

MODELS = ("lattice_lstm", "soft_lexicon", "bilstm_crf")
SYSTEMS = ("fenjie", "exported", "literal")
TRAINING, INFERENCE, LIST = 10, (1, 10, 16), 64
"""Sentences in a batch: in training, in inference, and of a list that is sorted by length."""

Scores = Callable[[Lattice], NDArray[np.float32]]


def main() -> None:
    """Run the benchmark, print it, write the result."""
    arguments = parser(
        __doc__,
        sentences=(200, "sentences that are timed"),
        literal=(10, "number of them that the literal implementation gets"),
        repeat=(3, "passes, of which the fastest counts"),
    ).parse_args()
    torch.set_num_threads(1)
    if arguments.child:
        print(json.dumps(memory(*arguments.child)))
        return
    data = Words()
    chosen = data.sentences(arguments.sentences)
    result = {
        "command": typed(),
        "configs": {name: asdict(TAGGERS[name].Config()) for name in MODELS},
        "sentences": len(chosen),
        "sentences_literally": arguments.literal,
        "characters_per_sentence": round(statistics.mean(len(s.text) for s in chosen), 1),
        "words_per_sentence": round(
            statistics.mean(len(data.lexicon.match(s.text).start) for s in chosen), 1
        ),
        "sentences_per_second": {
            name: measure(data, name, chosen, arguments.literal, arguments.repeat)
            for name in MODELS
        },
        "memory_mib": {
            f"{name}, {system}": child(name, system)
            for name in MODELS
            for system in ("fenjie", "literal")
        },
        "layer_ms": layer(data, chosen, arguments.repeat),
    }
    save("recurrent-speed", result)
    print(json.dumps(result, indent=2, ensure_ascii=False))


def measure(
    data: Words, name: str, chosen: Sequence[Sentence], literal: int, repeat: int
) -> dict[str, dict[str, float]]:
    """Sentences a second of one model, of all that do each task.

    Args:
        data: the data.
        name: the model.
        chosen: the sentences.
        literal: number of them that the literal version gets.
        repeat: passes of each.
    """
    few = chosen[:literal]
    of_all, of_few, literally = data.model_of(name), data.model_of(name), data.model_of(name)
    steps = trainer(of_all), trainer(of_few), trainer(literally, literal_form(literally))
    batches = [
        [data.gold_for(name, batch) for batch in by(TRAINING, some)] for some in (chosen, few, few)
    ]
    names = ("fenjie", "fenjie, the same", "literal")
    times = fastest(
        {
            system: each(step, given)
            for system, step, given in zip(names, steps, batches, strict=True)
        },
        repeat,
    )
    counts = (len(chosen), literal, literal)
    found = {f"training, batch {TRAINING}": speeds(times, dict(zip(names, counts, strict=True)))}
    with tempfile.TemporaryDirectory() as folder:
        taggers = {system: tagger(data, name, system, of_all, Path(folder)) for system in SYSTEMS}
        ways = {f"batch {size}": (size, chosen, few) for size in INFERENCE}
        ways["one list"] = LIST, sorted(chosen, key=length_of), sorted(few, key=length_of)
        for way, (size, every, some) in ways.items():
            texts = {
                "fenjie": every,
                "exported": every,
                "fenjie, the same": some,
                "literal": some,
            }
            work = {
                system: lambda system=system, given=given, size=size: [
                    taggers[system.partition(",")[0]](batch) for batch in by(size, given)
                ]
                for system, given in texts.items()
            }
            times = fastest(work, repeat)
            counted = {system: len(given) for system, given in texts.items()}
            found[f"inference, {way}"] = speeds(times, counted)
    print(name, found, file=sys.stderr)
    return found


def length_of(sentence: Sentence) -> int:
    """Characters of a sentence."""
    return len(sentence.text)


def speeds(times: dict[str, float], counts: dict[str, int]) -> dict[str, float]:
    """Sentences a second, and the ratio of ours to the literal version on the same ones."""
    found = {name: round(counts[name] / seconds, 1) for name, seconds in times.items()}
    return {**found, "ratio": round(found["fenjie, the same"] / found["literal"], 1)}


def memory(name: str, system: str) -> dict[str, float]:
    """Measure peak memory before and after some steps; for a child process."""
    data = Words()
    model = data.model_of(name)
    step = trainer(model, None if system == "fenjie" else literal_form(model))
    before = peak_memory_mib()
    for batch in by(TRAINING, data.sentences(20)):
        step(*data.gold_for(name, batch))
    return {"before": round(before), "peak": round(peak_memory_mib())}


def layer(data: Words, chosen: Sequence[Sentence], repeat: int) -> dict[str, float]:
    """Milliseconds a batch of one layer, forward and backward: ours, and torch's in two ways."""
    size, dim = TAGGERS["bilstm_crf"].Config().hidden, 2 * VECTOR
    ours = BiLstm(dim, size)
    both = nn.LSTM(dim, size, batch_first=True, bidirectional=True)
    ahead, back = (nn.LSTM(dim, size, batch_first=True) for _ in range(2))
    batches = []
    for batch in by(TRAINING, chosen):
        lengths = torch.tensor([len(sentence.text) for sentence in batch])
        batches.append((torch.randn(len(batch), int(lengths.max()), dim), lengths))

    def fenjie(x: Tensor, lengths: Tensor) -> Tensor:
        found: Tensor = ours(x[torch.arange(x.shape[1]) < lengths[:, None]], lengths)
        return found

    def packed(x: Tensor, lengths: Tensor) -> Tensor:
        given = nn.utils.rnn.pack_padded_sequence(x, lengths, True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(both(given)[0], batch_first=True)[0]

    def turned(x: Tensor, lengths: Tensor) -> Tensor:
        place, last = torch.arange(x.shape[1]), lengths[:, None] - 1
        order = torch.where(place <= last, last - place, place)[..., None]
        backwards = back(x.gather(1, order.expand_as(x)))[0]
        backwards = backwards.gather(1, order.expand_as(backwards))
        return torch.cat((ahead(x)[0], backwards), dim=-1)

    ways = {"fenjie": fenjie, "torch, packed": packed, "torch, turned around": turned}
    work = {
        name: lambda way=way: [way(x, lengths).sum().backward() for x, lengths in batches]
        for name, way in ways.items()
    }
    return {
        name: round(1000 * seconds / len(batches), 2)
        for name, seconds in fastest(work, repeat).items()
    }


def literal_form(model: Tagger) -> nn.Module:
    """The literal version of a model."""
    if isinstance(model, TAGGERS["lattice_lstm"]):
        return LiteralLatticeLstm(model)
    return Literal(model)


def tagger(
    data: Words, name: str, system: str, model: Tagger, folder: Path
) -> Callable[[Sequence[Sentence]], None]:
    """From texts to tags."""
    scores = exported(model, folder) if system == "exported" else in_torch(system, model)
    table = model.crf.table().numpy()

    def tag(batch: Sequence[Sentence]) -> None:
        lattice = data.lattice_for(name, batch)
        viterbi(scores(lattice), lattice.lengths.numpy(), table)

    return tag


def in_torch(system: str, model: Tagger) -> Scores:
    """Scores in PyTorch."""
    module = model if system == "fenjie" else literal_form(model)

    def scores(lattice: Lattice) -> NDArray[np.float32]:
        model.eval()
        with torch.inference_mode():
            scored = module(lattice)
            found: NDArray[np.float32] = getattr(scored, "tags", scored).numpy()
        return found

    return scores


def exported(model: Any, folder: Path) -> Scores:
    """Scores in ONNX Runtime."""
    path = folder / "model.onnx"
    onnx.save_model(trace(model.eval(), 2), path)
    session = Session(path, 1, (*INPUTS, *WORD_INPUTS))
    vectors = model.embedding.words.weight.detach()

    def scores(lattice: Lattice) -> NDArray[np.float32]:
        given = {name: getattr(lattice, name) for name in session.inputs if name != "vectors"}
        if "vectors" in session.inputs:
            given["vectors"] = vectors[lattice.word]
        found: NDArray[np.float32] = session(*(given[name].numpy() for name in session.inputs))
        return found

    return scores


class Words(Data):
    """The Resume training set, with jieba's words."""

    def model_of(self, name: str) -> Any:
        """A new model of the default size."""
        torch.manual_seed(0)
        sizes = self.indexer.sizes
        made = TAGGERS[name]
        return made(
            made.Config(),
            TaggerSizes(
                (sizes.characters, 0, VECTOR),
                (sizes.bigrams, 0, VECTOR),
                (len(self.trained) + RESERVED, 0, VECTOR),
                self.tags,
            ),
        )

    def lattice_for(self, name: str, batch: Sequence[Sentence]) -> Lattice:
        """The input of a model; for SoftLexicon each character is a word too, all seen once."""
        if name == "lattice_lstm":
            return self.lattice(batch)
        texts = [sentence.text for sentence in batch]
        codes, ends = code_points("".join(texts)), np.cumsum([len(text) for text in texts])
        ids = self.indexer.rows(codes, ends).astype(np.int64)
        place = np.arange(len(codes) if name == "soft_lexicon" else 0)
        start, end, word = place, place + 1, np.full(len(place), -1)
        if name == "soft_lexicon":
            found = self.lexicon.match_codes(codes, ends)
            start, end, word = map(np.concatenate, zip((start, end, word), found, strict=True))
        owner = np.searchsorted(ends, start, side="right")
        order = np.argsort(owner, kind="stable")
        start, end, word, owner = start[order], end[order], word[order], owner[order]
        place = np.searchsorted(self.trained, word).clip(0, len(self.trained) - 1)
        rows = np.where(self.trained[place] == word, place + RESERVED, UNKNOWN)
        start, end = start - (ends - np.diff(ends, prepend=0))[owner], end - 1
        end = end - (ends - np.diff(ends, prepend=0))[owner]
        borders = np.cumsum(np.bincount(owner, minlength=len(texts)))[:-1]
        starts, lasts, words = (np.split(x, borders) for x in (start, end, rows))
        return Lattice.of(
            np.split(ids, ends[:-1]),
            starts,
            lasts,
            word=words,
            counts=np.split(np.ones(len(word), np.float32), borders),
        )

    def gold_for(self, name: str, batch: Sequence[Sentence]) -> tuple[Lattice, Tensor]:
        """The input of a model, and the gold tags."""
        return self.lattice_for(name, batch), self.gold(batch)[1]


if __name__ == "__main__":
    run(main)
