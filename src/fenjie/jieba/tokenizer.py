"""The class behind jieba's functions."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, pairwise
from os import PathLike, cpu_count
from threading import RLock
from typing import IO, Any

import numpy as np

from fenjie.errors import FenjieError, several, shorten
from fenjie.lexicon import Lexicon
from fenjie.runtime.folder import find
from fenjie.runtime.load import DEFAULT, FAST, load_segmenter
from fenjie.runtime.parts import CHUNK
from fenjie.runtime.rows import origins
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.words.preferred import least_weight
from fenjie.runtime.words.user_word_files import (
    COMMENT,
    FORCE,
    NUMBER,
    read_user_lines,
    weight_in,
)
from fenjie.runtime.words.user_words import UserWord, weight_of
from fenjie.text.invisible import Visible

Text = str | bytes

_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]+")
_ENTRY = re.compile(
    rf"(?P<word>.+?)(?P<after>(?:\s+(?:{NUMBER.pattern}|{FORCE}))*"
    rf"(?:\s+(?:[a-z][a-z0-9]*|[A-Z]+))?(?:\s+{FORCE})?)"
)
"""A line of a dictionary: a word, which may hold spaces, its frequency, its part of speech."""

_LINE_BEGINS = re.compile(r"(?<=\n)(?=\S)")
"""Where texts are parted for several processes: never in a run of whitespace, which is a word."""

_logger = logging.getLogger("jieba")

_SEARCHED = (2, 3)
"""The lengths of the words inside of words that a search engine is given too."""


class Tokenizer:
    """Segments as jieba's class of this name does. Models are loaded when they are first needed."""

    def __init__(
        self,
        dictionary: str | PathLike[str] | None = None,
        model: str | PathLike[str] = FAST,
    ) -> None:
        """Make a tokenizer.

        Args:
            dictionary: a file of words that are preferred.
            model: the segmenter, a shipped one or a model folder.
        """
        self._model, self._dictionary = model, dictionary
        self._apart: dict[str, list[int]] = {}  # words as they are read: where they are cut
        self._workers = 1
        self._segmenter: Segmenter | None = None
        self._lock = RLock()

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter that finds the words: one, whichever thread asks first."""
        with self._lock:
            if self._segmenter is None:
                words = {} if self._dictionary is None else _read(self._dictionary)
                self._segmenter = load_segmenter(self._model)
                try:
                    self._prefer(words)
                except BaseException:  # the next call is refused, too
                    self._segmenter = None
                    raise
            return self._segmenter

    @cached_property
    def _lexicon(self) -> Lexicon:
        """The words that `cut_all` and the search mode know, hashed."""
        return Lexicon.open(find(DEFAULT) / "lexicon.npy")

    def initialize(self, dictionary: str | PathLike[str] | None = None) -> None:
        """Load the model now, with a dictionary perhaps."""
        if dictionary is not None:
            self.set_dictionary(dictionary)
        _ = self.segmenter

    def set_dictionary(self, dictionary_path: str | PathLike[str]) -> None:
        """Prefer the words of a file."""
        self.load_userdict(dictionary_path)

    def cut(
        self, sentence: Text, cut_all: bool = False, HMM: bool = True, use_paddle: bool = False
    ) -> Iterator[str]:
        """The words of a text.

        Args:
            sentence: the text; bytes are read as UTF-8, else as GBK.
            cut_all: all words of the dictionary instead, over each other.
            HMM: without effect: the model finds unknown words in any case.
            use_paddle: without effect.
        """
        text = _decoded(sentence)
        yield from self._all(text) if cut_all else self._words(text)

    def lcut(
        self, sentence: Text, cut_all: bool = False, HMM: bool = True, use_paddle: bool = False
    ) -> list[str]:
        """`cut`, as a list."""
        return list(self.cut(sentence, cut_all, HMM, use_paddle))

    def cut_for_search(self, sentence: Text, HMM: bool = True) -> Iterator[str]:
        """The words of a text for a search engine: before each long one the shorter ones in it."""
        for word, _, _ in self._tokens(_decoded(sentence), search=True):
            yield word

    def lcut_for_search(self, sentence: Text, HMM: bool = True) -> list[str]:
        """`cut_for_search`, as a list."""
        return list(self.cut_for_search(sentence, HMM))

    def tokenize(
        self, unicode_sentence: str, mode: str = "default", HMM: bool = True
    ) -> Iterator[tuple[str, int, int]]:
        """The words of a text with where each starts and ends.

        Args:
            unicode_sentence: the text.
            mode: `default`, or `search` for the words of `cut_for_search`.
            HMM: without effect.

        Raises:
            ValueError: the text is no `str`.
        """
        if not isinstance(unicode_sentence, str):
            raise ValueError("jieba: the input parameter should be unicode.")
        yield from self._tokens(unicode_sentence, search=mode != "default")

    def add_word(self, word: Text, freq: float | None = None, tag: str | None = None) -> None:
        """Prefer a word, the more the higher its frequency; 0 deletes it. The tag is ignored.

        One that is empty, invisible or holds whitespace is passed over, as by `load_userdict`.
        """
        weight = weight_of(None, None if freq is None else float(freq), force=False)
        self._prefer({_decoded(word): UserWord(weight)})

    def del_word(self, word: Text) -> None:
        """Let a word be none: where the model finds it, it is cut at its weakest place."""
        text = self._read(_decoded(word))
        if text in self.segmenter.words:
            self.segmenter.words.remove(text)
        if len(text) > 1:
            (odds,) = self.segmenter.log_odds([text])
            self._apart[text] = [1 + int(np.nan_to_num(odds[1:], nan=-np.inf).argmax())]

    def load_userdict(self, f: str | PathLike[str] | IO[Any]) -> None:
        """Prefer the words of a file of jieba's form: a word a line, its frequency, its tag.

        A word with a space in it, which jieba's own modes never find, is passed over with a
        warning to jieba's logger.

        Raises:
            FileError: the file cannot be read.
            ValueError: a file object holds what is not UTF-8.
        """
        self._prefer(_read(f) if isinstance(f, str | PathLike) else _listed(f))

    def get_FREQ(self, k: Text, d: float | None = None) -> float | None:  # noqa: N802
        """The frequency of a word that was added; of any other `d`, for a model counts no words.

        It is an integer, as jieba's are, unless a fraction was given.
        """
        known = self.segmenter.words.get(_decoded(k))
        if known is None:
            return d
        return int(known.weight) if known.weight.is_integer() else known.weight

    def _prefer(self, words: Mapping[str, UserWord]) -> None:
        """Prefer words, all at once; those of the frequency 0 are deleted.

        A word that is empty, invisible or holds whitespace, which jieba keeps and never finds, is
        passed over.
        """
        possible = {word: known for word, known in words.items() if self._can_be_found(word)}
        kept = {word: known for word, known in possible.items() if known.weight > 0}
        self.segmenter.words.put(kept)
        for word in possible:
            if word in kept:
                self._apart.pop(self._read(word), None)
            else:
                self.del_word(word)

    def _can_be_found(self, word: str) -> bool:
        """Whether a word can be one; jieba's logger is told of one that holds whitespace."""
        key = self._read(word)
        has_space = any(map(str.isspace, word + key))
        if has_space:
            _logger.warning("passed over, for a word cannot hold whitespace here: %s", word)
        return bool(key) and not has_space

    def suggest_freq(self, segment: Text | Iterable[Text], tune: bool = False) -> int:
        """The frequency with which a word is found, or, of several parts, with which it is not.

        Args:
            segment: a word that is to be found, or the parts into which a word is to be cut.
            tune: whether that is done.

        Returns:
            The least frequency with which the word is found as a text of its own, where no other
            user word is in it; 0 of parts.
        """
        if isinstance(segment, str | bytes):
            word = _decoded(segment)
            (odds,) = self.segmenter.log_odds([word])
            freq = least_weight(odds)
            if tune:
                self.add_word(word, freq)
            return freq
        parts = tuple(map(_decoded, several(segment, "parts of a word")))
        if tune:
            word = "".join(parts)
            if word in self.segmenter.words:
                self.segmenter.words.remove(word)
            text = self._read(word)
            places = {len(self._read(part)) for part in accumulate(parts)}
            self._apart[text] = sorted(places - {0, len(text)})
        return 0

    def enable_parallel(self, processnum: int | None = None) -> None:
        """Share the lines of a text among processes; as many as there are cores without a number.

        They are started for each text, and only for one of more than `CHUNK` characters: less is
        the work of one of them.

        Raises:
            FenjieError: the number is no integer from 1 on.
        """
        number = (cpu_count() or 1) if processnum is None else processnum
        if not isinstance(number, int) or number < 1:
            raise FenjieError(f"processnum must be at least 1; found {shorten(number)}")
        self._workers = number

    def disable_parallel(self) -> None:
        """Work in this process again."""
        self._workers = 1

    def _words(self, text: str) -> Iterator[str]:
        if self._workers > 1 and len(text) > CHUNK and "\n" in text:
            lines = _LINE_BEGINS.split(text)
            sentences = self.segmenter.stream(lines, workers=self._workers)
            found: Iterable[str] = (word for sentence in sentences for word in sentence.words)
        else:
            found = self.segmenter.cut(text)
        if not self._apart:
            yield from found
            return
        for word in found:
            places = self._apart.get(self._read(word))
            if places:
                yield from self._parts(word, places)
            else:
                yield word

    def _parts(self, word: str, places: list[int]) -> Iterator[str]:
        """The parts of a word that is cut at these places of what it is read as."""
        shown = Visible(word)
        origin = shown.place[origins([self.segmenter.words.normaliser(shown.text)])]
        edges = {0, *origin[places].tolist(), len(word)}
        return (word[low:high] for low, high in pairwise(sorted(edges)))

    def _read(self, word: str) -> str:
        """A word as user words are read, by which those that are no words are known."""
        return self.segmenter.words.key(word)

    def _tokens(self, text: str, search: bool) -> Iterator[tuple[str, int, int]]:
        start = 0
        for word in self._words(text):
            if search and len(word) > min(_SEARCHED):
                for low, high in self._inside(word):
                    yield word[low:high], start + low, start + high
            end = start + len(word)
            yield word, start, end
            start = end

    def _inside(self, word: str) -> list[tuple[int, int]]:
        """The shorter words of the dictionary in a word, by their lengths."""
        sizes = [size for size in _SEARCHED if size < len(word)]
        places = sorted(self._known(word))
        return [place for size in sizes for place in places if place[1] - place[0] == size]

    def _known(self, text: str) -> set[tuple[int, int]]:
        """Where words of the dictionary and of the user, of two characters and more, are."""
        found = self._lexicon.match(text)
        places = set(zip(found.start.tolist(), found.end.tolist(), strict=True))
        if (matcher := self.segmenter.words.matcher) is not None:
            places |= {(low, high) for low, high in matcher.occurrences(text) if high - low > 1}
        return {place for place in places if self._read(text[slice(*place)]) not in self._apart}

    def _all(self, text: str) -> Iterator[str]:
        """All words of the dictionary; a character that is in none alone."""
        last = 0
        for run in _HAN.finditer(text):
            yield from self._words(text[last : run.start()])
            covered = 0
            begins: dict[int, list[int]] = {}
            for low, high in sorted(self._known(run[0])):
                begins.setdefault(low, []).append(high)
            for place, character in enumerate(run[0]):
                for end in begins.get(place, ()):
                    yield run[0][place:end]
                    covered = max(covered, end)
                if place >= covered:
                    yield character
            last = run.end()
        yield from self._words(text[last:])


def _read(path: str | PathLike[str]) -> dict[str, UserWord]:
    """The words of the file of a dictionary and what is known of each."""
    return _entries(line for _, line in read_user_lines(path))


def _listed(lines: Iterable[Text]) -> dict[str, UserWord]:
    """The words of an open dictionary and what is known of each."""
    lines = several(lines, "a dictionary")
    return _entries(_decoded(line, strict=True).lstrip("\ufeff") for line in lines)


def _entries(lines: Iterable[str]) -> dict[str, UserWord]:
    """The words of lines as jieba reads them, those that hold whitespace too."""
    words: dict[str, UserWord] = {}
    for line in lines:
        parts = line.split()
        entry = _ENTRY.fullmatch(" ".join(parts))
        if entry is None or parts[0] == COMMENT:
            continue
        words[entry["word"]] = UserWord(weight_in(entry["after"].split()))
    return words


def _decoded(text: Text, strict: bool = False) -> str:
    """A text that may come as bytes, in UTF-8 or, as jieba has it, in GBK.

    Raises:
        FenjieError: it is no text.
        ValueError: `strict`, and it is not UTF-8.
    """
    if isinstance(text, str):
        return text
    if not isinstance(text, bytes | bytearray):
        raise FenjieError(f"found {shorten(text)}; expected a text")
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        if strict:
            raise ValueError("dictionary file must be utf-8") from error
        return text.decode("gbk", "ignore")
