"""Search engines: the terms by which Chinese texts are found.

    >>> terms = Terms()
    >>> next(terms.index(["他在北京大学读书"]))
    '他 在 北京大学 读书 他在 在北 北京 京大 大学 学读'
    >>> terms.query("大学读书")
    ['大学', '读书']

SQLite's FTS5, Tantivy, Whoosh and others split at spaces: they index the terms of a text and keep
the text itself beside them. A query is split into words, which need not stand side by side in a
text; one that has all of them is found, also where they stand inside of longer words.

Both are read as user words are: without invisible characters, and full width as half width. No term
holds a quotation mark `"`, so that each can stand between two of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike

from fenjie.errors import FenjieError, several, shorten
from fenjie.runtime.load import Words, load_segmenter
from fenjie.text.span import Sentence

_HAN = re.compile(r"[\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+")


class Terms:
    """Makes the terms of texts and of queries, both with the same model and user words."""

    def __init__(
        self,
        model: str | PathLike[str] = "segment",
        *,
        words: Words = (),
        threads: int = 1,
    ) -> None:
        """Load the model.

        Args:
            model: a shipped model that finds words, or the path of a model folder.
            words: user words, or the path of a file of them.
            threads: number of threads that one call may use.
        """
        self._segmenter = load_segmenter(model, threads=threads, words=words)

    def index(self, texts: Iterable[str]) -> Iterator[str]:
        """The terms of each text, separated by spaces: its words, then all pairs of characters."""
        return map(_terms, self._segmenter.stream(map(self._read, several(texts))))

    def query(self, text: str) -> list[str]:
        """The terms that a text has to have to be found; without repetition.

        Words of one character are left out where there are others; several in a row, as of a name,
        count as one word.

        Raises:
            FenjieError: `text` is not one text.
        """
        if not isinstance(text, str):
            raise FenjieError(f"found {shorten(text)}; expected the text of a query")
        terms: list[str] = []
        alone: list[str] = []
        run = ""
        for word in [*_unquoted(self._segmenter.cut(self._read(text))), ""]:
            han = _HAN.fullmatch(word) is not None
            if han and len(word) == 1:
                run += word
                continue
            (terms if len(run) > 1 else alone).extend(_pairs(run) or run)
            run = ""
            if _says_something(word):
                terms += _pairs(word) if han else [word]
        return list(dict.fromkeys(terms or alone))

    def _read(self, text: str) -> str:
        """A text as it is indexed; what is none is left to the segmenter, which refuses it."""
        return self._segmenter.words.key(text) if isinstance(text, str) else text


def _terms(sentence: Sentence) -> str:
    words = [word for word in _unquoted(sentence.words) if _says_something(word)]
    pairs = [pair for run in _HAN.findall(sentence.text) for pair in _pairs(run)]
    return " ".join([*words, *pairs])


def _unquoted(words: Iterable[str]) -> list[str]:
    """Words that are parted at quotation marks, which addresses may hold."""
    return [part for word in words for part in word.split('"')]


def _says_something(word: str) -> bool:
    return any(map(str.isalnum, word))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]
