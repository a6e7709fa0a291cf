"""`fenjie tag`: named entities of any text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fenjie.cli import colors
from fenjie.cli.options import (
    Column,
    Encoding,
    Files,
    Force,
    Into,
    Jobs,
    Labels,
    Model,
    Packed,
    Resume,
    Threads,
    path,
    user_words,
)
from fenjie.cli.renderers import columns, form_of, jsonl
from fenjie.cli.streams import Job, convert
from fenjie.cli.table_files import convert_table, table_kind
from fenjie.errors import shown
from fenjie.scale.blocks import STANDARD, Line
from fenjie.scale.rendering import Render

if TYPE_CHECKING:
    from fenjie.text.span import Entity, Sentence


def tag(
    files: Files = None,
    form: Annotated[
        Literal["color", "brackets", "jsonl", "bmes", "bio", "brat"] | None,
        typer.Option(
            "--format",
            "-f",
            help="color: entities by type; brackets: [北京/LOC]; jsonl: text, entities, offsets, "
            "confidences; bmes, bio: a character and its tag per line; brat: annotations (.ann) of "
            "the one file that is read. Without it as the name of the output says (.jsonl, .bmes, "
            ".bio, .ann), else jsonl, and color or brackets in a terminal.",
        ),
    ] = None,
    model: Model = "ner",
    words: Annotated[
        Path | None,
        typer.Option(
            help="A file of words, in UTF-8, one word per line. One with a label of the model "
            "after it (张三丰 PER) is preferred as such an entity: found where the model allows; "
            "with `force` after it, wherever it occurs. A frequency is its weight. The others are "
            "words that the model sees.",
            parser=path,
        ),
    ] = None,
    force: Force = False,
    labels: Labels = None,
    to: Packed = None,
    encoding: Encoding = "utf-8",
    threads: Threads = 1,
    jobs: Jobs = 1,
    resume: Resume = False,
    column: Column = None,
    into: Into = None,
) -> None:
    """Find named entities: every line comes back with its entities marked.

    Lines are written as soon as they are done, so fenjie works in a pipe, and memory does not
    grow with the length of a file. Long lines are read and written in parts. Tables come back with
    a column more.
    """
    from fenjie.errors import FenjieError
    from fenjie.runtime.load import load_entity_tagger

    files = files or [STANDARD]
    job = Job(files, to, encoding, words, jobs, resume, column, into, force)
    kind = table_kind(job, form)
    chosen: str = form or _format_of(to)
    if chosen == "brat" and len(files) > 1:
        raise FenjieError(f"brat annotates one file; found {len(files)}")
    if chosen == "brat" and (jobs > 1 or resume):
        raise FenjieError("brat numbers the entities of a file in one go, without --jobs, --resume")
    own = user_words(words, force)
    tagger = load_entity_tagger(model, threads=threads, words=own, force=force)
    if labels is not None:
        tagger = tagger.only(labels)
    if chosen in ("bmes", "bio", "brat"):
        check_labels(tagger.labels, chosen)
    if kind is not None:
        convert_table(job, kind, tagger)
        return
    renderers: dict[str, Render] = {
        "color": partial(_colored, colors.styles(tagger.labels)),
        "brackets": brackets,
        "jsonl": with_entities,
        "bmes": columns("BMES"),
        "bio": columns("BIO"),
        "brat": Brat(),
    }
    convert(job, tagger, renderers[chosen], chosen)


def _format_of(to: Path | None) -> str:
    """The format where none is asked for."""
    if to is not None or not colors.in_terminal():
        return form_of(to, ("jsonl", "bmes", "bio", "brat"), "jsonl")
    return "color" if colors.wanted() else "brackets"


def check_labels(labels: Iterable[str], form: str) -> None:
    """Refuse labels that would be several columns of a line.

    Raises:
        FenjieError: a label holds whitespace.
    """
    from fenjie.errors import FenjieError, shorten
    from fenjie.text.span import holds_whitespace

    for label in labels:
        if holds_whitespace(label):
            said = f"the label {shorten(label)} cannot stand in a column"
            raise FenjieError(f"{said}; found --format {form}, expected jsonl")


def _colored(styles: dict[str, str], sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
    def color(entity: Entity) -> str:
        style = styles[entity.label]
        return f"{colors.paint(entity.text, style)}{colors.paint(entity.label, SMALL)}"

    return _marked(sentences, line, shown, color)


SMALL = "2"
"""The style of a label after its entity."""


def brackets(sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
    """The text, each entity in brackets with its label: `我在[北京/LOC]`."""
    return _marked(sentences, line, str, lambda entity: f"[{entity.text}/{entity.label}]")


def _marked(
    sentences: Iterable[Sentence],
    line: Line,
    other: Callable[[str], str],
    mark: Callable[[Entity], str],
) -> Iterator[str]:
    """A text with its entities as `mark` writes them, and the rest as `other` does."""
    for sentence in sentences:
        parts, last = [], 0
        for entity in sentence.entities:
            parts += [other(sentence.text[last : entity.start]), mark(entity)]
            last = entity.end
        yield "".join([*parts, other(sentence.text[last:])])
    yield line.end


def with_entities(sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
    """A JSON object: text, spans, and entities with their confidence."""
    return jsonl(sentences, line, entities=True)


class Brat:
    """The annotations of a file whose lines come one after the other; see `fenjie.corpus.brat`.

    Offsets count the characters of the file as it is, line ends and a byte order mark included.
    """

    def __init__(self) -> None:
        self._offset = self._count = 0

    def __call__(self, sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
        """A line for each entity: `T1`, its label and offsets, its text."""
        from fenjie.corpus.brat import lines_of

        self._offset += len(line.before)
        for sentence in sentences:
            rows = lines_of(sentence, self._offset, self._count)
            self._offset += len(sentence.text)
            self._count += len(rows)
            yield "".join(rows)
        self._offset += len(line.end)
