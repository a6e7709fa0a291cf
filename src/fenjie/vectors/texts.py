"""Prepares raw text for training vectors: normalises its lines, segments its words with fenjie.

Slow results are kept in a work folder, under names that depend on the content of the text alone: an
interrupted run goes on where it stopped, and a second one with other settings need not segment
again:

- `KEY.text`: the normalised lines (`KEY.simple.text` where characters were simplified);
- `KEY-MODEL.words`: the lines as segmented, a space between the words, before normalisation;
  `KEY-MODEL.words.part` while that is not finished.

KEY is the beginning of the SHA-256 of the file, with the share of its lines where not all are read,
its encoding where that is not UTF-8, and whether it is read as annotated; MODEL is the beginning of
the SHA-256 of the segmenter's `model.onnx`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path

from fenjie.corpus import read
from fenjie.errors import FileError
from fenjie.files import atomic, flush, sha256
from fenjie.runtime.folder import find
from fenjie.runtime.load import DEFAULT, load
from fenjie.runtime.model_files import ONNX
from fenjie.runtime.segmenter import Segmenter
from fenjie.text.normalise import Normaliser
from fenjie.text.raw import raw_lines
from fenjie.text.vocabulary import bigrams

Report = Callable[[str, int, int], None]
"""Takes the name of a stage, the number of its steps that are done, and their total."""

EVERY = 1000
"""Number of lines between two reports."""

BLOCK = 1 << 20
"""Bytes of text that are read at once."""

LONGEST = 10_000
"""gensim cuts a sentence off after this number of units."""


@dataclass(frozen=True)
class Source:
    """A file of training text.

    Attributes:
        path: the file, plain, gzip or xz.
        annotated: whether it is an annotated corpus, of which the text alone is taken; its format
            is guessed. Otherwise each of its lines is a paragraph.
        encoding: its encoding.
        share: the share of its lines that is read, spread evenly; an annotated file is read whole.
    """

    path: str | PathLike[str]
    annotated: bool = False
    encoding: str = "utf-8"
    share: float = 1.0

    def key(self) -> str:
        """The name of what is read: the first 16 digits of the file's SHA-256, and how."""
        key = sha256(self.path)[:16] + (f"-{self.share!r}" if self.share < 1 else "")
        key += "" if self.encoding == "utf-8" else f"-{self.encoding}"
        return f"{key}-annotated" if self.annotated else key

    def lines(self) -> Iterator[str]:
        """The lines that are read, as they are in the file."""
        if self.annotated:
            corpus = read(self.path, encoding=self.encoding, overlapping=True)
            return (" ".join(sentence.text.splitlines()) for sentence in corpus)
        return spread(raw_lines(self.path, self.encoding), self.share)


@dataclass(frozen=True)
class Prepared:
    """A text in the work folder: its normalised lines (`text`), and the segmented ones (`words`).

    `name` is that of the file that it came from, `key` that of the source; line ends are no
    characters.
    """

    name: str
    key: str
    lines: int
    characters: int
    text: Path
    words: Path


def prepare(
    sources: Sequence[Source], work: Path, normaliser: Normaliser, report: Report
) -> list[Prepared]:
    """Normalise texts, unless the work folder holds them already.

    Raises:
        FileError: a file cannot be read, holds no text, or holds the same as another.
    """
    by_key: dict[str, Source] = {}
    for source in sources:
        key = source.key()
        if key in by_key:
            name = Path(by_key[key].path).name
            raise FileError(source.path, f"is the same text as {name}")
        by_key[key] = source
    work.mkdir(parents=True, exist_ok=True)
    model = sha256(find(DEFAULT) / ONNX)[:8]
    prepared: list[Prepared] = []
    for number, (key, source) in enumerate(by_key.items()):
        report("reading", number, len(sources))
        text = work / f"{key}{'.simple' if normaliser.simplify else ''}.text"
        if not text.exists():
            with (
                atomic(text) as made,
                made.open("w", encoding="utf-8", errors="replace", newline="\n") as file,
            ):
                file.writelines(f"{normaliser(line).text}\n" for line in source.lines())
        lines, characters = _measure(text)
        if not characters:
            raise FileError(source.path, "holds no text")
        words = work / f"{key}-{model}.words"
        prepared.append(Prepared(Path(source.path).name, key, lines, characters, text, words))
    return prepared


def segment(sources: Sequence[Source], texts: Sequence[Prepared], report: Report) -> None:
    """Segment the texts that `prepare` gave for some sources, where that is not done yet."""
    tagger = load()
    total, done = sum(text.characters for text in texts), 0
    for source, text in zip(sources, texts, strict=True):
        if not text.words.exists():
            for count in _segment(source, text.words, tagger):
                report("segmenting", done + count, total)
        done += text.characters


def spread(lines: Iterable[str], share: float) -> Iterator[str]:
    """A share of some lines, spread evenly over them."""
    return (
        line for place, line in enumerate(lines) if int((place + 1) * share) > int(place * share)
    )


def blocks(texts: Iterable[Prepared]) -> Iterator[str]:
    """The normalised lines of texts, about `BLOCK` characters of whole lines at once."""
    for text in texts:
        with text.text.open(encoding="utf-8", newline="\n") as file:
            while lines := file.readlines(BLOCK):
                yield "".join(lines)


def _measure(text: Path) -> tuple[int, int]:
    lines = characters = 0
    with text.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            lines += 1
            characters += len(line) - 1
    return lines, characters


def _segment(source: Source, words: Path, tagger: Segmenter) -> Iterator[int]:
    """Write the segmented lines after those of an interrupted run; give the characters done."""
    part = words.with_name(f"{words.name}.part")
    done = _whole_lines(part)
    lines = source.lines()
    count = sum(map(len, islice(lines, done)))
    with part.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        for number, sentence in enumerate(tagger.stream(lines), 1):
            # No line separator may be left inside of a line.
            file.write(" ".join(" ".join(sentence.words).split()) + "\n")
            count += len(sentence.text)
            if number % EVERY == 0:
                yield count
    yield count
    flush(part)  # what has this name counts as whole
    part.replace(words)


def _whole_lines(path: Path) -> int:
    """Cut a file off after its last whole line, and count the lines."""
    if not path.exists():
        return 0
    lines = size = 0
    with path.open("r+b") as file:
        for line in file:
            if line.endswith(b"\n"):
                lines += 1
                size += len(line)
        file.truncate(size)
    return lines


class Stream:
    """Sequences of units, read from files anew each time that it is iterated over."""

    def __init__(self, files: Iterable[Path], units: Callable[[str], list[str]]) -> None:
        """Take the files, and the function that splits a line into units."""
        self._files, self._units = tuple(files), units

    def __iter__(self) -> Iterator[list[str]]:
        """The units of each line, in pieces of at most `LONGEST`; no piece is empty."""
        for path in self._files:
            with path.open(encoding="utf-8", newline="\n") as file:
                for line in file:
                    units = self._units(line)
                    for start in range(0, len(units), LONGEST):
                        yield units[start : start + LONGEST]


def line_characters(line: str) -> list[str]:
    """The characters of a line without whitespace."""
    return list("".join(line.split()))


def line_bigrams(line: str) -> list[str]:
    """The bigrams of a line, as a model reads them, without those that hold whitespace."""
    units: list[str] = []
    parts = line.split()
    for part in parts[:-1]:
        units += map("".join, pairwise(part))
    return units + bigrams(parts[-1]) if parts else units


def streams(texts: Sequence[Prepared], normaliser: Normaliser) -> dict[str, Stream]:
    """The streams of units to learn from, by the name of the table of their vectors."""
    files = [text.text for text in texts]
    return {
        "characters": Stream(files, line_characters),
        "bigrams": Stream(files, line_bigrams),
        "words": Stream([text.words for text in texts], lambda line: normaliser(line).text.split()),
    }
