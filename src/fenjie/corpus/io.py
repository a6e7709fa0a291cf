"""Reading and writing annotated files by the name of their format."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice, pairwise
from operator import index
from os import PathLike
from pathlib import Path

from fenjie.corpus import brat, columns, spaced
from fenjie.corpus.formats import NAMES, guess, named
from fenjie.corpus.lines import Corpus, FilePath, overlap, writing
from fenjie.errors import FenjieError, FileError, several, shorten
from fenjie.files import BYTE_ORDER_MARK, atomic, checked_encoding, read_lines
from fenjie.text.schemes import Scheme
from fenjie.text.span import Sentence, Span

_SAMPLE = 1000
"""So many lines are looked at to guess a format."""


def read(
    path: FilePath,
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    overlapping: bool = False,
) -> Corpus:
    """Read an annotated file, plain, gzip or xz.

    Args:
        path: the file; for brat, its text or its annotations.
        format: a name in `NAMES`; guessed from the content where it is not given, and brat where
            the name of the file ends in `.ann`.
        encoding: `utf-8` (with or without a byte order mark), `gb18030` or another.
        overlapping: whether spans of JSON may overlap.

    Raises:
        FileError: the file cannot be read, is not in this format, its format cannot be guessed, or
            spans overlap that may not.
        FenjieError: there is no such format or encoding, or `path` is no path.
    """
    _check_path(path)
    if format == brat.NAME or (format is None and Path(path).suffix == brat.ANNOTATIONS):
        return brat.read(path, encoding)
    lines = read_lines(path, encoding)
    if format is None:
        sample = list(islice(lines, _SAMPLE))
        format = guess([line for _, line in sample])
        if format is None:
            found = next((line for _, line in sample if line.strip()), "")
            message = "unknown format" if found else "holds nothing to guess a format from"
            expected = f"one of {', '.join(NAMES)}, which can be named"
            raise FileError(path, message, found=found, expected=expected)
        if format == "spaced" and spaced.is_tagged(line for _, line in sample):
            number, found = next((number, line) for number, line in sample if line.strip())
            expected = "words alone, or the format `spaced` named, to read them as they are"
            message = "words with parts of speech"
            raise FileError(path, message, line=number, found=found, expected=expected)
        lines = chain(sample, lines)
    corpus = named(format).read(lines, path)
    if not overlapping:
        _check_apart(corpus, path)
    return corpus


def _check_path(path: FilePath) -> None:
    if not isinstance(path, str | PathLike):
        raise FenjieError(f"found {shorten(path)}; expected the path of a file")


def _check_apart(corpus: Corpus, path: FilePath) -> None:
    for sentence, line in zip(corpus.sentences, corpus.lines, strict=True):
        for before, after in pairwise(sentence.spans):
            if after.start < before.end:
                both = [[span.start, span.end, span.label] for span in (before, after)]
                raise overlap(path, line, both)


def _sentence(value: Sentence) -> Sentence:
    if not isinstance(value, Sentence):
        raise FenjieError(f"found {shorten(value)}; expected a Sentence")
    return Sentence(value.text, tuple(map(_span, value.spans)))


def _span(value: Span) -> Span:
    """A span whose offsets are Python's integers, which those of an array are not."""
    try:
        start, end = index(value.start), index(value.end)
    except TypeError as error:
        raise FenjieError(f"found {shorten(value)}; expected offsets that are integers") from error
    if not isinstance(value.label, str):
        raise FenjieError(f"found {shorten(value)}; expected a label that is a text")
    return Span(start, end, value.label, value.confidence)


def write(
    sentences: Iterable[Sentence],
    path: FilePath,
    format: str,
    *,
    scheme: str = Scheme.BMES,
    encoding: str = "utf-8",
) -> None:
    """Write an annotated file, whole or not at all. Reading it gives the same sentences.

    Args:
        sentences: the sentences, of which only one at a time is held.
        path: the file; for brat, its text or its annotations.
        format: a name in `NAMES`.
        scheme: the label scheme of the format `columns`.
        encoding: `utf-8`, `gb18030` or another.

    Raises:
        FileError: the file cannot be written, or a sentence cannot be said in this format or
            encoding.
        FenjieError: there is no such format, scheme or encoding, or `path` is no path.
    """
    _check_path(path)
    sentences = map(_sentence, several(sentences, "sentences"))
    if format == brat.NAME:
        brat.write(sentences, path, encoding)
        return
    form = named(format)
    render = form.render
    if format == "columns":
        chosen = Scheme.named(scheme)
        render = lambda sentence: columns.render(sentence, chosen)  # noqa: E731
    encoding = checked_encoding(encoding)
    with atomic(path) as made, open(made, "wb") as file:
        file.write(form.opening.encode(encoding))
        for number, sentence in enumerate(sentences, 1):
            with writing(number, path, format, encoding):
                block = (form.between if number > 1 else "") + render(sentence)
                if number == 1 and block.startswith(BYTE_ORDER_MARK):
                    block = BYTE_ORDER_MARK + block
                file.write(block.encode(encoding))
        file.write(form.closing.encode(encoding))
