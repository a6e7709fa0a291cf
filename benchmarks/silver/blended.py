"""Copies of tagged sentences with names that nobody bears, each of the halves of two real ones.

    python -m benchmarks.silver.blended corrected.jsonl -o blended.jsonl

A model that has met a name often knows it by its characters, and reads little of what stands around
it: of ten firms that it has hardly met (在塔斯汀上班) it finds none. Here a name stands in its
sentence in another form, 华为 and 腾讯 as 华讯, so that what is around it says what it is. Blended
are

- firms and the like of two or three characters;
- towns of two characters;
- persons and places from abroad, spelt by their sound in three to six characters;
- names in Latin letters, in the stead of such firms and of Chinese persons of three characters:
  OpeTok of OpenAI and TikTok.

The halves are of names that the text has five times or more, those in Latin letters of names in
`recipes/words`; what is a word that the model of `--model` knows, or one of these names, is not
made.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.scripts import parser, run
from benchmarks.silver.exchanged import LATIN, LATIN_BODIES, SEED, TIMES, names, with_names
from benchmarks.silver.known_names import listed
from fenjie.corpus import read, write
from fenjie.runtime.folder import ModelFolder
from fenjie.text.span import Sentence

SOUNDS = (
    "阿埃艾安昂奥巴白班邦包鲍贝本比彼宾波伯博布查昌达戴丹道德登迪蒂丁顿多厄恩尔法凡菲费芬夫弗福盖冈高戈格贡古瓜圭哈海汉豪赫黑亨洪胡华惠霍基吉季加贾"
    "简杰金津卡凯坎康考科克肯孔库奎拉来莱赖兰朗劳勒雷里利理列林琳隆卢鲁路伦罗洛马玛迈麦曼毛梅门蒙米密敏明莫默姆木穆纳奈南内尼涅宁努诺欧帕潘庞佩彭皮平"
    "珀普奇齐恰钱乔切钦琼热日荣儒瑞若萨塞赛桑森沙珊绍舍申圣施什史舒斯松苏索塔泰坦汤唐陶特提廷通图托瓦万旺威韦维魏温文翁沃乌武西希锡香肖谢辛欣休许雅亚延"
    "扬耶叶伊依易因英尤于约赞泽曾扎詹张哲珍朱兹茨宗祖佐"
)
"""Characters with which names from abroad are spelt by their sound."""

ABROAD = re.compile(f"[{SOUNDS}]{{3,6}}")

SHORT = re.compile(
    "[\u4e00-\u9fff]{2,3}(?<![社部委局院会党军队校府省市县区州国族盟报网所厅署台站团司])"
)
"""What is no body by its last character, as 国务院 is."""

TOWN = re.compile("[\u4e00-\u9fff]{2}(?<![省市县区州国山河江湖海岛港洋洲族])")

CHINESE = re.compile("[\u4e00-\u9fff]{3}")

LETTERS = re.compile("[A-Za-z]{4,12}")
"""A name in Latin letters whose halves are taken."""

OFTEN = 5
"""The number of sentences that a name stands in whose halves are taken, at least."""


class Kind(NamedTuple):
    """Names that are blended with one another.

    Attributes:
        name: the kind in words.
        label: their type.
        form: their form.
        copies: the number of copies, at most.
        halves: a list of names whose halves stand in their stead; None where their own do.
    """

    name: str
    label: str
    form: re.Pattern[str]
    copies: int
    halves: Path | None = None

    def names_in(self, sentence: Sentence) -> list[str]:
        """The names of the kind in a sentence, each once, in order."""
        return names(sentence, self.label, self.form.fullmatch)


KINDS = (
    Kind("a firm of two or three characters", "ORG", SHORT, 9000),
    Kind("a town of two characters", "LOC", TOWN, 5000),
    Kind("a place from abroad", "LOC", ABROAD, 4000),
    Kind("a person from abroad", "PER", ABROAD, 2000),
    Kind("a firm in Latin letters", "ORG", SHORT, 4000, LATIN_BODIES),
    Kind("a person in Latin letters", "PER", CHINESE, 2500, LATIN),
)


def main() -> None:
    """Read, blend names, write, say how many sentences there are."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="sentences with PER, LOC and ORG")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    options.add_argument("--model", default="ner", help="whose words are not made")
    chosen = options.parse_args()
    words = ModelFolder.open(chosen.model).words
    known = frozenset[str]() if words is None else words.lexicon
    copies = list(blended(read(chosen.file).sentences, known, random.Random(SEED)))
    write(copies, chosen.output, "jsonl")
    print(f"{len(copies):,} sentences")


def blended(
    sentences: Sequence[Sentence], known: Container[str], chance: random.Random
) -> Iterator[Sentence]:
    """So many copies of each kind, of sentences that are drawn.

    Args:
        sentences: with their entities.
        known: words that no blend may be.
        chance: draws.
    """
    for kind in KINDS:
        parts = names_to_blend(sentences, kind)
        having = [one for one in sentences if kind.names_in(one)]
        if len(parts) < 2:
            continue
        for sentence in chance.sample(having * TIMES, min(kind.copies, TIMES * len(having))):
            others = {name: blend(parts, known, chance) for name in kind.names_in(sentence)}
            yield with_names(sentence, others)


def names_to_blend(sentences: Sequence[Sentence], kind: Kind) -> list[str]:
    """The names of a kind that are found often, or those of its list."""
    if kind.halves is not None:
        return [name for name in listed(kind.halves) if LETTERS.fullmatch(name)]
    found = Counter(name for one in sentences for name in kind.names_in(one))
    return sorted(name for name, times in found.items() if times >= OFTEN)


def blend(parts: Sequence[str], known: Container[str], chance: random.Random) -> str:
    """The first half of one name and the second half of another, which no known word is."""
    while True:
        first, last = chance.choice(parts), chance.choice(parts)
        made = first[: (len(first) + 1) // 2] + last[(len(last) + 1) // 2 :]
        if made not in known and made not in parts:
            return made


if __name__ == "__main__":
    run(main)
