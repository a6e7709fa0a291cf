"""Copies of tagged sentences in which names are exchanged for forms that such text rarely has.

    python -m benchmarks.exchanged corrected.jsonl -o exchanged.jsonl

In raw text most persons have their full name and most schools theirs, places and firms abroad their
Chinese name, so that a model misses 国栋, 阿强, Tony, 川大, 成都七中, Boston and Walmart. Here

- a person of three characters is called by the given name alone (李国栋 → 国栋), sometimes as
  friends do (阿栋, 栋栋), or has a name in Latin letters;
- a university has its short name (四川大学 → 川大), another school one after a town (成都七中);
- a place, a firm or a university has a name in Latin letters (波士顿 → Boston, 沃尔玛 → Walmart).

A name is exchanged wherever it stands in a sentence. The names in Latin letters and the short names
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

LATIN_PLACES = WORDS / "latin-places.txt"
"""Places abroad, as Chinese text has them in Latin letters."""

LATIN_BODIES = WORDS / "latin-bodies.txt"
"""Firms, universities and offices, as Chinese text has them in Latin letters."""

UNIVERSITIES = WORDS / "universities.txt"
"""Short names of universities, without words such as 重大."""

NUMBERS = ("一", "二", "三", "四", "七", "八", "十一")
SCHOOLS = (*(f"{{}}{number}中" for number in NUMBERS), "{}中学", "{}附中")
"""How schools are called after a town; the last after a university."""

FULL = re.compile(f"^[{MORE}](?!.*某)[\u4e00-\u9fff]{{2}}$")
SCHOOL = re.compile("(大学|学院|中学|学校|师院)$")
TOWN = re.compile("[\u4e00-\u9fff]{2}")
ABROAD = re.compile(
    "^(纽约|洛杉矶|旧金山|芝加哥|波士顿|西雅图|休斯敦|休斯顿|费城|达拉斯|底特律|迈阿密|加州|硅谷|多伦多|温哥华|蒙特利尔"
    "|伦敦|曼彻斯特|巴黎|柏林|慕尼黑|法兰克福|维也纳|罗马|马德里|巴塞罗那|里斯本|阿姆斯特丹|布鲁塞尔|苏黎世|日内瓦"
    "|哥本哈根|斯德哥尔摩|赫尔辛基|莫斯科|伊斯坦布尔|开罗|迪拜|孟买|曼谷|河内|雅加达|马尼拉|新加坡|东京|大阪|京都|首尔"
    "|釜山|悉尼|墨尔本|奥克兰|美国|英国|德国|加拿大|澳大利亚)$"
)
BODY = re.compile(
    "^(腾讯|阿里巴巴|阿里|百度|京东|华为|小米|联想|字节跳动|美团|滴滴|网易|新浪|谷歌|微软|亚马逊|脸书|英特尔|英伟达|高通"
    "|三星|索尼|松下|丰田|本田|大众|宝马|奔驰|特斯拉|通用|福特|沃尔玛|家乐福|宜家|麦当劳|肯德基|星巴克|迪士尼|耐克"
    "|高盛|摩根大通|花旗|汇丰|普华永道|哈佛大学|斯坦福大学|麻省理工学院|清华大学|北京大学|复旦大学|浙江大学|清华|北大)$"
)

SEED = 1
GIVEN, SHORT, LETTERS = 1500, 1500, 500
"""The number of copies at most: of given names, of schools, of each type in Latin letters."""

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
    places, bodies = listed(LATIN_PLACES), listed(LATIN_BODIES)
    kinds: tuple[tuple[int, str, re.Pattern[str], Names], ...] = (
        (GIVEN, "PER", FULL, lambda name: called(name, chance)),
        (LETTERS, "PER", FULL, lambda name: chance.choice(latin)),
        (SHORT, "ORG", SCHOOL, lambda name: school(name, universities, towns, chance)),
        (LETTERS, "LOC", ABROAD, lambda name: chance.choice(places)),
        (LETTERS, "ORG", BODY, lambda name: chance.choice(bodies)),
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
