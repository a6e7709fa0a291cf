"""Names that are known with their types: listed by us, or found by models in most of their places.

`recipes/words/known-names.txt` lists names of today, each after its type, or after `-` where it is
no name; `clubs.txt`, `drugs.txt`, `things.txt` and `role-words.txt` beside it list clubs, and what
is no name. A model that finds a name in most of its places leaves it out in some. A name counts as
known that is found five times or more, nearly always of one type, mostly with confidence, and in
half of the places at least that no longer entity covers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.machine import ROOT
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span
from fenjie.vectors.tagged_names import FOUND, standing_alone

WORDS = ROOT / "recipes" / "words"

LIST = WORDS / "known-names.txt"

CLUBS = WORDS / "clubs.txt"
"""Clubs that are called by a place and a name, one per line: organisations."""

ROLE_WORDS = WORDS / "role-words.txt"
"""Words that begin with a role and are none, one per line: 记者会."""

DRUGS = WORDS / "drugs.txt"
"""Drugs, one per line, which are no names to a model of persons, places and organisations."""

THINGS = WORDS / "things.txt"
"""What is spelt as a name from abroad and is none, each after its kind: dogs, dishes, cars, …"""

STORM = "storm"
"""The kind of things whose names are mostly something else: 凤凰, 海马."""

NONE = "-"
"""In the list: no name."""

SURE = 0.8
"""The median of the confidence with which a known name is found, at least."""

SAME_TYPE = 0.85
"""The share of the places where a known name is found in which it has one type, at least."""

HALF = 0.5
"""The share of its places in which a known name is found, at least."""


def listed_names() -> dict[str, str]:
    """The names of these lists, with the label of each, `NONE` for what is no name."""
    rows = (line.split(" ", 1) for _, line in read_lines(LIST))
    others = dict.fromkeys([*listed(DRUGS), *listed(ROLE_WORDS)], NONE)
    others |= {name: NONE for kind, names in things().items() if kind != STORM for name in names}
    clubs = dict.fromkeys(listed(CLUBS), "ORG")
    return others | clubs | {name: label for label, name in rows}


def things() -> dict[str, list[str]]:
    """The things of the list by their kind."""
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for _, line in read_lines(THINGS):
        kind, name = line.split(" ", 1)
        kinds[kind].append(name)
    return dict(kinds)


def listed(path: Path) -> list[str]:
    """The names of a list, one per line."""
    return [name for _, name in read_lines(path)]


def known_names(tagged: Sequence[Sentence]) -> dict[str, str]:
    """The names that are found in most of their places, with their types.

    Args:
        tagged: sentences whose spans have a confidence.
    """
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    values: defaultdict[str, list[float]] = defaultdict(list)
    for sentence in tagged:
        for span in sentence.spans:
            name = span.of(sentence.text)
            types[name][span.label] += 1
            values[name].append(span.confidence or 0)
    often = {
        name
        for name, found in types.items()
        if len(name) > 1 and found.total() >= FOUND and median(values[name]) >= SURE
    }
    alone = standing_alone(often, tagged)
    known = {}
    for name in sorted(often):
        (label, times), *_ = types[name].most_common(1)
        total = types[name].total()
        if times >= SAME_TYPE * total and total >= HALF * alone[name]:
            known[name] = label
    return known


def with_marks(sentence: Sentence, lexicon: Lexicon, labels: Mapping[str, str]) -> Sentence:
    """The sentence with the names of a lexicon marked where nothing else is, the longest first.

    Args:
        sentence: with its entities.
        lexicon: the names.
        labels: the label of each.
    """
    spans = list(sentence.spans)
    places = zip(*lexicon.match(sentence.text), strict=True)
    for start, end, _ in sorted(places, key=lambda place: place[0] - place[1]):
        if all(span.end <= start or end <= span.start for span in spans):
            spans.append(Span(int(start), int(end), labels[sentence.text[start:end]]))
    return Sentence(sentence.text, tuple(sorted(spans)))


def without_none(sentence: Sentence) -> Sentence:
    """The sentence without the marks of what is no name."""
    return replace(sentence, spans=tuple(span for span in sentence.spans if span.label != NONE))
