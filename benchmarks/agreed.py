"""Sentences of raw text that several models of entities tag alike, as training data.

    python -m benchmarks.agreed -o agreed.jsonl --millions 0.1 TEXT… --models MODEL MODEL…

Of each text the first sentences of so many million characters are tagged by all models, as far as
they have 8 to 120 characters and stand in no dev or test file of `recipes/ner-modern.toml` and not
among the sentences of `benchmarks.modern`. A person, place or organisation that all models but one
at most find counts as there, one that at most one model finds as not there. A sentence with any
other is left out, and so are three of four of those without any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

import fenjie
from benchmarks.corpora import held_out, test_files
from benchmarks.modern.__main__ import SENTENCES, TYPES
from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.files import read_lines
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

CHINESE = re.compile("[\u4e00-\u9fff]")
EMPTY = 4
"""Of sentences without entities one of so many is kept."""


def main() -> None:
    """Choose sentences, tag them, write those on which the models agree."""
    options = parser(__doc__)
    options.add_argument("texts", nargs="+", type=Path, help="raw text, a paragraph a line")
    options.add_argument("-o", "--output", type=Path, required=True, help="a file of JSONL")
    options.add_argument("--millions", type=float, default=0.1, help="characters of each text")
    options.add_argument("--models", nargs="+", required=True, help="names or folders")
    chosen = options.parse_args()
    kept_aside = {sentence.text for sentence in aside()}
    texts = [
        text
        for path in chosen.texts
        for text in sentences(locate(str(path)), round(1e6 * chosen.millions), kept_aside)
    ]
    answers = []
    for model in chosen.models:
        answers.append(fenjie.load(model)(texts))
        print(f"{model}: {len(texts):,} sentences", flush=True)
    found = [agreed(text, tagged) for text, *tagged in zip(texts, *answers, strict=True)]
    alike = [sentence for sentence in found if sentence is not None]
    empty = iter(range(len(alike)))
    kept = [sentence for sentence in alike if sentence.spans or next(empty) % EMPTY == 0]
    write(kept, chosen.output, "jsonl")
    spans = Counter(span.label for sentence in kept for span in sentence.spans)
    print(f"{len(alike):,} tagged alike, {len(kept):,} written, {dict(spans)}")


def aside() -> Iterator[Sentence]:
    """Sentences by which models are chosen or judged."""
    for corpora in (held_out(), test_files()):
        yield from chain.from_iterable(part for _, part in corpora.values())
    yield from read(SENTENCES).sentences


def sentences(path: Path, characters: int, kept_aside: Iterable[str]) -> Iterator[str]:
    """The first sentences of a text, so many characters of them, each once."""
    seen = set(kept_aside)
    for _, line in read_lines(path):
        for text in re.split("(?<=[。！？!?])", line):
            text = text.strip()
            if not 8 <= len(text) <= 120 or text in seen or not CHINESE.search(text):
                continue
            seen.add(text)
            yield text
            characters -= len(text)
            if characters <= 0:
                return


def agreed(text: str, answers: list[Sentence]) -> Sentence | None:
    """The sentence with the spans of all models but one at most; None where they differ more."""
    votes: Counter[Span] = Counter()
    for sentence in answers:
        votes.update({span for span in sentence.spans if span.label in TYPES})
    if any(1 < count < len(answers) - 1 for count in votes.values()):
        return None
    spans = [span for span, count in votes.items() if count >= max(2, len(answers) - 1)]
    spans.sort(key=lambda span: span.start)
    if any(left.end > right.start for left, right in pairwise(spans)):
        return None
    return Sentence(text, tuple(spans))


if __name__ == "__main__":
    run(main)
