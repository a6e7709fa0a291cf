"""A vectors folder whose words are all those of a lexicon that occur, whatever the segmentation."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from fenjie import __version__
from fenjie.errors import FenjieError, FileError
from fenjie.files import sha256
from fenjie.lexicon.lexicon import Lexicon
from fenjie.lexicon.number_types import Vectors
from fenjie.lexicon.units import UnitVectors, unit_length
from fenjie.lexicon.word_files import read_words
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import END, code_points
from fenjie.vectors.contexts import Ids, Occurrences, context_vectors
from fenjie.vectors.texts import Prepared, Report, Source, blocks, prepare
from fenjie.vectors.vectors_folder import card, write_folder

PRIOR = 5
"""Number of occurrences that the characters of a word count as."""


@dataclass(frozen=True)
class Settings:
    """Settings of vectors from a lexicon.

    Attributes:
        dim: the size of a vector.
        minimum: a character or a bigram seen less often has no vector.
        bigrams: number of bigrams that are kept at most, the most frequent ones.
        bits: of a number of a vector, 8 or 4.
    """

    dim: int = 50
    minimum: int = 5
    bigrams: int = 1_000_000
    bits: int = 8


class Text:
    """A text as numbers.

    Attributes:
        codes: its code points, `[length]`.
        known: the characters with a number from 1 on, the most frequent first; 0 is any other.
        times: number of occurrences of each of them.
        ids: the numbers of the characters of the text, `[length]`.
    """

    def __init__(self, texts: Sequence[Prepared], minimum: int) -> None:
        """Read the text; a character needs `minimum` occurrences for a number.

        Raises:
            FenjieError: no character has.
        """
        self.codes = np.concatenate([code_points(block) for block in blocks(texts)])
        seen = np.bincount(self.codes)
        (some,) = np.nonzero(seen >= minimum)
        some = some[np.argsort(-seen[some], kind="stable")]
        self.known = [chr(code) for code in some.tolist()]
        self.times = seen[some]
        if not any(not one.isspace() for one in self.known):
            raise FenjieError(
                f"too little text: none of the characters occurs {minimum} times or more"
            )
        table = np.zeros(len(seen), dtype=np.int32)
        table[some] = np.arange(1, len(some) + 1)
        self.ids = table[self.codes]

    def vectors(self, found: Occurrences, units: int, dim: int) -> Vectors:
        """The vectors of some units by their contexts; see `context_vectors`."""
        return context_vectors(found, units, self.ids, len(self.known) + 1, dim)


def train_matched(
    sources: Sequence[Source],
    lexicon: Path,
    output: Path,
    normaliser: Normaliser,
    settings: Settings,
    *,
    work: Path,
    command: str,
    report: Report,
) -> None:
    """Make a vectors folder from texts and a lexicon.

    Args:
        sources: the texts.
        lexicon: a file of words.
        output: the folder, written whole or not at all.
        normaliser: of the text and of the words.
        settings: of the vectors.
        work: a folder for the files that are kept between runs.
        command: the command as typed, for the card.
        report: called with the progress.

    Raises:
        FenjieError: a file cannot be read or written, or holds too little text.
    """
    digest = sha256(lexicon)  # a missing file is better known before the texts are read
    texts = prepare(sources, work, normaliser, report)
    text = Text(texts, settings.minimum)
    makers: dict[str, Callable[[], UnitVectors]] = {
        "characters": lambda: characters(text, settings),
        "bigrams": lambda: bigrams(text, settings),
        "words": lambda: words(text, lexicon, normaliser, settings),
    }
    tables, minutes = {}, {}
    for number, (name, make) in enumerate(makers.items()):
        report("counting contexts", number, len(makers))
        begin = time.perf_counter()
        table = make()
        tables[name] = table.halved() if settings.bits == 4 else table
        minutes[name] = f"{(time.perf_counter() - begin) / 60:.1f}"
    about = (
        f"Vectors from the characters around each occurrence (`fenjie.vectors.contexts`), "
        f"int{settings.bits} with a scale each. Words are those of {lexicon.name} (SHA-256 begins "
        f"with `{digest[:16]}`). fenjie {__version__}, numpy {np.__version__}, scipy "
        f"{scipy.__version__}, Python {platform.python_version()}."
    )
    write_folder(output, tables, card(texts, tables, minutes, about, command))


def characters(text: Text, settings: Settings) -> UnitVectors:
    """The vectors of characters."""
    start = np.flatnonzero(text.ids).astype(np.int32)
    found = Occurrences(text.ids[start] - 1, start, start + 1)
    vectors = text.vectors(found, len(text.known), settings.dim)
    rows = [row for row, one in enumerate(text.known) if not one.isspace()]
    return UnitVectors.build([text.known[row] for row in rows], text.times[rows], vectors[rows])


def bigrams(text: Text, settings: Settings) -> UnitVectors:
    """The vectors of bigrams; `END` stands for the end of a line.

    Raises:
        FenjieError: none is frequent enough.
    """
    blank = np.array([False, *(one.isspace() for one in text.known)])
    line_end = np.array([False, *(one == "\n" for one in text.known)])
    first, second = text.ids[:-1], text.ids[1:]
    whole = (first > 0) & ~blank[first] & (second > 0) & (~blank[second] | line_end[second])
    start = np.flatnonzero(whole).astype(np.int32)
    pairs = first[start].astype(np.int64) * (len(text.known) + 1) + second[start]
    names, unit, times = _frequent(pairs, settings.minimum, settings.bigrams)
    if not len(names):
        minimum = settings.minimum
        raise FenjieError(f"too little text: none of the bigrams occurs {minimum} times or more")
    kept = unit >= 0
    found = Occurrences(unit[kept], start[kept], start[kept] + 2)
    vectors = text.vectors(found, len(names), settings.dim)
    spelled = ["", *(END if one == "\n" else one for one in text.known)]
    one, other = np.divmod(names, len(text.known) + 1)
    units = [spelled[a] + spelled[b] for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    return UnitVectors.build(units, times, vectors)


def words(text: Text, lexicon: Path, normaliser: Normaliser, settings: Settings) -> UnitVectors:
    """The vectors of the words of a lexicon that occur, and of single characters.

    A rare word is known by its characters: the mean of their vectors counts as much as `PRIOR`
    occurrences.

    Raises:
        FileError: the lexicon cannot be read, or holds no word of the text.
    """
    listed = Lexicon.build(normaliser(word).text for word in read_words(lexicon))
    start, end, word = _matches(text, listed)
    if not len(word):
        raise FileError(lexicon, "holds no word that the text has")
    numbers, unit, times = _frequent(word, 1, len(listed))
    spelled = list(listed)
    single = np.flatnonzero(text.ids).astype(np.int32)
    # Characters, then words: the numbers of the units.
    names = text.known + [spelled[number] for number in numbers.tolist()]
    counts = np.concatenate((text.times, times))
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    found = Occurrences(
        np.concatenate((place[text.ids[single] - 1], place[unit + len(text.known)])),
        np.concatenate((single, start)),
        np.concatenate((single + 1, end)),
    )
    names, counts = [names[row] for row in order.tolist()], counts[order]
    vectors = with_characters(text.vectors(found, len(names), settings.dim), names, counts)
    kept = [row for row, name in enumerate(names) if not name.isspace()]
    return UnitVectors.build([names[row] for row in kept], counts[kept], unit_length(vectors[kept]))


def with_characters(learnt: Vectors, names: Sequence[str], counts: Ids) -> Vectors:
    """Add to the vector of each word the mean of those of its characters, the more the rarer it is.

    Args:
        learnt: the vectors of characters and words, `[units, dim]`.
        names: the units.
        counts: how often each was seen, `[units]`.
    """
    vectors = learnt.copy()
    rows = {name: row for row, name in enumerate(names) if len(name) == 1}
    for row, name in enumerate(names):
        own = [rows[one] for one in name if one in rows]
        if len(name) > 1 and own:
            mean = unit_length(learnt[own].mean(axis=0, keepdims=True))[0]
            vectors[row] += PRIOR / counts[row] * mean
    return vectors


def _matches(text: Text, lexicon: Lexicon) -> tuple[NDArray[np.int32], ...]:
    """The starts, ends and ids of the words of a lexicon in a text; a word holds no line end."""
    found = lexicon.match_codes(text.codes, np.array([len(text.codes)]))
    return found.start.astype(np.int32), found.end.astype(np.int32), found.word.astype(np.int32)


def _frequent(values: NDArray[Any], minimum: int, limit: int) -> tuple[Ids, NDArray[np.int32], Ids]:
    """The frequent ones of some values, the most frequent first.

    Returns:
        The values; the number of each among them, -1 for those left out, `[values]`; their counts.
    """
    times = np.bincount(values)
    (some,) = np.nonzero(times >= minimum)
    some = some[np.argsort(-times[some], kind="stable")][:limit]
    number = np.full(len(times), -1, dtype=np.int32)
    number[some] = np.arange(len(some))
    return some, number[values], times[some]
