"""`fenjie demo`: a page of Chinese of many kinds, its words and named entities.

In colour in a terminal, elsewhere with entities in brackets.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import typer

from fenjie.cli import colors
from fenjie.cli.segment import color
from fenjie.errors import shown
from fenjie.scale.blocks import Line

if TYPE_CHECKING:
    from fenjie.text.span import Entity, Sentence


def demo() -> None:
    """Show the words and the named entities of a page of news, chat, numbers, Latin and emoji."""
    from importlib.resources import files

    from fenjie.runtime.folder import shipped
    from fenjie.runtime.load import ENTITIES, load_entity_tagger, load_segmenter

    page = files("fenjie.cli").joinpath("demo.txt").read_text(encoding="utf-8").splitlines()
    begin = time.perf_counter()
    segment = load_segmenter()
    tag = load_entity_tagger() if ENTITIES in shipped() else None
    loaded = time.perf_counter()
    words = segment(page)
    found: Sequence[Sequence[Entity]] = [()] * len(page)
    if tag is not None:
        found = [sentence.entities for sentence in tag(page)]
    done = time.perf_counter()
    colored = colors.in_terminal() and colors.wanted()
    styles = colors.styles(tag.labels if tag else ()) if colored else None
    for sentence, entities in zip(words, found, strict=True):
        alone = None
        if tag is None and styles is not None:
            alone = "".join(color([sentence], Line(sentence.text)))
        typer.echo(alone or together(sentence, entities, styles), color=True)
    if styles:
        legend = "  ".join(
            colors.paint(f" {label} ", f"7;{style}") for label, style in styles.items()
        )
        typer.echo(f"\n{legend}", color=True)
    names = " and ".join(repr(each.folder.name) for each in (segment, tag) if each is not None)
    typer.echo(
        f"\n{sum(map(len, page)):,} characters in {1000 * (done - loaded):.0f} ms with "
        f"{'the models' if tag else 'the model'} {names}, loaded in "
        f"{1000 * (loaded - begin):.0f} ms; one thread"
    )


def together(
    words: Sentence, entities: Sequence[Entity], styles: Mapping[str, str] | None = None
) -> str:
    """A text with spaces between its words, and its entities, which may begin or end inside of one.

    Entities are painted in the style of their type, or without styles in brackets: `[北京/LOC]`.
    """
    text, parts, last = words.text, [], 0
    spaced = {span.start for span in words.spans if _between_words(text, span.start)}
    for entity in entities:
        parts += [(last, entity.start, None), (entity.start, entity.end, entity.label)]
        last = entity.end
    parts.append((last, len(text), None))
    return "".join(
        (" " if start in spaced else "") + _marked(_spread(text, start, end, spaced), label, styles)
        for start, end, label in parts
        if start < end
    )


def _between_words(text: str, place: int) -> bool:
    return place > 0 and not text[place - 1].isspace() and not text[place].isspace()


def _spread(text: str, start: int, end: int, spaced: Set[int]) -> str:
    """A stretch of a text with a space before each of its words but the first."""
    return "".join(
        f" {text[at]}" if at in spaced and at > start else text[at] for at in range(start, end)
    )


def _marked(stretch: str, label: str | None, styles: Mapping[str, str] | None) -> str:
    if styles is None:
        return stretch if label is None else f"[{stretch}/{label}]"
    return shown(stretch) if label is None else colors.paint(stretch, f"4;{styles[label]}")
