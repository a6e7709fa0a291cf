"""Enriches a vectors folder by characters from elsewhere and names of a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from fenjie.errors import FileError
from fenjie.files import read_lines
from fenjie.lexicon.units import UnitVectors, unit_length
from fenjie.lexicon.word_files import read_words
from fenjie.vectors.vectors_folder import CARD, open_tables, write_folder

NAMES = ("nr", "ns", "nt", "nz")
"""Parts of speech of names, as jieba's dictionary has them: persons, places, bodies, others."""

LONGEST = 12
"""Longer names of a dictionary are left out."""


def enrich(
    folder: Path,
    output: Path,
    *,
    characters: Path | None,
    dictionary: Path | None,
    minimum: int,
    words: int,
    without: Path | None,
) -> dict[str, UnitVectors]:
    """Write a vectors folder with more vectors than another has.

    The vector of a character becomes the one from elsewhere, then the folder's own, each of length
    1, or 0 where there is none. A name of the dictionary without a vector gets the mean of the
    vectors of its characters (as words) and of those of all names of its kind: it is known to be
    the name of a place, say, though no text has shown it.

    Args:
        folder: the vectors folder to start from.
        output: the folder to write, whole or not at all.
        characters: a word2vec file with vectors of characters.
        dictionary: a dictionary as jieba's: word, frequency, part of speech.
        minimum: the least frequency of a name there, but for names of places and bodies.
        words: number of words of the folder to keep, the most frequent ones.
        without: a file of words, one a line, that are left out before that.

    Raises:
        FileError: a file cannot be read, a dictionary comes to a folder without words, or the
            output cannot be written.
    """
    tables = open_tables(folder)
    if characters is not None:
        there = UnitVectors.read(characters)
        own = tables.get("characters")
        tables["characters"] = there if own is None else side_by_side(there, own)
    left_out = frozenset() if without is None else frozenset(read_words(without, form="list"))
    if "words" in tables:
        tables["words"] = first_rows(tables["words"], words, left_out)
    if dictionary is not None:
        if "words" not in tables:
            raise FileError(folder, "holds no words, to which a dictionary could add names")
        names = dict(read_names(dictionary, minimum))
        tables["words"] = with_names(tables["words"], names)
    card = folder / CARD
    before = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    write_folder(output, tables, before + _card(tables, characters, dictionary, without))
    return tables


def side_by_side(first: UnitVectors, second: UnitVectors) -> UnitVectors:
    """The units of both tables; the vector of each is the first one's, then the second one's."""
    names, counts = second.units
    own = first.units.names
    others = [name for name, row in zip(own, second.rows(own), strict=True) if row < 0]
    units = [*names, *others]
    vectors = np.zeros((len(units), first.dim + second.dim), dtype=np.float32)
    for table, part in ((first, slice(first.dim)), (second, slice(first.dim, None))):
        rows = table.rows(units)
        vectors[rows >= 0, part] = unit_length(table(rows[rows >= 0]))
    return UnitVectors.build(units, [*counts.tolist(), *[0] * len(others)], vectors)


def first_rows(table: UnitVectors, size: int, without: Collection[str]) -> UnitVectors:
    """The first rows of a table without some words; one-character words stay in any case."""
    names, counts = table.units
    rows = [row for row, name in enumerate(names) if len(name) == 1 or name not in without]
    kept = rows[:size] + [row for row in rows[size:] if len(names[row]) == 1]
    return UnitVectors.build(
        [names[row] for row in kept], counts[kept], table(np.array(kept, dtype=np.int64))
    )


def read_names(path: Path, minimum: int) -> Iterator[tuple[str, str]]:
    """The names of a dictionary and their kinds."""
    for number, line in read_lines(path):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 3 or not columns[1].isdecimal():
            found, expected = line.strip(), "a word, its frequency and its part of speech"
            raise FileError(path, "not an entry", line=number, found=found, expected=expected)
        word, frequency, kind = columns[0], int(columns[1]), columns[2][:2]
        enough = frequency >= minimum or kind in ("ns", "nt")
        if kind in NAMES and enough and 2 <= len(word) <= LONGEST:
            yield word, kind


def with_names(table: UnitVectors, names: dict[str, str]) -> UnitVectors:
    """A table of words with the names that it lacks; see `enrich`."""
    words, counts = table.units
    vectors = unit_length(table(np.arange(len(table))))
    rows = dict(zip(names, table.rows(list(names)).tolist(), strict=True))
    kinds = {}
    for kind in NAMES:
        known = [row for name, row in rows.items() if row >= 0 and names[name] == kind]
        kinds[kind] = vectors[known].mean(axis=0) if known else np.zeros(table.dim)
    new = [name for name, row in rows.items() if row < 0]
    place = {word: row for row, word in enumerate(words) if len(word) == 1}
    made = np.zeros((len(new), table.dim), dtype=np.float32)
    for row, name in enumerate(new):
        own = [place[character] for character in name if character in place]
        if own:
            made[row] = unit_length(vectors[own].mean(axis=0, keepdims=True))[0]
        made[row] += unit_length(kinds[names[name]][None])[0]
    together = np.concatenate([vectors, unit_length(made)])
    return UnitVectors.build([*words, *new], [*counts.tolist(), *[0] * len(new)], together)


def _card(
    tables: dict[str, UnitVectors],
    characters: Path | None,
    dictionary: Path | None,
    without: Path | None,
) -> str:
    sizes = ", ".join(f"{len(table):,} {name} × {table.dim}" for name, table in tables.items())
    parts = [f"\n# Enriched\n\nNow {sizes}."]
    if characters is not None:
        parts.append(f"In front of each character's vector stands that of {characters.name}.")
    if dictionary is not None:
        parts.append(f"Names without a vector of their own come from {dictionary.name}.")
    if without is not None:
        parts.append(f"The words of {without.name} are left out.")
    return " ".join(parts) + "\n"
