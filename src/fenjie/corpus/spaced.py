"""Segmented text as in the SIGHAN bakeoffs: a sentence a line, white space between the words.

White space is any run of ASCII white space and ideographic spaces (U+3000), as for the bakeoffs'
own scoring script. Lines without a word are skipped. Such files cannot hold white space.
"""

from __future__ import annotations

import re

from fenjie.corpus.lines import Corpus, FilePath, Lines, words_of
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.span import Sentence, Span

_WORD = re.compile("[^ \t\n\r\f\v\u3000]+")
_SPACE = re.compile("[ \t\n\r\f\v\u3000]")


def split(line: str) -> list[str]:
    """The words of a line."""
    return _WORD.findall(line)


def read(lines: Lines, _path: FilePath) -> Corpus:
    """Read segmented text. Any text is: a line without a space is one word."""
    corpus = Corpus()
    for number, line in lines:
        words = split(line)
        if words:
            corpus.add(Sentence.from_words(words), number)
    return corpus


def render(sentence: Sentence) -> str:
    """The line of a sentence, two spaces between the words.

    Raises:
        FenjieError: the sentence is empty, not segmented, or a word holds white space.
    """
    words = words_of(sentence)
    if _SPACE.search(sentence.text):
        raise FenjieError(
            f"found white space in {shorten(sentence.text)}; expected none, because it separates "
            f"the words"
        )
    return "  ".join(words) + "\n"


def align(
    text: str, words: list[str], *, path: FilePath | None = None, line: int | None = None
) -> Sentence:
    """Find the words of a segmented line in the raw text that they were made from.

    White space of the raw text may lie between the words and inside of them; every other character
    must agree.

    Args:
        text: the raw text.
        words: the words in order, without white space.
        path: the segmented file, for messages.
        line: its line, for messages.

    Returns:
        The raw text with a span for each word, without the white space around it.

    Raises:
        FileError: the words do not spell the text.
    """
    kept = [place for place, character in enumerate(text) if not _SPACE.match(character)]
    raw, spelt = "".join([text[place] for place in kept]), "".join(words)
    if raw != spelt:
        at = next(
            (i for i, (a, b) in enumerate(zip(raw, spelt, strict=False)) if a != b),
            min(len(raw), len(spelt)),
        )
        raise FileError(
            path if path is not None else "words",
            f"the words do not spell the text from character {at + 1} on",
            line=line,
            found=spelt[at : at + 10],
            expected=shorten(raw[at : at + 10]),
        )
    spans, start = [], 0
    for word in words:
        end = start + len(word)
        spans.append(Span(kept[start], kept[end - 1] + 1))
        start = end
    return Sentence(text, tuple(spans))
