"""Sentences of raw text as `ner` tags them, with seven errors of it mended, as training data.

    python -m benchmarks.silver.corrected TEXT… -o corrected.jsonl --technical TEXT --millions 1

- **A name that crosses words.** It finds 重庆 in 隆重庆祝, which the sure words 隆重, 庆祝 cross.
  Such a mark is taken away, unless what is left of the word may follow a name (美国 in 美国籍).
  Where it is one of a person, the sentence is left out: segmenters, too, err at those names; but
  小乌 in 小乌鸦 is taken away.
- **A name in Latin letters.** In technical articles (`--technical`) it takes every second product,
  language and protocol for a game or a company. A name in Latin letters alone is an organisation
  there if it is known as one or ends like one (Foundation). Games, books and films are nothing, and
  so are other organisations that are found three times or more, in the other texts too; rarer ones
  are in doubt, as are persons of whom `ner` is not sure.
- **A well-known name.** What the lists of `known_names` have, of some type or as no name, is that
  wherever it stands by itself, from word to word, and in no longer name; shorter names in it are
  none: 山东 in 山东泰山.
- **A role in another word**, as `roles` says, and **a name of elsewhere**, as `elsewhere` says: an
  apple that is eaten, the banks of a river.
- **What stands beside a name**, as `beside` says: 中国 in 中国会赢, and no name in 台风“莫拉克”.
- **A form of address.** 老王, 张某, 李女士, and stations and schools, are marked as
  `forms_of_address` says, the heads of offices (外交部长) as `heads` does.

Sentences are chosen as `agreed` does, and besides them such as hold a known name, a form
of address, or a name that is found often, but no person, which words of `segment-fast` cross. One
is left out where `ner` is in doubt, or where a name mixes Latin and Chinese in a technical article.
Names that are found in most of their places are marked in the others too. Written are all sentences
that were mended; of the others, in an order by chance, those with a name that stands in fewer than
three so far, and an eighth of those without any.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fenjie
from benchmarks.scripts import run
from benchmarks.silver.agreed import CHINESE, LENGTHS, agreed, aside, options_of, sentences, split
from benchmarks.silver.beside import beside, beside_in
from benchmarks.silver.elsewhere import names_elsewhere
from benchmarks.silver.forms_of_address import addressed, edges, forms_in
from benchmarks.silver.heads import heads_in, places_of, with_heads
from benchmarks.silver.known_names import (
    NONE,
    known_names,
    listed_names,
    with_marks,
    without_none,
)
from benchmarks.silver.roles import is_part, roles_in
from fenjie.corpus import write
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

LATIN = re.compile("[A-Za-z]")
BODY = re.compile(
    "(公司|基金会|大学|学院|实验室|委员会|集团"
    "|Foundation|University|Institute|Corporation|Inc|Labs?|Group|Association|College)$"
)

LITTLE = re.compile("[小老].")
"""A person that a word may cross, as 乌鸦 crosses 小乌, 车主 老车: segmenters know these words."""

SURE = 4.0
"""The log-odds of a gap, for or against a word that ends there, from which on it is sure."""

KNOWN = 0.7
"""The confidence of `ner` in a person with a name in Latin letters, at least."""

OFTEN = 3
"""The number of places in which a name is nothing in technical articles, at least."""

TIMES = 3
"""The number of sentences with a name, at most, that are written for it."""

EMPTY = 8
"""Of sentences without names one of so many is written."""

SEED = 1

EACH = 10
"""The number of sentences of each text that are chosen for a name, at most."""

FOUND = 20
"""The number of places in which a name is found, at least, for sentences to be chosen for it."""

SEARCHED = 2_000_000
"""The number of characters of each text that are searched for names."""

BEFORE = frozenset("原老小本前新副")
"""What may stand before a name, as part of its word."""

AFTER = frozenset(
    [*"长籍人奖区军家岸面队女式系版股商州省县", "记者", "代表", "议员", "委员", "部长"]
)
"""What may stand after a name, as part of its word."""


class Tagged(NamedTuple):
    """A sentence as the models take it.

    Attributes:
        names: the sentence with its entities.
        odds: [length] of `segment`, the log-odds that a word begins at each character.
        technical: whether it stands in a technical article.
    """

    names: Sentence
    odds: NDArray[np.float32]
    technical: bool


def main() -> None:
    """Choose sentences, tag them, mend them, write those of which there is no doubt."""
    options = options_of(__doc__)
    options.add_argument("--technical", type=Path, required=True, help="technical articles")
    with_model(options)
    chosen = options.parse_args()
    known = listed_names()
    lexicon = Lexicon.build(known)
    seen = {sentence.text for sentence in aside()}
    texts = [locate(str(path)) for path in chosen.texts]
    characters = round(1e6 * chosen.millions)
    sampled = [text for path in texts for text in sentences(path, characters, seen)]
    articles = list(sentences(locate(str(chosen.technical)), characters, seen))
    model = chosen.model
    tagged = answers(model, sampled, False) + answers(model, articles, True)
    more = list(chain.from_iterable(holding(path, lexicon, seen) for path in texts))
    for sought in (forms_in, heads_in, roles_in, names_elsewhere, beside_in):
        more += chain.from_iterable(each(path, seen, sought) for path in texts)
    found = mentions(tagged)
    hard = list(chain.from_iterable(crossing(path, found, seen) for path in texts))
    print(
        f"{len(more):,} sentences with known names and forms, {len(hard):,} where words cross one"
    )
    mended, others = mend_all(tagged + answers(model, [*more, *hard], False), known)
    kept = mended + list(with_rare_names(others, Random(SEED)))
    write(kept, chosen.output, "jsonl")
    spans = Counter(span.label for sentence in kept for span in sentence.spans)
    print(f"{len(mended):,} sentences mended, {len(kept):,} written, {dict(spans)}")


def with_rare_names(sentences: Sequence[Sentence], chance: Random) -> Iterator[Sentence]:
    """Of some sentences those with a name that few have so far, and a part of those without any."""
    counts: Counter[str] = Counter()
    for sentence in chance.sample(sentences, len(sentences)):
        names = {span.of(sentence.text) for span in sentence.spans if span.label != "POSITION"}
        if any(counts[name] < TIMES for name in names) or not (names or chance.randrange(EMPTY)):
            counts.update(names)
            yield sentence


def with_model(options: ArgumentParser) -> None:
    """Add the option that names the model whose answers are mended."""
    options.add_argument("--model", default="ner", help="of entities: its name or folder")


def answers(model: str, texts: Sequence[str], technical: bool) -> list[Tagged]:
    """What a model of entities and `segment` say of some sentences."""
    names, odds = fenjie.load(model)(texts), fenjie.load("segment").log_odds(texts)
    return [Tagged(*both, technical) for both in zip(names, odds, strict=True)]


def holding(path: Path, names: Lexicon, seen: set[str]) -> Iterator[str]:
    """Sentences of a text that hold a name, so many for each."""
    yield from each(path, seen, lambda text: {text[i:j] for i, j, _ in matches(names, text)})


def crossing(path: Path, names: Lexicon, seen: set[str]) -> Iterator[str]:
    """Sentences of a text in which words of `segment-fast` cross what may be a name."""
    segment = fenjie.load("segment-fast")

    def crossed(text: str) -> set[str]:
        found = list(matches(names, text))
        if not found:
            return set()
        (odds,) = segment.log_odds([text])
        return {text[i:j] for i, j, _ in found if crosses(Span(i, j, "LOC"), text, odds)}

    yield from each(path, seen, crossed)


def each(path: Path, seen: set[str], names_of: Callable[[str], set[str]]) -> Iterator[str]:
    """Sentences of a text in which a name is found, at most so many for each name."""
    counts: Counter[str] = Counter()
    lines = [line for _, line in read_lines(path)]
    for line in lines[:: max(1, sum(map(len, lines)) // SEARCHED)]:
        for text in split(line):
            if len(text) in LENGTHS and text not in seen:
                names = {name for name in names_of(text) if counts[name] < EACH}
                if names:
                    counts.update(names)
                    seen.add(text)
                    yield text


def matches(names: Lexicon, text: str) -> Iterator[tuple[int, int, int]]:
    """The places of the names in a text, from and to, and their numbers."""
    return zip(*(column.tolist() for column in names.match(text)), strict=True)


def mentions(tagged: Sequence[Tagged]) -> Lexicon:
    """The names, but persons, that are found often enough, of two characters or more."""
    counts = Counter(
        span.of(one.names.text)
        for one in tagged
        for span in one.names.spans
        if span.label != "PER" and CHINESE.search(span.of(one.names.text))
    )
    return Lexicon.build([name for name, times in counts.items() if times >= FOUND and name[1:]])


def mend_all(
    tagged: Sequence[Tagged], known: dict[str, str]
) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences that were mended and the others, without those in doubt."""
    products = nothing(tagged, known)
    listed = Lexicon.build(known)
    places = places_of(one.names for one in tagged)
    sure = []
    for one in tagged:
        sentence = mend(one, known, products)
        if sentence is None:
            continue
        alike = with_heads(addressed(sentence, one.odds), one.odds, places)
        alike = beside(alike, one.odds, places)
        clear = agreed(sentence.text, [alike])
        if clear is not None:
            sure.append((one, with_known(one._replace(names=clear), listed, known)))
    names = known_names([without_none(clear) for _, clear in sure])
    names = {
        name: label for name, label in names.items() if name not in products and name not in known
    }
    lexicon = Lexicon.build(names)
    print(f"{len(products):,} names in Latin letters that are nothing, {len(names):,} known names")
    mended: list[Sentence] = []
    others: list[Sentence] = []
    for one, clear in sure:
        marked = with_marks(clear, lexicon, names)  # but where there is no name
        final = without_none(uncrossed(one._replace(names=marked)))
        (others if final.spans == one.names.spans else mended).append(final)
    return mended, others


def nothing(tagged: Sequence[Tagged], known: Mapping[str, str]) -> set[str]:
    """The names in Latin letters that technical articles have often, without organisations."""
    counts = Counter(
        span.of(one.names.text)
        for one in tagged
        if one.technical
        for span in one.names.spans
        if is_nothing(one.names.text, span, known)
    )
    return {name for name, times in counts.items() if times >= OFTEN}


def is_nothing(text: str, span: Span, known: Mapping[str, str]) -> bool:
    """Whether an entity of a technical article may be a product, a language or the like."""
    name = span.of(text)
    return (
        span.label not in {"PER", "POSITION"}
        and is_latin(name)
        and name not in known
        and not BODY.search(name)
    )


def is_latin(name: str) -> bool:
    """Whether a name is in Latin letters, without Chinese."""
    return bool(LATIN.search(name)) and not CHINESE.search(name)


def mend(one: Tagged, known: Mapping[str, str], products: set[str]) -> Sentence | None:
    """The sentence without the marks that are wrong; None where that is in doubt.

    What is no name here, but elsewhere, is marked as such: a role in another word, an apple.
    """
    text = one.names.text
    words = edges(text, one.odds)
    elsewhere = names_elsewhere(text)
    kept = []
    for span in one.names.spans:
        name = span.of(text)
        if crosses(span, text, one.odds):
            if span.label == "PER" and not LITTLE.fullmatch(name):
                return None
        elif is_part(span, text, words) or name in elsewhere:
            kept.append(replace(span, label=NONE, confidence=1.0))
        elif name in known:
            if known[name] != NONE:
                kept.append(Span(span.start, span.end, known[name], 1.0))
        elif span.label != "PER" and name in products:
            continue
        elif one.technical and LATIN.search(name):
            if is_doubtful(text, span, known):
                return None
            if not is_nothing(text, span, known):
                kept.append(span)
        else:
            kept.append(span)
    return Sentence(text, tuple(kept))


def with_known(one: Tagged, names: Lexicon, labels: Mapping[str, str]) -> Sentence:
    """The sentence with the names as they are listed where they stand in it by themselves.

    Args:
        one: the sentence, with entities of which no two overlap.
        names: the known names.
        labels: the label of each, `NONE` where it is no name, which is marked as such, too.
    """
    text = one.names.text
    words = edges(text, one.odds)
    spans = list(one.names.spans)
    for new in with_marks(Sentence(text), names, labels).spans:
        over = [span for span in spans if span.start < new.end and new.start < span.end]
        within = all(new.start <= span.start and span.end <= new.end for span in over)
        if {new.start, new.end} <= words and within:
            spans = [span for span in spans if span not in over]
            spans.append(replace(new, confidence=1.0))
    return Sentence(text, tuple(sorted(spans)))


def is_doubtful(text: str, span: Span, known: Mapping[str, str]) -> bool:
    """Whether nothing can be said of an entity with Latin letters in a technical article."""
    name = span.of(text)
    if not is_latin(name):
        return not BODY.search(name)
    if span.label == "PER":
        words = name.split()
        whole = len(words) > 1 and all(word[:1].isupper() for word in words)
        return not whole or (span.confidence or 0) < KNOWN
    return span.label == "ORG" and is_nothing(text, span, known)


def uncrossed(one: Tagged) -> Sentence:
    """The sentence without the entities, but persons, that sure words cross."""
    text, spans = one.names.text, one.names.spans
    kept = (span for span in spans if span.label == "PER" or not crosses(span, text, one.odds))
    return Sentence(text, tuple(kept))


def crosses(span: Span, text: str, odds: NDArray[np.float32]) -> bool:
    """Whether sure words cross a span: they begin outside of it and end inside, or the reverse."""
    starts = (np.flatnonzero(odds[1:] > 0) + 1).tolist()
    for start, end in pairwise([0, *starts, len(text)]):
        over = start < span.start < end < span.end and text[start : span.start] not in BEFORE
        past = span.start < start < span.end < end and text[span.end : end] not in AFTER
        if (over or past) and is_sure(start, end, odds):
            return True
    return False


def is_sure(start: int, end: int, odds: NDArray[np.float32]) -> bool:
    """Whether all gaps of a word are sure."""
    edges = [place for place in (start, end) if 0 < place < len(odds)]
    inside = odds[start + 1 : end]
    return all(odds[place] >= SURE for place in edges) and bool((inside <= -SURE).all())


if __name__ == "__main__":
    run(main)
