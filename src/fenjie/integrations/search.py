"""Search engines: the terms by which Chinese texts are found.

    >>> terms = Terms()
    >>> next(terms.index(["他在北京大学读书"]))
    '他 在 北京大学 读书 他在 在北 北京 京大 大学 学读'
    >>> terms.query("大学读书")
    ['大学', '读书']

SQLite's FTS5, Tantivy, Whoosh and others split at spaces: they index the terms of a text and keep
the text itself beside them. A query is split into words, which need not stand side by side in a
text; one that has all of them is found, also where they stand inside of longer words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fenjie.errors import FenjieError, shorten
from fenjie.runtime.load import load_segmenter
from fenjie.text.span import Sentence

_HAN = re.compile(r"[\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+")


class Terms:
    """Makes the terms of texts and of queries, both with the same model and user words."""

    def __init__(
        self, model: str = "segment", *, words: Iterable[str] = (), threads: int = 1
    ) -> None:
        """Load the model.

        Args:
            model: a shipped model that finds words, or the path of a model folder.
            words: user words.
            threads: number of threads that one call may use.
        """
        self._segmenter = load_segmenter(model, threads=threads, words=words)

    def index(self, texts: Iterable[str]) -> Iterator[str]:
        """The terms of each text, separated by spaces: its words, then all pairs of characters."""
        return map(_terms, self._segmenter.stream(texts))

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
        for word in [*self._segmenter.cut(text), ""]:
            han = _HAN.fullmatch(word) is not None
            if han and len(word) == 1:
                run += word
                continue
            (terms if len(run) > 1 else alone).extend(_pairs(run) or run)
            run = ""
            if _says_something(word):
                terms += _pairs(word) if han else [word]
        return list(dict.fromkeys(terms or alone))


def _terms(sentence: Sentence) -> str:
    words = [word for word in sentence.words if _says_something(word)]
    pairs = [pair for run in _HAN.findall(sentence.text) for pair in _pairs(run)]
    return " ".join([*words, *pairs])


def _says_something(word: str) -> bool:
    return any(map(str.isalnum, word))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]
