"""Texts with their words and entities in colour, as HTML for a notebook and for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple
from zlib import crc32

from fenjie.errors import lines_shown, shown

CHARACTERS = 20_000
"""Characters that are drawn, of all texts together; a page of more would be slow."""

HUES = {"PER": 265, "LOC": 145, "GPE": 170, "ORG": 210, "TIME": 35, "DATE": 35}
"""The colours of common types of entities, in degrees of the colour circle."""

_WORDS = ("background:rgba(128,128,128,.28)", "background:rgba(128,128,128,.1)")
_BLOCK = "white-space:pre-wrap;overflow-wrap:anywhere;line-height:2;margin:.3em 0"
_ENTITY = "padding:.15em .3em;border-radius:.3em;color:inherit"
_STYLES = ("36", "33")


class Piece(NamedTuple):
    """A piece of a text; all of them in a row are the text.

    Attributes:
        text: the piece.
        word: whether it is a word.
        label: the type of entity that it is, or None.
        confidence: the probability of the entity, or None.
    """

    text: str
    word: bool = False
    label: str | None = None
    confidence: float | None = None


def html(texts: Iterable[Iterable[Piece]]) -> str:
    """Texts as HTML, all of them escaped; readable on light and on dark pages."""
    drawn, rest = _within([list(text) for text in texts])
    lines = [f'<div lang="zh" style="{_BLOCK}">{_line(one)}</div>' for one in drawn]
    return "".join([*lines, f"<p>… {rest:,} characters more</p>" if rest else ""])


def lines(texts: Iterable[Iterable[Piece]], color: bool) -> Iterator[str]:
    """Texts for a terminal, a string each: entities as `[北京大学/ORG]`.

    Args:
        texts: the texts.
        color: whether words are told apart by colours; else by spaces.
    """
    for text in texts:
        yield "".join(_printed(piece, number, color) for number, piece in enumerate(text))


def _printed(piece: Piece, number: int, color: bool) -> str:
    plain = lines_shown(piece.text)
    if piece.label is not None:
        marked = f"[{plain}/{shown(piece.label)}]"
        return f"\x1b[1;35m{marked}\x1b[0m" if color else marked
    if piece.word and color:
        return f"\x1b[{_STYLES[number % 2]}m{plain}\x1b[0m"
    return f" {plain}" if piece.word and number else plain


def _within(texts: Sequence[Sequence[Piece]]) -> tuple[list[Sequence[Piece]], int]:
    """The texts as far as they are drawn, and the number of characters left out."""
    drawn: list[Sequence[Piece]] = []
    room = CHARACTERS
    for text in texts:
        kept: list[Piece] = []
        for piece in text:
            if len(piece.text) > room:
                if not piece.word and piece.label is None:
                    kept.append(Piece(piece.text[:room]))
                room = 0
                break
            room -= len(piece.text)
            kept.append(piece)
        drawn.append(kept)
        if room <= 0:
            break
    total = sum(len(piece.text) for text in texts for piece in text)
    return drawn, total - sum(len(piece.text) for text in drawn for piece in text)


def _line(text: Iterable[Piece]) -> str:
    return "".join(_mark(piece, number) for number, piece in enumerate(text))


def _mark(piece: Piece, number: int) -> str:
    text = escape(piece.text)
    if piece.label is not None:
        hue = HUES.get(piece.label, crc32(piece.label.encode("utf-8", "replace")) % 360)
        sure = "" if piece.confidence is None else f' title="{piece.confidence:.1%}"'
        return (
            f'<mark{sure} style="background:hsla({hue},70%,50%,.3);{_ENTITY}">{text}'
            f'<small style="opacity:.8">&nbsp;{escape(piece.label)}</small></mark>'
        )
    return f'<span style="{_WORDS[number % 2]}">{text}</span>' if piece.word else text
