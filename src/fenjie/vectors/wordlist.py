"""Gathers the words of a text from several standards, with the reasons for each.

- dictionaries, by the names of their files; that of the words that fenjie's segmenter cuts is
  `words.txt` of a vectors folder;
- `mined`: stretches of the text that behave as words (`fenjie.vectors.mining`), which no dictionary
  may have.

The file of the words is a dictionary that every command reads: a line holds a word, how often it
occurs in the text, then where it comes from; after `mined` stand its cohesion and its variety.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.files import atomic
from fenjie.lexicon import word_files
from fenjie.lexicon.lexicon import LONGEST, SHORTEST, Lexicon
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points
from fenjie.vectors.mining import mine
from fenjie.vectors.texts import Prepared, Report, Source, blocks, prepare

MINIMUM = 10
"""A word that is mined occurs so often."""

EDGES = frozenset("的了是在与被也就很其这那我你他她它们吗吧呢啊并将")
"""A mined stretch that begins or ends with one of these characters is a phrase more often."""

ALL = "all"
"""The name of all sources together."""

_DOT = "·"

Reasons = dict[str, list[str]]
"""Where each word comes from."""


def gather(
    sources: Sequence[Source],
    dictionaries: Sequence[Path],
    output: Path,
    normaliser: Normaliser,
    *,
    work: Path,
    report: Report,
    skipped: word_files.Report,
) -> Counter[str]:
    """Write the words of a text; those that do not occur in it are left out.

    Args:
        sources: the text.
        dictionaries: files of words.
        output: the file to write.
        normaliser: of the text and of the words.
        work: a folder for the files that are kept between runs.
        report: called with the progress.
        skipped: called with each line of a dictionary that is skipped.

    Returns:
        The number of words from each source, from each source alone, and from `ALL`.

    Raises:
        FenjieError: a file cannot be read or written, or the text holds no word.
    """
    reasons: Reasons = {}
    for number, path in enumerate(dictionaries):
        report("reading dictionaries", number, len(dictionaries))
        listed = word_files.read_words(path, report=skipped)
        for word in dict.fromkeys(normaliser(word).text for word in listed):
            if acceptable(word):
                reasons.setdefault(word, []).append(source_name(path))
    texts = prepare(sources, work, normaliser, report)
    report("mining words", 0, 1)
    for found in mine("".join(blocks(texts)), MINIMUM):
        if found.word[0] not in EDGES and found.word[-1] not in EDGES:
            why = f"mined {found.cohesion:.1f} {found.variety:.1f}"
            reasons.setdefault(found.word, []).append(why)
    report("counting words", 0, 1)
    lexicon = Lexicon.build(reasons)
    counts = occurrences(texts, lexicon)
    if not counts.any():
        raise FenjieError("the text holds no word of any source")
    return _write(output, reasons, lexicon, counts)


def occurrences(texts: Sequence[Prepared], lexicon: Lexicon) -> NDArray[np.int64]:
    """The number of occurrences of each word of a lexicon, by its id: `[words]`."""
    counts = np.zeros(lexicon.fixed, dtype=np.int64)
    for block in blocks(texts):
        codes = code_points(block)
        counts += np.bincount(
            lexicon.match_codes(codes, np.array([len(codes)])).word, minlength=lexicon.fixed
        )
    return counts


def acceptable(word: str) -> bool:
    """Whether a word of a dictionary may stay.

    It has letters or Chinese characters alone (a dot may stand inside, as in foreign names), and
    is no run of one character of three or more.
    """
    return (
        SHORTEST <= len(word) <= LONGEST
        and word.replace(_DOT, "").isalpha()
        and word[0] != _DOT != word[-1]
        and (len(word) == SHORTEST or len(set(word)) > 1)
    )


def source_name(path: Path) -> str:
    """The name of a dictionary in the list: the letters and digits of that of its file.

    It ends where a capital follows a digit: it has to look like a part of speech, so that the
    list is read as a dictionary (`fenjie.lexicon.word_files`).
    """
    letters = re.sub(r"[^A-Za-z0-9]", "", path.name.partition(".")[0])
    named = re.match(r"[A-Za-z]+[a-z0-9]*", letters)
    return named[0] if named else "dictionary"


def _write(
    output: Path, reasons: Reasons, lexicon: Lexicon, counts: NDArray[np.int64]
) -> Counter[str]:
    seen = zip(lexicon, counts.tolist(), strict=True)
    words = sorted((pair for pair in seen if pair[1]), key=lambda pair: (-pair[1], pair[0]))
    tally = Counter[str]()
    with atomic(output) as made, made.open("w", encoding="utf-8", newline="\n") as file:
        for word, times in words:
            file.write(f"{word} {times} {' '.join(reasons[word])}\n")
            names = [reason.partition(" ")[0] for reason in reasons[word]]
            tally.update([*names, ALL] if len(names) > 1 else [*names, f"{names[0]} alone", ALL])
    return tally
