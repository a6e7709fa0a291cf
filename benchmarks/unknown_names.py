"""How often models find names that nobody bears, in annotated sentences in which real names stood.

    python -m benchmarks.unknown_names [MODEL…]

In the held-out sentences of MSRA, CLUENER and Weibo names are exchanged for others that are made of
the halves of two of them (华讯 of 华为 and 腾讯), as `benchmarks.silver.blended` makes them of raw
text: firms and the like of two or three characters, towns of two, persons and places from abroad.
Firms and Chinese persons are also exchanged for names in Latin letters, real ones of which no list
in `recipes/words` has one (`benchmarks/names`). What a sentence says is left, and no list has the
name. A count says how often a model has the name with both edges and its type, and how often the
real one that stood there. Writes `benchmarks/results/unknown-names.json`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import fenjie
from benchmarks.held_out import held_out
from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.blended import KINDS, Kind, blend
from benchmarks.silver.exchanged import with_names
from benchmarks.silver.known_names import listed
from fenjie.lexicon.lexicon import Lexicon
from fenjie.runtime.folder import ModelFolder
from fenjie.text.span import Sentence, Span

CORPORA = ("msra", "cluener", "weibo")
NAMES = ROOT / "benchmarks" / "names"

IN_LATIN = {"ORG": NAMES / "latin-firms.txt", "PER": NAMES / "latin-persons.txt"}
"""Names in Latin letters by their type, which no list in `recipes/words` has."""

TIMES = 5
"""Sentences with other names for each one."""

SEED = 7


class Exchanged(NamedTuple):
    """A sentence with a real name, and with another one in its stead.

    Attributes:
        old: the sentence as it was.
        new: the sentence with the other name.
        places: where the name stands in each.
    """

    old: Sentence
    new: Sentence
    places: list[tuple[Span, Span]]


def main() -> None:
    """Count for each model and kind, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner", "ner-small"], help="names or folders")
    chosen = options.parse_args()
    corpora, words = held_out(), ModelFolder.open("ner").words
    assert words is not None
    sentences = [one for name in CORPORA for one in corpora[name][1]]
    pairs = {kind: list(exchanged(sentences, kind, words.lexicon)) for kind in KINDS}
    found: dict[str, dict[str, dict[str, int]]] = {}
    for model in chosen.models:
        tagger, found[model] = fenjie.load(model), {}
        for kind, some in pairs.items():
            real, unknown = counts(tagger, some)
            of = sum(len(one.places) for one in some)
            found[model][kind.name] = {"unknown": unknown, "real": real, "of": of}
            print(f"{model}  {kind.name}  {unknown} of {of}; the real names {real}", flush=True)
    save("unknown-names", {"command": typed(), "found": found})


def exchanged(sentences: Sequence[Sentence], kind: Kind, known: Lexicon) -> Iterator[Exchanged]:
    """The sentences that have names of a kind, with other names, `TIMES` times each.

    Args:
        sentences: annotated sentences.
        kind: which names are exchanged.
        known: words that no other name may be.
    """
    having = [one for one in sentences if kind.names_in(one)]
    parts = sorted({name for one in having for name in kind.names_in(one)})
    latin = [] if kind.halves is None else listed(IN_LATIN[kind.label])
    chance = random.Random(SEED)

    def another() -> str:
        return chance.choice(latin) if latin else blend(parts, known, chance)

    for old in having * TIMES:
        others = {name: another() for name in kind.names_in(old)}
        new = with_names(old, others)
        pairs = zip(old.spans, new.spans, strict=True)
        yield Exchanged(old, new, [(a, b) for a, b in pairs if a.of(old.text) != b.of(new.text)])


def counts(
    tagger: Callable[[list[str]], list[Sentence]], some: Sequence[Exchanged]
) -> tuple[int, int]:
    """How many of the real names and of the others a model finds."""
    before, after = tagger([one.old.text for one in some]), tagger([one.new.text for one in some])
    real = unknown = 0
    for one, old, new in zip(some, before, after, strict=True):
        real += sum(place in old.spans for place, _ in one.places)
        unknown += sum(place in new.spans for _, place in one.places)
    return real, unknown


if __name__ == "__main__":
    run(main)
