"""A set of words that finds all its occurrences in a text.

A lexicon holds one 64-bit number for each word, sorted (`fenjie.lexicon.keys`); its file is that
array, opened by memory-mapping. The number of a word, its id, is its place there. Two different
words share a key with a probability of 2^-59: with a million words, about two false matches in
1,000 texts of a billion characters.

A second file beside it may hold the words themselves, so that they can be named: their code points
in the order of the ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError, several, shorten
from fenjie.files import atomic
from fenjie.lexicon.arrays import is_array, open_array, write_array
from fenjie.lexicon.keys import (
    LONGEST,
    Codes,
    Keys,
    SameLength,
    code_keys,
    code_tables,
    same_key,
    same_lengths,
    word_keys,
)
from fenjie.lexicon.matching import Fixed, Ids, Matcher, Matches, places
from fenjie.lexicon.word_files import Form, Report, read_words
from fenjie.lexicon.word_statistics import Statistics, count_words
from fenjie.text.vocabulary import code_points, text_of

__all__ = ["LONGEST", "SHORTEST", "Lexicon", "Matches", "Statistics"]

SHORTEST = 2
"""Words of fewer than `SHORTEST` characters and of more than `LONGEST` are left out of a lexicon:
a character is always seen anyway, and nobody writes words of 32 characters."""


class Changes(NamedTuple):
    """The changes of a lexicon since it was opened.

    Attributes:
        names: the words that ever were added, in the order of their ids.
        added: the ids of those that are in it.
        removed: the ids of the words that it was opened with and that are removed.
    """

    names: tuple[str, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]


class Lexicon:
    """A set of words of two to 31 characters, each with an id.

    Words can be added and removed at any time, and what the user says goes before the lexicon: a
    removed word is not found, although the lexicon has it or it was added before; an added word
    is found, although the lexicon does not have it or it was removed before. A change holds from
    the next call on; a call under way keeps the words it began with. The file that a lexicon was
    opened from never changes. Many threads may read and change a lexicon at once.

    Attributes:
        fixed: the number of words it was made with. Their ids are 0 to `fixed` - 1; words added at
            run time have ids from `fixed` on, which they keep.
    """

    def __init__(self, keys: Keys, codes: Callable[[], Codes] | None = None) -> None:
        """Take the parts of a lexicon; `build`, `read` and `open` make them.

        Args:
            keys: the sorted keys of the words.
            codes: gives the code points of the words, in the order of their keys; None where the
                words cannot be named.
        """
        self.fixed = len(keys)
        self._fixed = Fixed(keys)
        self._codes = codes
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._added: set[int] = set()
        self._removed: set[int] = set()
        self._lock = Lock()
        self._made: Matcher | None = None

    @classmethod
    def build(cls, words: Iterable[str]) -> Lexicon:
        """The lexicon of some words; those outside of 2 to 31 characters are left out.

        Raises:
            FenjieError: two different words share a key by chance; or there is one text instead of
                words, or a word is no text.
        """
        several(words, "words")
        keys, codes = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
        for table in code_tables(words, SHORTEST):
            found = code_keys(table)
            order = np.argsort(found)
            found, table = found[order], table[order]
            again = np.flatnonzero(found[1:] == found[:-1]) + 1
            differ = again[(table[again] != table[again - 1]).any(axis=1)]
            if len(differ):
                raise same_key(*(text_of(table[differ[0] - step]) for step in (1, 0)))
            keys.append(np.delete(found, again))
            codes.append(np.delete(table, again, axis=0).ravel())
        spelling = np.concatenate(codes)
        return cls(np.concatenate(keys), lambda: spelling)

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        form: Form | None = None,
        report: Report | None = None,
    ) -> Lexicon:
        """The lexicon of a file of words, plain, gzip or xz; see `fenjie.lexicon.word_files`.

        Args:
            path: the file, or a saved lexicon.
            form: the form of the file; where None, this is guessed from the beginning of the file.
            report: called with each line that is skipped, `print` for example; where None, one
                warning counts them.

        Raises:
            FileError: the file cannot be read, or holds no word at all although it is not empty.
        """
        if is_array(path):
            return cls.open(path)
        return cls.build(read_words(path, form, report))

    def __len__(self) -> int:
        """The number of words."""
        with self._lock:
            return self.fixed - len(self._removed) + len(self._added)

    def copy(self) -> Lexicon:
        """The words as they are now, to be changed without a change to this lexicon.

        Both share the words that this one was made with, so a copy takes no time or memory to
        speak of, whatever their number.
        """
        other = Lexicon.__new__(Lexicon)
        with self._lock:
            vars(other).update(vars(self))
            other._numbers, other._names = dict(self._numbers), list(self._names)
            other._added, other._removed = set(self._added), set(self._removed)
        other._lock = Lock()
        return other

    def __reduce__(self) -> tuple[object, ...]:
        """How it is pickled: whole, its words as they are now with the ids that they have."""
        codes = None if self._codes is None else np.asarray(self._codes())
        return _restored, (np.asarray(self._fixed.keys), codes, self.changes)

    def part(self, chosen: NDArray[np.bool_]) -> Lexicon:
        """A lexicon of some of the words that this one was made with, which cannot be named.

        Args:
            chosen: which of them, by their ids, `[fixed]`.
        """
        return Lexicon(self._fixed.keys[chosen])

    @property
    def keys(self) -> Keys:
        """The sorted keys of the words as they are now: `[words]`."""
        matcher = self._matcher
        keys = matcher.fixed.keys
        if len(matcher.removed):
            keys = np.delete(keys, matcher.removed)
        if len(matcher.added):
            keys = np.insert(keys, keys.searchsorted(matcher.added), matcher.added)
        return keys

    @property
    def size(self) -> int:
        """One more than the greatest id that a word has or had."""
        return self.fixed + len(self._names)

    def __contains__(self, word: object) -> bool:
        """Whether a word is in the lexicon."""
        with self._lock:
            return self._number(word) >= 0

    def __iter__(self) -> Iterator[str]:
        """The words in the order of their ids.

        Raises:
            FenjieError: the words themselves were not saved.
        """
        matcher, codes = self._matcher, self._spelled()
        removed = set(matcher.removed.tolist())
        for length, ids, where in self._lengths():
            text = text_of(codes[where])
            for place, number in enumerate(ids):
                if number not in removed:
                    yield text[place * length : (place + 1) * length]
        for number in sorted(matcher.added_ids.tolist()):
            yield self._names[number - self.fixed]

    def __repr__(self) -> str:
        """The number of words."""
        return f"<lexicon of {len(self):,} words>"

    def ids(self, words: Sequence[str]) -> Ids:
        """The id of each word, -1 for what is no word of the lexicon: `[words]`."""
        return self._matcher.find(word_keys(words))

    def word(self, number: int) -> str:
        """The word that has, or had, an id.

        Raises:
            FenjieError: there is none, or the words themselves were not saved.
        """
        if not 0 <= number < self.size:
            raise FenjieError(f"no word has the id {number}; expected 0 to {self.size - 1}")
        if number >= self.fixed:
            return self._names[number - self.fixed]
        codes = self._spelled()
        length, ids, where = next(same for same in self._lengths() if number in same.ids)
        first = where.start + length * (number - ids.start)
        return text_of(codes[first : first + length])

    def match(self, text: str) -> Matches:
        """Every occurrence of every word in a text, sorted by length, then by start.

        Raises:
            FenjieError: it is no text.
        """
        if not isinstance(text, str):
            raise FenjieError(f"found {shorten(text)}; expected a text")
        codes = code_points(text)
        return self.match_codes(codes, np.array([len(codes)]))

    def match_codes(self, codes: Codes, ends: Ids) -> Matches:
        """`match` for many texts that lie one after the other.

        Args:
            codes: the code points of the texts, `[length]`.
            ends: offset after the last character of each text, rising, `[texts]`.
        """
        return self._matcher.match(codes, ends)

    def statistics(self, texts: Iterable[str]) -> Statistics:
        """Count the words in texts; of sentences, it is a column of FLAT's Table 1.

        Raises:
            FenjieError: there is one text instead of several.
        """
        return count_words(self, several(texts))

    def add(self, *words: str) -> None:
        """Add words: all of them, or none where one is refused. Many are added faster at once.

        Raises:
            FenjieError: a word has fewer than 2 characters or more than 31, or holds whitespace.
        """
        for word in words:
            if not isinstance(word, str) or not SHORTEST <= len(word) <= LONGEST:
                expected = f"{SHORTEST} to {LONGEST} characters"
                raise FenjieError(f"not a word of a lexicon: {shorten(word)}; expected {expected}")
            if any(map(str.isspace, word)):
                raise FenjieError(f"a word cannot hold whitespace; found {shorten(word)}")
        with self._lock:
            numbers: list[int] = places(self._fixed.keys, word_keys(words)).tolist()
            for word, number in zip(words, numbers, strict=True):
                self._removed.discard(number)
                if number < 0 and word not in self._numbers:
                    self._numbers[word] = self.fixed + len(self._names)
                    self._names.append(word)
                if number < 0:
                    self._added.add(self._numbers[word])
            self._made = None

    def remove(self, *words: str) -> None:
        """Remove words: all of them, or none where one is no word of the lexicon.

        Raises:
            FenjieError: one is no word of the lexicon.
        """
        with self._lock:
            gone = [self._number(word) for word in words]
            if -1 in gone:
                raise FenjieError(f"no word of the lexicon: {shorten(words[gone.index(-1)])}")
            self._added.difference_update(gone)
            self._removed |= {number for number in gone if number < self.fixed}
            self._made = None

    @property
    def changes(self) -> Changes:
        """What was added and removed at run time, for `repeat`."""
        with self._lock:
            added, removed = tuple(sorted(self._added)), tuple(sorted(self._removed))
            return Changes(tuple(self._names), added, removed)

    def repeat(self, changes: Changes) -> None:
        """Make a lexicon as it was opened what another one with the same words has become."""
        with self._lock:
            self._names = list(changes.names)
            self._numbers = {word: self.fixed + at for at, word in enumerate(self._names)}
            self._added, self._removed = set(changes.added), set(changes.removed)
            self._made = None

    def save(self, path: str | PathLike[str], *, words: bool = False) -> None:
        """Write the lexicon as it is now, words added and removed with it; ids begin at 0 again.

        Args:
            path: the file of its keys, which is all that matching needs; `NAME.npy`.
            words: whether to write the words themselves too, to `NAME.words.npy`.

        Raises:
            FileError: a file cannot be written; an older lexicon stays as it was.
            FenjieError: the words are to be written and were not saved themselves.
        """
        path = Path(path)
        matcher, beside = self._matcher, _beside(path)
        if not words:
            with atomic(path) as made:
                write_array(made, self.keys)
            beside.unlink(missing_ok=True)  # it is that of another lexicon
        elif len(matcher.added) or len(matcher.removed):
            Lexicon.build(self).save(path, words=True)
        else:
            codes = self._spelled()
            with atomic(beside) as names:
                write_array(names, codes)
                with atomic(path) as made:
                    write_array(made, matcher.fixed.keys)
                beside.unlink(missing_ok=True)  # it is that of another lexicon

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Lexicon:
        """Open a saved lexicon by memory-mapping; processes share it.

        Raises:
            FileError: the file is missing or is no lexicon.
        """
        path = Path(path)
        keys, beside = open_array(path, "a lexicon"), _beside(path)
        if keys.dtype != np.uint64 or keys.ndim != 1:
            raise FileError(path, "is no lexicon", found=f"{keys.dtype} {keys.shape}")
        if not beside.exists():
            return cls(keys)
        codes = open_array(beside, "the words of a lexicon")
        lexicon = cls(keys, lambda: codes)
        expected = sum(same.length * len(same.ids) for same in lexicon._lengths())
        if codes.dtype != np.uint32 or codes.shape != (expected,):
            found = f"{codes.dtype} {codes.shape}"
            raise FileError(beside, f"does not fit {path.name}", found=found)
        return lexicon

    def _spelled(self) -> Codes:
        """The code points of the fixed words, in the order of their ids."""
        if self._codes is None:
            raise FenjieError("this lexicon was saved without its words, so they cannot be named")
        return self._codes()

    def _lengths(self) -> Iterator[SameLength]:
        return same_lengths(self._fixed.keys)

    def _number(self, word: object) -> int:
        """The id of a word, -1 where it is not in the lexicon now, or no text."""
        if not isinstance(word, str):
            return -1
        number = int(places(self._fixed.keys, word_keys([word]))[0])
        if number >= 0:
            return -1 if number in self._removed else number
        return number if (number := self._numbers.get(word, -1)) in self._added else -1

    @property
    def _matcher(self) -> Matcher:
        """A matcher of the words as they are now, made when one is asked for after a change."""
        if (made := self._made) is None:
            with self._lock:
                if (made := self._made) is None:
                    ids = np.array(sorted(self._added), dtype=np.int64)
                    keys = word_keys([self._names[number - self.fixed] for number in ids.tolist()])
                    removed = np.array(sorted(self._removed), dtype=np.int64)
                    self._made = made = Matcher(self._fixed, keys, ids, removed)
        return made


def _restored(keys: Keys, codes: Codes | None, changes: Changes) -> Lexicon:
    """The lexicon that was pickled."""
    lexicon = Lexicon(keys, None if codes is None else lambda: codes)
    lexicon.repeat(changes)
    return lexicon


def _beside(path: Path) -> Path:
    """The file of the words themselves."""
    return path.parent / f"{path.stem}.words.npy"
