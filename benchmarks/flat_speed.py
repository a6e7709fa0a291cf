"""FLAT at the size for Resume beside the literal implementation, on one thread, in one run.

    python -m benchmarks.flat_speed [--sentences 300] [--literal 60]

Real sentences: the Resume training set with the words of jieba's dictionary; vectors by chance,
which cost what trained ones cost. The literal implementation (`tests/reference/flat.py`) computes
as the released code does: padded batches, all tokens as queries, and for each pair of tokens a
vector of four position encodings. Both train in batches of 10 with SGD and momentum (a step is
forward, CRF loss, backward and update; ours with `fenjie.training.optimizers.Sgd`, the literal one
with torch's own; ids and words are found beforehand), and tag texts in batches of 16 and of 1, from
text to tags: ids, words of the lexicon, scores, Viterbi. Both use our CRF, which favours the
literal side. The literal one gets the first of the sentences only; the ratio is that of both on
just these.

Times are CPU time of the one thread, and the fastest of some passes counts: other processes on the
machine disturb both less than time on the wall. Memory is the peak of a process of its own, the
data included.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.machine import ROOT, peak_memory_mib, save
from benchmarks.plot import plot
from benchmarks.scripts import child, parser, run, typed
from benchmarks.timing import by, each, fastest
from fenjie import Lexicon, corpus
from fenjie.lexicon.indexer import Indexer
from fenjie.models.flat import Flat, FlatConfig
from fenjie.models.tagger import Tagger, TaggerSizes, TagScores
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.lattice import Lattice
from fenjie.recipe.recipe import locate
from fenjie.runtime.decoding.crf import viterbi
from fenjie.text.span import Sentence
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import RESERVED, UNKNOWN, Vocabulary, bigrams, code_points, collate
from fenjie.training.optimizers import Sgd
from tests.reference.flat import LiteralFlat

CONFIG = FlatConfig(dim=128, heads=8, hidden=384)
"""The size for Resume (Table 6)."""

VECTOR = 50
"""The size of the vectors."""

LENGTHS = (100, 200, 500, 1000, 2000, 5000)
"""The lengths of single texts; the literal implementation is left out from `LITERAL` on."""

LITERAL = 500
SYSTEMS = ("fenjie", "literal")


def main() -> None:
    """Run the benchmark, print a table, write the result."""
    arguments = parser(
        __doc__,
        sentences=(300, "sentences that are timed"),
        literal=(60, "number of them that the literal implementation gets"),
        repeat=(5, "passes, of which the fastest counts"),
    ).parse_args()
    torch.set_num_threads(1)
    if arguments.child:
        print(json.dumps(part(*arguments.child)))
        return
    by_length = [
        {"system": system, "length": length, **in_a_child(system, "length", length)}
        for length in LENGTHS
        for system in SYSTEMS
        if system == "fenjie" or length < LITERAL
    ]
    result = {
        "command": typed(),
        "config": asdict(CONFIG),
        "by_length": by_length,
        "memory_mib": {
            "fenjie, 10 sentences of Resume": in_a_child("fenjie", "batch", 10),
            "literal, 10 sentences of Resume": in_a_child("literal", "batch", 10),
            "fenjie, 16 x 512 characters": in_a_child("fenjie", "long", 16),
        },
        **measure(arguments.sentences, arguments.literal, arguments.repeat),
    }
    draw(by_length)
    save("flat-speed", result)
    print(json.dumps(result, indent=2, ensure_ascii=False))


def draw(rows: Sequence[dict[str, Any]]) -> None:
    """Plot time and memory by the length of a sentence."""
    for column, label, title in (
        ("training_s", "seconds", "FLAT: one step of training, by length"),
        ("inference_s", "seconds", "FLAT: tagging one sentence, by length"),
        ("peak_mib", "MiB", "FLAT: peak memory of training, by length"),
    ):
        series = {
            name: [(row["length"], row[column]) for row in rows if row["system"] == name]
            for name in SYSTEMS
        }
        path = ROOT / "docs" / "images" / f"flat-{column.partition('_')[0]}.svg"
        plot(path, series, "characters", label, title)


def measure(sentences: int, literal: int, repeat: int) -> dict[str, object]:
    """Sentences a second of both systems, and the ratios.

    Args:
        sentences: number of sentences to time.
        literal: number of them that the literal implementation gets.
        repeat: passes of each.
    """
    data = Data()
    chosen = data.sentences(sentences)
    models = {system: data.model() for system in SYSTEMS}
    taggers = {system: tagger(data, system, models[system]) for system in SYSTEMS}
    steps = {
        "fenjie": trainer(models["fenjie"]),
        "literal": trainer(models["literal"], LiteralFlat(models["literal"])),
    }
    given = {"fenjie": chosen, "fenjie, the same": chosen[:literal], "literal": chosen[:literal]}
    # In training, ids and words are found once, before the first epoch.
    ready = {name: [data.gold(batch) for batch in by(10, some)] for name, some in given.items()}
    passes = {
        "training, batch 10": {
            name: each(steps[name.partition(",")[0]], batches) for name, batches in ready.items()
        }
    }
    for size in (16, 1):
        passes[f"inference, batch {size}"] = {
            name: each(taggers[name.partition(",")[0]], [(batch,) for batch in by(size, some)])
            for name, some in given.items()
        }
    speeds: dict[str, dict[str, float]] = {}
    for task, works in passes.items():
        times = fastest(works, repeat)
        speed = {name: round(len(given[name]) / times[name], 1) for name in works}
        ratio = round(speed["fenjie, the same"] / speed["literal"], 1)
        speeds[task] = {**speed, "ratio": ratio}
    lengths = [len(sentence.text) for sentence in chosen]
    words = [len(data.lexicon.match(sentence.text).start) for sentence in chosen]
    return {
        "sentences": {name: len(some) for name, some in given.items()},
        "characters_per_sentence": round(statistics.mean(lengths), 1),
        "words_per_sentence": round(statistics.mean(words), 1),
        "tags": len(data.tags),
        "sentences_per_second": speeds,
    }


def part(system: str, kind: str, size: str) -> dict[str, float]:
    """Measure two training steps and, of a long text, one inference; for a child process."""
    data = Data()
    model = data.model()
    before = peak_memory_mib()
    if kind == "batch":
        longest = sorted(data.sentences(1000), key=lambda sentence: len(sentence.text))
        batches = [data.sentences(int(size)), longest[-int(size) :]]
    elif kind == "long":
        batches = [data.texts(512, int(size))] * 2
    else:
        batches = [data.texts(int(size), 1)] * 2
    step = trainer(model, None if system == "fenjie" else LiteralFlat(model))
    for batch in batches:
        given = data.gold(batch)
        started = time.process_time()
        step(*given)
        seconds = time.process_time() - started
    found = {"training_s": round(seconds, 3), "peak_mib": round(peak_memory_mib())}
    found["before_mib"] = round(before)
    if kind == "length":
        tag = tagger(data, system, model)
        tag(batches[0])
        started = time.process_time()
        tag(batches[0])
        found["inference_s"] = round(time.process_time() - started, 3)
    return found


def in_a_child(system: str, kind: str, size: int) -> dict[str, float]:
    """`part` in a fresh process."""
    found: dict[str, float] = child(system, kind, size)
    print(system, kind, size, found, file=sys.stderr)
    return found


def trainer(model: Tagger, literal: nn.Module | None = None) -> Callable[[Lattice, Tensor], None]:
    """One training step of a model, or of its literal version, which shares the weights."""
    optimizer: torch.optim.Optimizer
    if literal is None:
        optimizer = Sgd(model.parameters(), 0.9)
        for module in model.modules():
            if isinstance(module, TrainedTable):
                optimizer.watch(module)
    else:
        optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)
    for group in optimizer.param_groups:
        group["lr"] = 1e-4
    scores = literal or model

    def step(lattice: Lattice, gold: Tensor) -> None:
        model.train()
        found = scores(lattice)
        found = found if literal is None else TagScores(found)
        model.loss(found, gold).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def tagger(data: Data, system: str, model: Flat) -> Callable[[Sequence[Sentence]], None]:
    """From texts to tags."""
    scores = model if system == "fenjie" else LiteralFlat(model)

    def tag(batch: Sequence[Sentence]) -> None:
        model.eval()
        with torch.inference_mode():
            lattice = data.lattice(batch)
            scored = scores(lattice)
            found = getattr(scored, "tags", scored).numpy()
        viterbi(found, lattice.lengths.numpy(), model.crf.table().numpy())

    return tag


class Data:
    """A training set, with jieba's words."""

    def __init__(self, name: str = "ner/resume/train.char.bmes") -> None:
        """Read it; the name is that of a file below `FENJIE_DATA`."""
        self.all = list(corpus.read(locate(name)))
        self.lexicon = Lexicon.read(locate("lexicons/jieba/dict.txt"))
        texts = [sentence.text for sentence in self.all]
        self.indexer = Indexer(
            Vocabulary.count(unit for text in texts for unit in text),
            Vocabulary.count(unit for text in texts for unit in bigrams(text)),
        )
        labels = {span.label for sentence in self.all for span in sentence.spans}
        self.tags = TagSet(sorted(labels))
        found = [self.lexicon.match(text).word for text in texts]
        self.trained = np.unique(np.concatenate(found))

    def sentences(self, count: int) -> list[Sentence]:
        """Some sentences, in an order by chance that is always the same."""
        order = np.random.default_rng(0).permutation(len(self.all))
        return [self.all[number] for number in order[:count]]

    def texts(self, length: int, count: int) -> list[Sentence]:
        """Stretches of all text, which have no entities."""
        return [Sentence(self.joined[at * length : (at + 1) * length], ()) for at in range(count)]

    @cached_property
    def joined(self) -> str:
        """All text in one."""
        return "".join(sentence.text for sentence in self.all)

    def model(self, config: FlatConfig = CONFIG) -> Flat:
        """A new model."""
        torch.manual_seed(0)
        sizes = self.indexer.sizes
        return Flat(
            config,
            TaggerSizes(
                (sizes.characters, 0, VECTOR),
                (sizes.bigrams, 0, VECTOR),
                (len(self.trained) + RESERVED, 0, VECTOR),
                self.tags,
            ),
        )

    def lattice(self, batch: Sequence[Sentence]) -> Lattice:
        """The input of a model."""
        texts = [sentence.text for sentence in batch]
        codes, ends = code_points("".join(texts)), np.cumsum([len(text) for text in texts])
        first = ends - np.diff(ends, prepend=0)
        start, end, word = self.lexicon.match_codes(codes, ends)
        owner = np.searchsorted(ends, start, side="right")
        order = np.argsort(owner, kind="stable")
        start, end, word, owner = start[order], end[order], word[order], owner[order]
        place = np.minimum(np.searchsorted(self.trained, word), len(self.trained) - 1)
        rows = np.where(self.trained[place] == word, place + RESERVED, UNKNOWN)
        borders = np.cumsum(np.bincount(owner, minlength=len(texts)))[:-1]
        ids = self.indexer.rows(codes, ends).astype(np.int64)
        return Lattice.of(
            np.split(ids, ends[:-1]),
            np.split(start - first[owner], borders),
            np.split(end - 1 - first[owner], borders),
            word=np.split(rows, borders),
        )

    def gold(self, batch: Sequence[Sentence]) -> tuple[Lattice, Tensor]:
        """The input of a model, and the gold tags."""
        tags = collate([self.tags.encode(sentence) for sentence in batch], IGNORED)
        return self.lattice(batch), torch.from_numpy(tags)


if __name__ == "__main__":
    run(main)
