"""Copies of tagged sentences in which names are exchanged for forms that such text rarely has.

    python -m benchmarks.silver.exchanged corrected.jsonl -o exchanged.jsonl

In raw text most persons have their full name and most schools theirs, places and firms abroad their
Chinese name, so that a model misses 国栋, 阿强, Tony, 川大, 成都七中, Boston and Walmart. Here

- a person of three characters is called by the given name alone (李国栋 → 国栋), sometimes as
  friends do (阿栋, 栋栋), or has a name in Latin letters, or one from Japan (山口美咲);
- a university has its short name (四川大学 → 川大), another school one after a town (成都七中);
- a place, a firm or a university has a name in Latin letters (波士顿 → Boston, 沃尔玛 → Walmart);
- a club is called by a place and a name (曼联 → 山东泰山), a firm 苹果 or 小米 (三星 → 苹果);
- fruit is 苹果, grain 小米, what patients take is a drug with a name (抗生素 → 舍曲林), and a word
  with a role in it another (董事会 → 护士站), and all are no entities.

A name is exchanged wherever it stands in a sentence. The names in Latin letters, from Japan, of
clubs, of drugs and the short ones of universities are lists in `recipes/words`, the others are made
of the names of the text itself.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.scripts import parser, run
from benchmarks.silver.forms_of_address import MORE
from benchmarks.silver.known_names import (
    CLUBS,
    DRUGS,
    NONE,
    ROLE_WORDS,
    WORDS,
    listed,
    without_none,
)
from fenjie.corpus import read, write
from fenjie.text.span import Sentence, Span

LATIN = WORDS / "first-names.txt"
"""First names that are seldom anything else in Chinese text, as Mark, May and Ruby are."""

SURNAMES = WORDS / "surnames-of-japan.txt"
"""Surnames from Japan."""

GIVEN_NAMES = WORDS / "given-names-of-japan.txt"
"""Given names from Japan."""

LATIN_PLACES = WORDS / "latin-places.txt"
"""Places abroad, as Chinese text has them in Latin letters."""

LATIN_BODIES = WORDS / "latin-bodies.txt"
"""Firms, universities and offices, as Chinese text has them in Latin letters."""

PLACES_ABROAD = WORDS / "places-abroad.txt"
"""Places in whose stead those in Latin letters stand, as Chinese text mostly has them."""

KNOWN_BODIES = WORDS / "known-bodies.txt"
"""Firms and universities in whose stead those in Latin letters stand."""

UNIVERSITIES = WORDS / "universities.txt"
"""Short names of universities, without words such as 重大."""

KNOWN_CLUBS = WORDS / "known-clubs.txt"
"""Clubs in whose stead those that are called by a place and a name stand."""

MAKERS = frozenset(("华为", "三星", "联想", "谷歌", "OPPO", "vivo", "特斯拉", "英特尔"))
"""Firms in whose stead 苹果 and 小米 stand, which are fruit and grain, too."""

FRUIT = "香蕉|橘子|葡萄(?![牙酒])|草莓|西瓜|梨子|桃子|樱桃|芒果|荔枝|橙子"
GRAIN = "大米|玉米|绿豆|燕麦|糯米|红豆|黄豆|小麦"
TAKEN = "青霉素|阿司匹林|胰岛素|抗生素|感冒药|止痛药|退烧药|消炎药|安眠药|降压药|激素|维生素"
WITH_ROLES = "董事会|监事会|记者会|学生会|专家组|教练组"
NO_NAMES = re.compile(f"{FRUIT}|{GRAIN}|{TAKEN}|{WITH_ROLES}")
"""What is no name, and is exchanged as if it were one."""

NUMBERS = ("一", "二", "三", "四", "七", "八", "十一")
SCHOOLS = (*(f"{{}}{number}中" for number in NUMBERS), "{}中学", "{}附中")
"""How schools are called after a town; the last after a university."""

FULL = re.compile(f"^[{MORE}](?!.*某)[\u4e00-\u9fff]{{2}}$")
SCHOOL = re.compile("(大学|学院|中学|学校|师院)$")
TOWN = re.compile("[\u4e00-\u9fff]{2}")

SEED = 1
GIVEN, SHORT, LETTERS = 1500, 1500, 500
"""The number of copies at most: of given names, of schools, of each type from abroad."""

TIMES = 5
"""The number of copies of one sentence, at most."""

Names = Callable[[str], str]
"""What stands in place of a name."""

Asked = Callable[[str], object]
"""Whether a name is of the kind that is exchanged."""


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
    towns, latin, universities = frequent_towns(sentences), listed(LATIN), listed(UNIVERSITIES)
    surnames, given = listed(SURNAMES), listed(GIVEN_NAMES)
    places, bodies = listed(LATIN_PLACES), listed(LATIN_BODIES)
    abroad, known = frozenset(listed(PLACES_ABROAD)), frozenset(listed(KNOWN_BODIES))
    clubs, called_alone = listed(CLUBS), frozenset(listed(KNOWN_CLUBS))
    drugs, roles = listed(DRUGS), listed(ROLE_WORDS)
    kinds: tuple[tuple[int, str, Asked, Names], ...] = (
        (GIVEN, "PER", FULL.search, lambda name: called(name, chance)),
        (LETTERS, "PER", FULL.search, lambda name: chance.choice(latin)),
        (LETTERS, "PER", FULL.search, lambda name: chance.choice(surnames) + chance.choice(given)),
        (SHORT, "ORG", SCHOOL.search, lambda name: school(name, universities, towns, chance)),
        (LETTERS, "LOC", abroad.__contains__, lambda name: chance.choice(places)),
        (LETTERS, "ORG", known.__contains__, lambda name: chance.choice(bodies)),
        (SHORT, "ORG", called_alone.__contains__, lambda name: chance.choice(clubs)),
        (LETTERS, "ORG", MAKERS.__contains__, lambda name: chance.choice(["苹果", "小米"])),
        (SHORT, NONE, re.compile(FRUIT).match, lambda name: "苹果"),
        (SHORT, NONE, re.compile(GRAIN).match, lambda name: "小米"),
        (SHORT, NONE, re.compile(TAKEN).match, lambda name: chance.choice(drugs)),
        (SHORT, NONE, re.compile(WITH_ROLES).match, lambda name: chance.choice(roles)),
    )
    marked = [with_no_names(one) for one in sentences]
    for number, label, asked, name_of in kinds:
        having = [one for one in marked if names(one, label, asked)]
        for sentence in chance.sample(having * TIMES, min(number, TIMES * len(having))):
            others = {name: name_of(name) for name in names(sentence, label, asked)}
            yield without_none(with_names(sentence, others))


def with_no_names(sentence: Sentence) -> Sentence:
    """The sentence with what is no name marked as such, where it is in no entity."""
    found = (Span(*match.span(), NONE) for match in NO_NAMES.finditer(sentence.text))
    free = [new for new in found if not any(overlap(new, span) for span in sentence.spans)]
    return replace(sentence, spans=tuple(sorted([*sentence.spans, *free])))


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans have a character in common."""
    return one.start < other.end and other.start < one.end


def frequent_towns(sentences: Sequence[Sentence]) -> list[str]:
    """The places of two characters that are found five times or more."""
    found = (span.of(one.text) for one in sentences for span in one.spans if span.label == "LOC")
    return sorted(
        name for name, times in Counter(found).items() if times >= 5 and TOWN.fullmatch(name)
    )


def names(sentence: Sentence, label: str, asked: Asked) -> list[str]:
    """The names of a sentence with this label that are of the kind, each once, in order."""
    found = (span.of(sentence.text) for span in sentence.spans if span.label == label)
    return list(dict.fromkeys(name for name in found if asked(name)))


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
