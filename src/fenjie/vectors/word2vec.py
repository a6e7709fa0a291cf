"""Vectors of characters, bigrams and words from raw text, by gensim's word2vec.

Mikolov et al. (2013), "Distributed Representations of Words and Phrases and their
Compositionality". With one worker the files that come out are the same bit by bit each time.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import gensim
import numpy as np
from gensim.models import Word2Vec

from fenjie import __version__
from fenjie.errors import FenjieError
from fenjie.files import atomic
from fenjie.lexicon.keys import LONGEST
from fenjie.lexicon.number_types import Vectors
from fenjie.lexicon.units import UnitVectors
from fenjie.lock import only_run
from fenjie.text.normalise import Normaliser
from fenjie.vectors.texts import EVERY, Prepared, Report, Source, Stream, prepare, segment, streams
from fenjie.vectors.vectors_folder import card, write_folder

NEGATIVE = 5
"""Negative samples per word."""

MINUTES = "minutes"
"""The file in the work folder with the time that a table took, in minutes."""


class Method(NamedTuple):
    """The settings of word2vec for a table.

    Attributes:
        skip_gram: whether each unit predicts its neighbours one by one, which is better for rare
            units; otherwise the mean of the neighbours predicts the unit (CBOW), which takes a
            quarter of the time.
        rate: the learning rate at the beginning, word2vec's own for either.
        window: the greatest distance of a neighbour.
        sample: units more frequent than this are left out at random. Characters keep more of
            their neighbours, as their order tells more than their subject.
    """

    skip_gram: bool
    rate: float
    window: int
    sample: float


METHODS = {
    "characters": Method(skip_gram=False, rate=0.05, window=5, sample=1e-3),
    "bigrams": Method(skip_gram=False, rate=0.05, window=3, sample=1e-4),
    "words": Method(skip_gram=True, rate=0.025, window=5, sample=1e-4),
}
"""The tables of a vectors folder, in the order in which they are learnt."""


@dataclass(frozen=True)
class Settings:
    """Settings of the training of vectors.

    Attributes:
        dim: the size of a vector.
        minimum: a unit seen less often has no vector.
        bigrams: number of bigrams that are kept at most, the most frequent ones.
        words: number of words that are kept at most.
        epochs: passes over the text.
        simplify: whether traditional characters are read as simplified ones.
        workers: threads of gensim; with more than one, each run comes out a little different.
        seed: of the random numbers.
    """

    dim: int = 50
    minimum: int = 5
    bigrams: int = 200_000
    words: int = 300_000
    epochs: int = 5
    simplify: bool = False
    workers: int = 1
    seed: int = 1

    @property
    def normaliser(self) -> Normaliser:
        """The normalisation of the lines."""
        return Normaliser(simplify=self.simplify)

    def limit(self, name: str) -> int | None:
        """The number of units of a table that are kept at most; None for all."""
        return {"bigrams": self.bigrams, "words": self.words}.get(name)


class Counts(NamedTuple):
    """The frequency table of a stream.

    Attributes:
        kept: the units that get a vector and their counts, the most frequent first.
        pieces: number of sequences.
    """

    kept: dict[str, int]
    pieces: int


def train_vectors(
    sources: Sequence[Source],
    output: Path,
    settings: Settings,
    *,
    work: Path,
    command: str,
    report: Report,
) -> None:
    """Make a vectors folder from texts.

    Args:
        sources: the texts.
        output: the folder, written whole or not at all.
        settings: of the training.
        work: a folder for the files that are kept between runs.
        command: the command as typed, for the card.
        report: called with the progress.

    Raises:
        FenjieError: a file cannot be read or written, or holds too little text; or another run
            holds the work folder.
    """
    with only_run(work, "fenjie vectors train"):  # two would append to one file of segmented text
        texts = prepare(sources, work, settings.normaliser, report)
        segment(sources, texts, report)
        folders = {name: learn_table(name, texts, settings, work, report) for name in METHODS}
    tables = {name: UnitVectors.open(folder, name) for name, folder in folders.items()}
    minutes = {name: (folder / MINUTES).read_text().strip() for name, folder in folders.items()}
    about = _about(texts, settings)
    write_folder(output, tables, card(texts, tables, minutes, about, command))


def learn_table(
    name: str, texts: Sequence[Prepared], settings: Settings, work: Path, report: Report
) -> Path:
    """Learn one table of `METHODS`, unless the work folder holds it already.

    Returns:
        The folder in the work folder in which the files of the table lie.

    Raises:
        FenjieError: the text is too short.
    """
    alike = replace(settings, bigrams=0, words=0), settings.limit(name), METHODS[name]
    settled = repr((alike, [text.words.name for text in texts], gensim.__version__))
    folder = work / f"{name}-{hashlib.sha256(settled.encode()).hexdigest()[:16]}"
    if not folder.is_dir():
        begin = time.perf_counter()
        stream = streams(texts, settings.normaliser)[name]
        counts = count(name, stream, settings, sum(text.lines for text in texts), report)
        vectors = learn(name, stream, counts, settings, report)
        table = UnitVectors.build(list(counts.kept), list(counts.kept.values()), vectors)
        with atomic(folder) as made:
            made.mkdir()
            table.save(made, name)
            minutes = f"{(time.perf_counter() - begin) / 60:.1f}\n"
            (made / MINUTES).write_text(minutes, encoding="utf-8", newline="\n")
    return folder


def count(name: str, stream: Stream, settings: Settings, lines: int, report: Report) -> Counts:
    """Count the units of a stream.

    Raises:
        FenjieError: no unit is frequent enough.
    """
    report(f"counting {name}", 0, lines)
    counts = Counter[str]()
    pieces = 0
    for pieces, piece in enumerate(stream, 1):
        counts.update(piece)
        if pieces % EVERY == 0:
            report(f"counting {name}", min(pieces, lines), lines)
    kept = [
        unit for unit, seen in counts.items() if seen >= settings.minimum and len(unit) <= LONGEST
    ]
    kept.sort(key=lambda unit: (-counts[unit], unit))
    if not kept:
        raise FenjieError(
            f"too little text: none of the {name} occurs {settings.minimum} times or more"
        )
    kept = kept[: settings.limit(name)]
    return Counts({unit: counts[unit] for unit in kept}, pieces)


def learn(name: str, stream: Stream, counts: Counts, settings: Settings, report: Report) -> Vectors:
    """Learn the vectors of the units that are kept: `[units, dim]`, in their order."""
    method = METHODS[name]
    model = Word2Vec(
        vector_size=settings.dim,
        alpha=method.rate,
        window=method.window,
        sample=method.sample,
        sg=int(method.skip_gram),
        negative=NEGATIVE,
        min_count=1,
        workers=settings.workers,
        seed=settings.seed,
    )
    model.build_vocab_from_freq(counts.kept, corpus_count=counts.pieces)
    report(f"learning {name}", 0, counts.pieces * settings.epochs)
    watched = _Watched(stream, name, counts.pieces * settings.epochs, report)
    model.train(watched, total_examples=counts.pieces, epochs=settings.epochs)
    if watched.error is not None:
        raise FenjieError(f"the text in the work folder cannot be read: {watched.error}")
    rows = [model.wv.key_to_index[unit] for unit in counts.kept]
    return np.asarray(model.wv.vectors[rows], dtype=np.float32)


class _Watched:
    """A stream that reports how far it has been read, over all epochs.

    gensim reads it in a thread of its own and waits for ever if that ends by an error, so an error
    is kept and the stream ends.
    """

    def __init__(self, stream: Stream, name: str, total: int, report: Report) -> None:
        self._stream, self._name, self._total, self._report = stream, name, total, report
        self._done = 0
        self.error: OSError | None = None

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for piece in self._stream:
                yield piece
                self._done += 1
                if self._done % EVERY == 0:
                    self._report(f"learning {self._name}", self._done, self._total)
        except OSError as error:
            self.error = error


def _about(texts: Sequence[Prepared], settings: Settings) -> str:
    """The method and its settings, for the card."""
    models = {text.words.stem.rpartition("-")[2] for text in texts}
    methods = "; ".join(
        f"{name}: {'skip-gram' if method.skip_gram else 'CBOW'}, window {method.window}, "
        f"rate {method.rate:g}, subsampling {method.sample:g}"
        for name, method in METHODS.items()
    )
    return (
        f"word2vec, {NEGATIVE} negative samples, {settings.epochs} epochs, seed {settings.seed}, "
        f"{settings.workers} worker(s). {methods}. "
        f"Rows are int8 with a scale each. Words are those of fenjie's segmenter "
        f"(`model.onnx` {', '.join(sorted(models))}). fenjie {__version__}, gensim "
        f"{gensim.__version__}, numpy {np.__version__}, Python {platform.python_version()}."
    )
