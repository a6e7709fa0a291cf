"""`fenjie segment`: words of any text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle
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
    Packed,
    Resume,
    Standard,
    Threads,
    named,
    path,
    user_words,
)
from fenjie.cli.renderers import columns, form_of, jsonl
from fenjie.cli.streams import Job, convert
from fenjie.cli.table_files import convert_table, table_kind
from fenjie.errors import FenjieError, shown
from fenjie.scale.blocks import STANDARD, Line
from fenjie.scale.rendering import Render

if TYPE_CHECKING:
    from fenjie.text.span import Sentence


def segment(
    files: Files = None,
    form: Annotated[
        Literal["spaced", "jsonl", "bmes", "color"] | None,
        typer.Option(
            "--format",
            "-f",
            help="spaced: a space between words; jsonl: text and offsets; bmes: a character and "
            "its tag per line. Without it as the name of the output says (.jsonl, .bmes), else "
            "spaced, and color in a terminal.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="A shipped model, or a model folder.",
            show_default="segment",
            callback=named,
        ),
    ] = None,
    standard: Standard = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="The fast model: --model segment-fast.")
    ] = False,
    words: Annotated[
        Path | None,
        typer.Option(
            help="A file of user words, in UTF-8, one word per line, after it perhaps its weight "
            "(a frequency) and a part of speech, which is ignored. They are preferred: found where "
            "the model allows. With `force` after it a word is found wherever it occurs.",
            parser=path,
        ),
    ] = None,
    force: Force = False,
    to: Packed = None,
    encoding: Encoding = "utf-8",
    threads: Threads = 1,
    jobs: Jobs = 1,
    resume: Resume = False,
    column: Column = None,
    into: Into = None,
) -> None:
    """Segment text: every line comes back with its words marked.

    Lines are written as soon as they are done, so fenjie works in a pipe, and memory does not
    grow with the length of a file. Long lines are read and written in parts. Tables come back with
    a column more.
    """
    from fenjie.runtime.load import FAST, load_segmenter

    if fast and model is not None:
        raise FenjieError("--fast is --model segment-fast; give one of them")
    job = Job(files or [STANDARD], to, encoding, words, jobs, resume, column, into, force)
    kind = table_kind(job, form)
    own = user_words(words, force)
    tagger = load_segmenter(
        FAST if fast else model or "segment",
        threads=threads,
        words=own,
        standard=standard,
        force=force,
    )
    if kind is not None:
        convert_table(job, kind, tagger)
        return
    plain = to is not None or not colors.in_terminal() or not colors.wanted()
    default = form_of(to, RENDERERS, "spaced") if plain else "color"
    chosen = default if form is None else form
    convert(job, tagger, RENDERERS[chosen], chosen)


def spaced(sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
    """Words with a space between them; whitespace in the text stays as it is."""
    after_word = False
    for sentence in sentences:
        words = sentence.words
        if not any(map(str.isspace, words)):
            yield (" " if after_word and words else "") + " ".join(words)
            after_word = after_word or bool(words)
            continue
        parts = []
        for word in words:
            is_word = not word.isspace()
            parts += [" ", word] if is_word and after_word else [word]
            after_word = is_word
        yield "".join(parts)
    yield line.end


def color(sentences: Iterable[Sentence], line: Line) -> Iterator[str]:
    """Neighbouring words in different colours; control characters are shown, not obeyed."""
    shades = cycle(colors.SHADES)
    for sentence in sentences:
        yield "".join(
            shown(word) if word.isspace() else colors.paint(word, next(shades))
            for word in sentence.words
        )
    yield line.end


RENDERERS: dict[str, Render] = {
    "spaced": spaced,
    "jsonl": jsonl,
    "bmes": columns("BMES"),
    "color": color,
}
