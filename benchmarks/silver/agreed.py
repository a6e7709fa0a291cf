"""Sentences of raw text as several models of entities tag them together, as training data.

    python -m benchmarks.silver.agreed TEXT… -o agreed.jsonl --millions 0.3 --models MODEL MODEL…

Of each text sentences of so many million characters, spread over it, are tagged by all models, as
far as they have 8 to 120 characters and stand in no dev or test file of `recipes/ner-modern.toml`
and not among the sentences of `benchmarks.modern`. An entity counts as there if the mean of the
models' confidence in it, 0 for a model that does not find it, is above a half. A sentence with one
of which that is in doubt is left out, and so are three of four of those without any. Names that the
models find in most of their places are then marked in the others too.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import fenjie
from benchmarks.held_out import held_out, test_files
from benchmarks.modern import PAGES
from benchmarks.scripts import parser, run
from benchmarks.silver.known_names import known_names, with_marks
from fenjie.corpus import read, write
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

CHINESE = re.compile("[\u4e00-\u9fff]")
ENDS = re.compile("(?<=[。！？!?])")

LENGTHS = range(8, 121)
"""The numbers of characters that a sentence may have."""

EMPTY = 4
"""Of sentences without entities one of so many is kept."""

DOUBT = 0.1
"""A mean confidence that is so near to a half is a doubt."""


def main() -> None:
    """Choose sentences, tag them, write those of which the models have no doubt."""
    options = options_of(__doc__)
    options.add_argument("--models", nargs="+", required=True, help="names or folders")
    chosen = options.parse_args()
    texts = sample(chosen, {sentence.text for sentence in aside()})
    answers = []
    for model in chosen.models:
        answers.append(fenjie.load(model)(texts))
        print(f"{model}: {len(texts):,} sentences", flush=True)
    voted = [agreed(text, tagged) for text, *tagged in zip(texts, *answers, strict=True)]
    clear = [sentence for sentence in voted if sentence is not None]
    names = known_names(clear)
    lexicon = Lexicon.build(names)
    marked = [with_marks(sentence, lexicon, names) for sentence in clear]
    added = sum(len(new.spans) - len(old.spans) for old, new in zip(clear, marked, strict=True))
    empty = iter(range(len(marked)))
    kept = [sentence for sentence in marked if sentence.spans or next(empty) % EMPTY == 0]
    write(kept, chosen.output, "jsonl")
    spans = Counter(span.label for sentence in kept for span in sentence.spans)
    print(f"{len(clear):,} without doubt, {len(kept):,} written, {dict(spans)}")
    print(f"{len(names):,} known names, marked in {added:,} more places")


def from_texts(doc: str | None) -> ArgumentParser:
    """A script's options: the raw texts that it reads and the file that it writes."""
    options = parser(doc)
    options.add_argument("texts", nargs="+", type=Path, help="raw text, a paragraph a line")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    return options


def options_of(doc: str | None) -> ArgumentParser:
    """A script's options, with those by which `sample` chooses sentences."""
    options = from_texts(doc)
    options.add_argument("--millions", type=float, default=0.1, help="characters of each text")
    return options


def sample(chosen: Namespace, seen: set[str]) -> list[str]:
    """Sentences of the texts that were chosen, but for some; see `sentences`."""
    return [
        text
        for path in chosen.texts
        for text in sentences(locate(str(path)), round(1e6 * chosen.millions), seen)
    ]


def every_sentence(texts: Iterable[Path]) -> list[str]:
    """All sentences of some texts, but those by which models are chosen or judged."""
    seen = {sentence.text for sentence in aside()}
    return [text for path in texts for text in sentences(locate(str(path)), sys.maxsize, seen)]


def aside() -> Iterator[Sentence]:
    """Sentences by which models are chosen or judged."""
    for corpora in (held_out(), test_files()):
        yield from chain.from_iterable(part for _, part in corpora.values())
    for page in PAGES.values():
        yield from read(page).sentences


def sentences(path: Path, characters: int, seen: set[str]) -> Iterator[str]:
    """Sentences that are spread over a text, so many characters of them, each once.

    Args:
        path: the text.
        characters: how many characters of it.
        seen: sentences to leave out; those that are found are added.
    """
    lines = [line for _, line in read_lines(path)]
    # A half of a text is in sentences of other lengths, or in some that were seen.
    step = max(1, sum(map(len, lines)) // (2 * characters))
    for line in chain.from_iterable(lines[first::step] for first in range(step)):
        for text in split(line):
            if len(text) not in LENGTHS or text in seen or not CHINESE.search(text):
                continue
            seen.add(text)
            yield text
            characters -= len(text)
            if characters <= 0:
                return


def split(line: str) -> Iterator[str]:
    """The sentences of a line, without the spaces around them."""
    return (text.strip() for text in ENDS.split(line))


def agreed(text: str, answers: Sequence[Sentence]) -> Sentence | None:
    """The sentence with the spans that the models find together; None where that is in doubt.

    Args:
        text: the sentence.
        answers: it with the spans of each model; one without a confidence counts as sure.
    """
    sums: defaultdict[tuple[int, int, str], float] = defaultdict(float)
    for sentence in answers:
        for span in sentence.spans:
            sure = 1.0 if span.confidence is None else span.confidence
            sums[span.start, span.end, span.label] += sure
    means = {place: found / len(answers) for place, found in sums.items()}
    if any(abs(mean - 0.5) < DOUBT for mean in means.values()):
        return None
    # No two of these overlap: a model finds one of two that do, so their means are 1 together.
    spans = sorted(Span(*place, mean) for place, mean in means.items() if mean > 0.5)
    return Sentence(text, tuple(spans))


if __name__ == "__main__":
    run(main)
