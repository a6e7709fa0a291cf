"""Copies of tagged sentences in which names are exchanged for forms that such text rarely has.

    python -m benchmarks.exchanged corrected.jsonl -o exchanged.jsonl

In raw text most persons have their full name and most schools theirs, so that a model misses 国栋,
阿强, Tony, 川大 and 成都七中. Here

- a person of three characters is called by the given name alone (李国栋 → 国栋), sometimes as
  friends do (阿栋, 栋栋), or has a name in Latin letters;
- a university has its short name (四川大学 → 川大), another school one after a town (成都七中).

A name is exchanged in all its places in a sentence. The names in Latin letters and the short names
of universities are lists in `recipes/words`, the others are made of the names of the text itself.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.forms_of_address import MORE
from benchmarks.machine import ROOT
from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.files import read_lines
from fenjie.text.span import Sentence

WORDS = ROOT / "recipes" / "words"

LATIN = WORDS / "first-names.txt"
"""First names that are seldom anything else in Chinese text, as Mark, May and Ruby are."""

UNIVERSITIES = WORDS / "universities.txt"
"""Short names of universities, without words such as 重大."""

NUMBERS = ("一", "二", "三", "四", "七", "八", "十一")
SCHOOLS = (*(f"{{}}{number}中" for number in NUMBERS), "{}中学", "{}附中")
"""How schools are called after a town; the last after a university."""

FULL = re.compile(f"^[{MORE}](?!.*某)[\u4e00-\u9fff]{{2}}$")
SCHOOL = re.compile("(大学|学院|中学|学校|师院)$")
TOWN = re.compile("[\u4e00-\u9fff]{2}")

SEED = 1
GIVEN, LETTERS, SHORT = 1500, 500, 1500
"""The number of copies at most: of given names, of names in Latin letters, of schools."""

TIMES = 5
"""The number of copies of one sentence, at most."""

Names = Callable[[str], str]


def main() -> None:
    """Read, exchange names, write, say how many sentences of each kind there are."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="sentences with PER, LOC and ORG")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    chosen = options.parse_args()
    sentences = read(chosen.file).sentences
    copies = list(exchanged(sentences, random.Random(SEED)))
    write(copies, chosen.output, "jsonl")
    print(f"{len(copies):,} sentences")


def exchanged(sentences: Sequence[Sentence], chance: random.Random) -> Iterator[Sentence]:
    """So many copies of each kind, of sentences that are drawn."""
    towns, latin, universities = frequent(sentences), listed(LATIN), listed(UNIVERSITIES)
    kinds: tuple[tuple[int, str, re.Pattern[str], Names], ...] = (
        (GIVEN, "PER", FULL, lambda name: called(name, chance)),
        (LETTERS, "PER", FULL, lambda name: chance.choice(latin)),
        (SHORT, "ORG", SCHOOL, lambda name: school(name, universities, towns, chance)),
    )
    for number, label, pattern, name_of in kinds:
        having = [one for one in sentences if names(one, label, pattern)]
        for sentence in chance.sample(having * TIMES, min(number, TIMES * len(having))):
            others = {name: name_of(name) for name in names(sentence, label, pattern)}
            yield with_names(sentence, others)


def listed(path: Path) -> list[str]:
    """The names of a list, one per line."""
    return [name for _, name in read_lines(path)]


def frequent(sentences: Sequence[Sentence]) -> list[str]:
    """The places of two characters that are found five times or more."""
    found = (span.of(one.text) for one in sentences for span in one.spans if span.label == "LOC")
    return sorted(
        name for name, times in Counter(found).items() if times >= 5 and TOWN.fullmatch(name)
    )


def names(sentence: Sentence, label: str, pattern: re.Pattern[str]) -> list[str]:
    """The names of a sentence with this label that a pattern is found in, each once, in order."""
    found = (span.of(sentence.text) for span in sentence.spans if span.label == label)
    return list(dict.fromkeys(name for name in found if pattern.search(name)))


def called(name: str, chance: random.Random) -> str:
    """How friends call a person of three characters, by the given name mostly."""
    given, last = name[1:], name[-1]
    return chance.choice([given] * 8 + [f"阿{last}", last * 2])


def school(
    name: str, universities: Sequence[str], towns: Sequence[str], chance: random.Random
) -> str:
    """The short name of another university, or of a school."""
    short = chance.choice(universities)
    if name.endswith("大学"):
        return short
    form = chance.choice(SCHOOLS)
    return form.format(short if form.endswith("附中") else chance.choice(towns))


def with_names(sentence: Sentence, others: dict[str, str]) -> Sentence:
    """The sentence with names of it exchanged, where they are entities.

    Args:
        sentence: with its entities in order, of which no two overlap.
        others: what stands in place of each name.
    """
    parts, spans, last, length = [], [], 0, 0
    for span in sentence.spans:
        before, name = sentence.text[last : span.start], span.of(sentence.text)
        other = others.get(name, name)
        start = length + len(before)
        parts += [before, other]
        spans.append(replace(span, start=start, end=start + len(other)))
        last, length = span.end, start + len(other)
    return Sentence("".join(parts) + sentence.text[last:], tuple(spans))


if __name__ == "__main__":
    run(main)
