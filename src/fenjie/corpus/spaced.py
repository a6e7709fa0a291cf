"""Segmented text as in the SIGHAN bakeoffs: a sentence a line, whitespace between the words.

Whitespace is any run of ASCII whitespace and ideographic spaces (U+3000), as for the bakeoffs'
own scoring script. Lines without a word are skipped. Such files cannot hold whitespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fenjie.corpus.lines import Corpus, FilePath, Lines, words_of
from fenjie.errors import FenjieError, shorten
from fenjie.text.span import Sentence

_WORD = re.compile("[^ \t\n\r\f\v\u3000]+")
_SPACE = re.compile("[ \t\n\r\f\v\u3000]")
_TAGGED = re.compile("[^/]+/[A-Za-z]{1,5}")


def split(line: str) -> list[str]:
    """The words of a line."""
    return _WORD.findall(line)


def is_tagged(lines: Iterable[str]) -> bool:
    """Whether most words have a part of speech after a slash: `在/p 北京/ns`."""
    words = [word for line in lines for word in split(line)]
    return 2 * sum(map(bool, map(_TAGGED.fullmatch, words))) > len(words)


def read(lines: Lines, _path: FilePath) -> Corpus:
    """Read segmented text. Any text is: a line without a space is one word."""
    corpus = Corpus()
    for number, line in lines:
        words = split(line)
        if words:
            corpus.add(Sentence.from_words(words), number)
    return corpus


def render(sentence: Sentence) -> str:
    """The line of a sentence, two spaces between the words."""
    words = words_of(sentence)
    if _SPACE.search(sentence.text):
        raise FenjieError(
            f"found whitespace in {shorten(sentence.text)}; expected none, because it separates "
            f"the words"
        )
    return "  ".join(words) + "\n"
