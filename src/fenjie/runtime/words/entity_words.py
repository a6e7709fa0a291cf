"""The words of a tagger of entities: those that its model sees, and those that are entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from os import PathLike

from fenjie.errors import FenjieError, several, shorten
from fenjie.lexicon import Lexicon
from fenjie.lexicon.keys import LONGEST
from fenjie.lexicon.lexicon import SHORTEST, Changes
from fenjie.runtime.rules.unsplittable import symbols
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_word_files import read_labelled
from fenjie.runtime.words.user_words import Matcher, UserWord, UserWords, listed, weight_of
from fenjie.text.invisible import visible
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import code_points


class Names(UserWords):
    """Words that are entities. They may hold spaces, as Tim Cook does."""

    spaces = True


class EntityWords:
    """The words of a tagger of entities; many threads may change them at any time.

    A word with a label is an entity of that type. It is *preferred*: the entities found are those
    of the best path over the model's own scores, with a bonus for each such word on it, which is
    less within a longer entity of the model (`fenjie.runtime.decoding.preferences`). One that is
    *forced* is found wherever it occurs, against the model, which finds the best entities around
    it; such words are found as those of `UserWords` are, from left to right, at each place the
    longest. So are words that hold a symbol or an emoji: on these the model has no say. A word
    with a label may hold spaces (Tim Cook), and is found where one space stands for each. A word
    without a label is one more word that the model sees among its characters, and takes for what
    it likes. A change holds from the next text on.
    """

    def __init__(
        self, normaliser: Normaliser, labels: Sequence[str], lexicon: Lexicon | None
    ) -> None:
        """Take what the model knows.

        Args:
            normaliser: that of the model.
            labels: the labels that it knows.
            lexicon: the words that it sees; None where it reads characters alone.
        """
        self._normaliser, self._labels, self._lexicon = normaliser, tuple(labels), lexicon
        self._entities = Names(normaliser)

    def copy(self, lexicon: Lexicon | None) -> EntityWords:
        """The words as they are now, to be changed without a change to these.

        Args:
            lexicon: a copy of the words that the model sees.
        """
        other = copy(self)
        other._lexicon, other._entities = lexicon, self._entities.copy()
        return other

    def add(
        self,
        *words: str | Iterable[str] | Mapping[str, str | None],
        label: str | None = None,
        weight: float | None = None,
        force: bool = False,
    ) -> None:
        """Add words: all of them, or none where one is refused. Many are added faster at once.

        Args:
            *words: the words, some of them together, or words with labels of their own.
            label: the type of entity that they are; None for words that the model sees.
            weight: how much words with a label are preferred: a number from 0 on, read as the
                frequencies in dictionaries of jieba's; less than 1 is as 1, and 10 without it.
            force: whether words with a label are found wherever they occur.

        Raises:
            FenjieError: a word is empty; the model does not know the label; a weight is no such
                number; a word without a label holds whitespace, or has fewer than 2 characters or
                more than 31, or the model reads no words; words without a label have a weight or
                are to be forced.
        """
        own: dict[str, str | None] = {}
        for part in words:
            if isinstance(part, Mapping):
                own |= part
        plain = _one_by_one(part for part in words if not isinstance(part, Mapping))
        if own or label is not None:
            own |= dict.fromkeys(listed(plain), label)
            self.update(own, weight=weight, force=force)
        else:
            _check_effect([None] * len(plain), weight, force)
            self._see(map(self._normalised, plain))

    def update(
        self,
        words: Mapping[str, str | None],
        *,
        weight: float | None = None,
        force: bool = False,
    ) -> None:
        """Add words, each with its label or None: all of them, or none where one is refused.

        Words without a label that no model can see, of one character or more than 31 after its
        normalisation, are passed over. A weight and `force` are for those with a label, of which
        there must be one then. For the rest see `add`.

        Raises:
            FenjieError: as `add`.
        """
        given: object = words
        if not isinstance(given, Mapping):
            expected = "a mapping of words to labels (`add` takes words)"
            raise FenjieError(f"found {shorten(given)}; expected {expected}")
        _check_effect(words.values(), weight, force)
        value = weight_of(None, weight, force)
        self.put({word: UserWord(value, label) for word, label in words.items()})

    def put(self, words: Mapping[str, UserWord]) -> None:
        """Add words with all that is known of them; those without a label as `update` does.

        Raises:
            FenjieError: as `add`.
        """
        labelled = {word: known for word, known in words.items() if known.label is not None}
        for known in labelled.values():
            self._check(known.label)
        plain = [self._normalised(word) for word in words if word not in labelled]
        seen = [word for word in plain if SHORTEST <= len(word) <= LONGEST]
        self._entities.check(labelled)
        if seen:
            self._see(seen)
        self._entities.put({word: self._ruled(word, known) for word, known in labelled.items()})

    def _see(self, words: Iterable[str]) -> None:
        """Add normalised words to those that the model sees."""
        if self._lexicon is None:
            raise FenjieError("this model reads characters alone, no words: name a label")
        self._lexicon.add(*words)

    def _normalised(self, word: str) -> str:
        """A word as it is looked for among those that the model sees."""
        if not isinstance(word, str) or not word:
            raise FenjieError(f"not a word; found {shorten(word)}, expected a text")
        return self._normaliser(visible(word)).text

    def _ruled(self, word: str, known: UserWord) -> UserWord:
        """What is known of a word; one that holds a symbol is forced."""
        codes = code_points(self._normalised(word))
        return known._replace(weight=FORCED) if symbols(codes).any() else known

    def remove(self, *words: str | Iterable[str]) -> None:
        """Take words back: all of them, or none where one is not there.

        A word with a label loses it; one without is no longer seen by the model, also where it
        belongs to the model's own words.

        Args:
            *words: the words, some of them together.

        Raises:
            FenjieError: a word is not there.
        """
        given = _one_by_one(words)
        labelled = [word for word in given if word in self._entities]
        plain = [self._normalised(word) for word in given if word not in self._entities]
        if plain and self._lexicon is None:
            raise FenjieError(f"no word with a label: {shorten(plain[0])}")
        if self._lexicon is not None:
            self._lexicon.remove(*plain)
        self._entities.remove(labelled)

    def __contains__(self, word: object) -> bool:
        """Whether a word has a label, or is one that the model sees."""
        if not isinstance(word, str):
            return False
        seen = self._lexicon is not None and self._normaliser(visible(word)).text in self._lexicon
        return seen or word in self._entities

    def __len__(self) -> int:
        """The number of words that the model sees, and of those with labels, together."""
        return len(self._lexicon or ()) + len(self._entities)

    @property
    def entities(self) -> dict[str, str]:
        """The words that have labels, as they are looked for, and their labels."""
        found = self._entities.known
        return {word: known.label for word, known in found.items() if known.label is not None}

    @property
    def added(self) -> list[str]:
        """The words without a label that were added to those of the model."""
        if self._lexicon is None:
            return []
        changes, fixed = self._lexicon.changes, self._lexicon.fixed
        return [changes.names[word - fixed] for word in changes.added]

    @property
    def known(self) -> dict[str, UserWord]:
        """The words that were added, and what is known of each; `put` adds them again.

        One that was added both with a label and without is there with it.
        """
        return {**dict.fromkeys(self.added, UserWord()), **self._entities.known}

    @property
    def matcher(self) -> Matcher | None:
        """A matcher of the words with labels as they are now; None where there are none."""
        return self._entities.matcher

    def __repr__(self) -> str:
        """The number of words."""
        return f"<{len(self._lexicon or ()):,} words, {len(self._entities):,} with labels>"

    @property
    def changes(self) -> tuple[Names, Changes | None]:
        """All that was added and removed, to be repeated in another process."""
        return self._entities, None if self._lexicon is None else self._lexicon.changes

    def repeat(self, changes: tuple[Names, Changes | None]) -> None:
        """Add and remove what was added to and removed from the words of the same model."""
        self._entities, seen = changes
        if self._lexicon is not None and seen is not None:
            self._lexicon.repeat(seen)

    def read(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Add the words of a file: UTF-8, a word a line, after it a label if it has one.

        After a word that holds spaces stands a tab, and after that the label.
        A frequency there, as in the user dictionaries of jieba, is the weight of a word with a
        label, and `force` makes it one that is found wherever it occurs. A part of speech is
        ignored; so are empty lines, and lines that begin with `#` and whitespace.

        Args:
            path: the file.
            force: whether all its words with a label are found wherever they occur.

        Raises:
            FileError: the file cannot be read, something else stands after a word, or a word that
                holds spaces has no label.
            FenjieError: as `add`.
        """
        words = read_labelled(path, self._labels)
        _check_effect([known.label for known in words.values()], None, force)
        if force:
            words = {word: known._replace(weight=FORCED) for word, known in words.items()}
        self.put(words)

    def _check(self, label: str | None) -> None:
        if not isinstance(label, str) or label not in self._labels:
            known = ", ".join(self._labels)
            raise FenjieError(f"the model knows no label {shorten(label)}; expected one of {known}")


def _one_by_one(words: Iterable[str | Iterable[str]]) -> list[str]:
    """Words of which some are given together; what is no word stays as it is.

    Raises:
        FenjieError: a table stands for some of them, or an array of no dimension.
    """
    found: list[str] = []
    for part in words:
        if isinstance(part, Iterable) and not isinstance(part, str | bytes):
            found.extend(several(part, "words"))  # `+=` would add an array to each word
        else:
            found.append(part)
    return found


def _check_effect(labels: Collection[str | None], weight: float | None, force: bool) -> None:
    """Refuse a weight or `force` where no word has a label: the model takes them for what it likes.

    Raises:
        FenjieError: it would have no effect.
    """
    given = "force" if force else "a weight"
    if (force or weight is not None) and labels and all(label is None for label in labels):
        raise FenjieError(f"{given} is for words with a label, and these have none: name a label")
