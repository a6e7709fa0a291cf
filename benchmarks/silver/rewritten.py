"""Copies of tagged sentences with a few characters written otherwise, where `ner` errs in raw text.

    python -m benchmarks.silver.rewritten corrected.jsonl -o rewritten.jsonl

Raw text has few sentences of some kinds, and `ner`, whose training text it was, errs in them. Here
they are made of others:

- **A verb after a place**: 中国将 becomes 中国会, 在义乌举办 在义乌办; 中国金融业 中国银行业.
- **A hyphen in a name**: 让·雷诺 becomes 让-雷诺, a firm has a double name; and between two names,
  北京到上海 becomes 北京-上海.
- **A storm**: 台风“山竹” becomes 台风莫拉克, 飓风 and a name that a person may bear.
- **Provinces**: 川渝两地 becomes 苏鲁豫皖四省, 两市 沪深两市; and a town stands before a street.
- **A form of address**: 王总 becomes 李局, 张某 赖姓男子, and 这位用户 这位老用户.
- **Things**: 小狗 becomes 泰迪, 蛋糕 舒芙蕾, 汽车 卡罗拉, 汉族 布朗族, 手机 Kindle; and words are
  English in Chinese text, as friends and colleagues write: 会议 becomes meeting.
- **Towns of Japan**: in a sentence on Japan a town is another one.

Places and persons stay marked, what is no name is none. The lists are in `recipes/words`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.scripts import parser, run
from benchmarks.silver.beside import PROVINCES
from benchmarks.silver.blended import ABROAD
from benchmarks.silver.exchanged import SEED, TIMES, frequent_towns
from benchmarks.silver.forms_of_address import MORE
from benchmarks.silver.known_names import STORM, WORDS, listed, things
from fenjie.corpus import read, write
from fenjie.text.span import Sentence, Span

ENGLISH = WORDS / "english-words.txt"
"""Words of Chinese text, each with an English one that people write in its stead."""

TOWNS_OF_JAPAN = WORDS / "places-of-japan.txt"
"""Towns of Japan."""

SURNAMES = MORE + "赖游简温戴古巫纪尤骆"
"""Surnames before a title or beside 姓."""

PEOPLE = (
    "车主|用户|客户|顾客|读者|观众|网友|粉丝|球迷|股民|玩家|司机|同学|同事|邻居|员工|职工|干部|党员|战友|校友|队员|球员|演员"
    "|农民|渔民|工人|医生|教师|会员|师傅|乡亲|哥们|伙计|作家|画家|记者|专家|导演|编辑|兵|房子|小区|城区|照片|电影|品牌|企业|手机|电脑"
)
"""What may be called old."""

SHORT_TITLES = "局局队队院院处所工导董科校"
"""Titles after a surname, cut to their last character or their first, the usual ones twice."""

NUMBERS = "两三四五"
"""How many provinces there are in a row of two to five."""

DISEASE = "糖尿病|高血压|心脏病|白血病|(?<!新冠)(?<!冠状病毒)肺炎|流感|胃炎|肝炎|癌症"
"""Diseases in whose stead others stand."""

PROVINCE = re.compile(
    "(?:河[北南]|山[东西]|湖[北南]|广[东西]|江[苏西]|浙江|安徽|福建|四川|贵州|云南|陕西|甘肃|辽宁|吉林|海南)省?"
)
"""Provinces in whose stead several stand, as a character each."""

LISTED = 0.5
"""The share of things that a list has; the others have names of persons from abroad."""

Part = tuple[str, str | None]
"""Some characters, and the type of the name that they are, if any."""

Written = Callable[[re.Match[str], random.Random], Sequence[Part]]
"""What stands in place of some characters."""


class Kind(NamedTuple):
    """Characters that are written otherwise.

    Attributes:
        copies: the number of copies, at most.
        pattern: what they are.
        written: what stands in their place.
        after: the type of the name that ends right before them, if one must.
        first: the type of the name that is their first character, if it must be one.
        before: the type of the name that begins right after them, if one must.
        whole: the type of the name that they are, if they must be one.
        beside: what else the sentence must hold.
    """

    copies: int
    pattern: re.Pattern[str]
    written: Written
    after: str | None = None
    first: str | None = None
    before: str | None = None
    whole: str | None = None
    beside: str = ""


def main() -> None:
    """Read, write otherwise, say how many sentences there are."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="sentences with PER, LOC and ORG")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    chosen = options.parse_args()
    copies = list(rewritten(read(chosen.file).sentences, random.Random(SEED)))
    write(copies, chosen.output, "jsonl")
    print(f"{len(copies):,} sentences")


def rewritten(sentences: Sequence[Sentence], chance: random.Random) -> Iterator[Sentence]:
    """So many copies of each kind, of sentences that are drawn."""
    for kind in kinds(sentences):
        having = [one for one in sentences if places(one, kind)]
        for sentence in chance.sample(having * TIMES, min(kind.copies, TIMES * len(having))):
            yield with_parts(sentence, kind, chance)


def kinds(sentences: Sequence[Sentence]) -> Iterator[Kind]:
    """All kinds.

    Args:
        sentences: of which towns and names from abroad are taken.
    """
    yield from verbs()
    abroad = names_abroad(sentences)
    yield from hyphens(abroad)
    yield from storms(abroad)
    yield from provinces(frequent_towns(sentences))
    yield from forms()
    yield from no_names(abroad)


def verbs() -> Iterator[Kind]:
    """会, 办 and 站 after a place, and 银行 before 业."""
    verb = (
        "继续|成为|支持|面临|需要|采取|出现|加强|推动|提供|增加|考虑|要求|允许|承认|同意|拒绝|反对|参加"
        "|举行|遭遇|失去|迎来|不(?![同断少仅是了])|进一步|在"
    )
    will = f"将?(?={verb})|可能(?![性会])|能够|应该(?!会)|必须|愿意|必将"
    yield Kind(1500, re.compile(f"(?<=国)(?:{will})"), fixed("会"), after="LOC")
    yield Kind(500, re.compile(f"(?:{will})"), fixed("会"), after="LOC")
    yield Kind(600, re.compile("举办|举行|开办|召开|办理"), fixed("办"), after="LOC")
    yield Kind(100, re.compile("(?:等|坐|住|待|呆|停留)(?=[了着])"), fixed("站"), after="LOC")
    trade = re.compile("(?:金融|保险|制造|钢铁|航空|汽车|旅游|服务|证券)业")
    yield Kind(300, trade, fixed("银行业"), after="LOC")


def hyphens(abroad: Sequence[str]) -> Iterator[Kind]:
    """Hyphens and dashes within names, and between two."""

    def person(match: re.Match[str], chance: random.Random) -> list[Part]:
        first, rest = match[0].split("·", 1)
        return [(first + chance.choice("----－–—") + rest, "PER")]

    def firm(_: re.Match[str], chance: random.Random) -> list[Part]:
        return [("-".join(chance.sample(abroad, 2)), "ORG")]

    def between(_: re.Match[str], chance: random.Random) -> list[Part]:
        return [(chance.choice("---－–—"), None)]

    dotted = re.compile("[\u4e00-\u9fff]{1,6}(?:·[\u4e00-\u9fff]{1,6}){1,3}")
    yield Kind(1500, dotted, person, whole="PER")
    if len(abroad) > 1:
        yield Kind(800, re.compile("[\u4e00-\u9fff]{2,4}(?<=[^部局委院会党])"), firm, whole="ORG")
    for label, times in (("LOC", 600), ("ORG", 400), ("PER", 200)):
        yield Kind(times, re.compile("[到至和与、]"), between, after=label, before=label)


def storms(abroad: Sequence[str]) -> Iterator[Kind]:
    """Storms, some by a name that persons or places may have."""
    listed_storms = things()[STORM]

    def storm(match: re.Match[str], chance: random.Random) -> list[Part]:
        name = chance.choice(listed_storms if chance.random() < 0.6 else abroad or listed_storms)
        first = chance.choice(("台风", "台风", "飓风"))
        marks = chance.choice(("“”", "“”", "", ""))
        return [(first + marks[:1] + name + marks[1:], None)]

    quoted = f"(?:台风|飓风)(?:[“「][\u4e00-\u9fff]{{2,5}}[”」]|{'|'.join(listed_storms)})"
    alone = "台风(?=影响|登陆|袭|来|过境|中心|外围|预警|即将|将|已|肆虐|正|于|到|过后)"
    yield Kind(1500, re.compile(f"{quoted}|{alone}"), storm)


def provinces(towns: Sequence[str]) -> Iterator[Kind]:
    """Characters for provinces in a row, and streets after a town."""

    def row(match: re.Match[str], chance: random.Random) -> list[Part]:
        letters = chance.sample(PROVINCES, chance.choice((2, 2, 3, 4, 5)))
        rest = match["rest"]
        if rest[:1] in NUMBERS:
            rest = rest[1:]
        if rest[:1] in "省市地":
            rest = chance.choice(("", NUMBERS[len(letters) - 2])) + rest
        return [*((letter, "LOC") for letter in letters), (rest, None)]

    def letters_alone(_: re.Match[str], chance: random.Random) -> list[Part]:
        return [(one, "LOC") for one in chance.sample(PROVINCES, chance.choice((2, 3, 4, 5)))]

    def markets(_: re.Match[str], __: random.Random) -> list[Part]:
        return [("沪", "LOC"), ("深", "LOC"), ("两市", None)]

    def street(match: re.Match[str], chance: random.Random) -> list[Part]:
        return [(chance.choice(towns), "LOC"), (match[0], "LOC")]

    called = f"(?<![{PROVINCES}])[{PROVINCES}]{{2,5}}"
    region = "[两三四五]?[省市地](?![长委政区会内外级])"
    line = "高铁|高速|铁路|边界|交界|等地|地区|边境|公路"
    yield Kind(2000, re.compile(f"{called}(?P<rest>{region}|{line})"), row)
    yield Kind(800, PROVINCE, letters_alone, whole="LOC")
    own = "(?<![沪深津京、])两市(?=[成股指收今共午])"
    index = f"(?:A股|大盘)(?=[今昨午早全收高低震冲三继持放缩])|{own}"
    yield Kind(300, re.compile(index), markets)
    if towns:
        yield Kind(600, re.compile("[\u4e00-\u9fff]{2,3}(?:[^铁公线]路|街)"), street, whole="LOC")


def forms() -> Iterator[Kind]:
    """Short titles after a surname, 姓 beside one, and 老 before what persons are."""

    def titled(_: re.Match[str], chance: random.Random) -> list[Part]:
        return [
            (chance.choice(SURNAMES), "PER"),
            (chance.choice(SHORT_TITLES), None),
        ]

    def called(_: re.Match[str], chance: random.Random) -> list[Part]:
        form = chance.choice(("男子", "男子", "女子", "同学", "老板", "司机", "居民", "村民"))
        return [(chance.choice(SURNAMES), "PER"), (f"姓{form}", None)]

    def is_called(match: re.Match[str], chance: random.Random) -> list[Part]:
        return [(match[1] + "姓", None), (chance.choice(SURNAMES), "PER")]

    def old(match: re.Match[str], _: random.Random) -> list[Part]:
        return [(match[0] + "老", None)]

    title = "总|老师|经理|主任|医生|叔叔|阿姨|师傅|哥|姐|局长|院长|队长|处长|所长|书记"
    yield Kind(2000, re.compile(f"[{MORE}](?:{title})"), titled, first="PER")
    yield Kind(800, re.compile(f"[{MORE}](?:某某|某)(?![\u4e00-\u9fff]某)"), called)
    yield Kind(
        400, re.compile("([我他她])(?:叫|是)[\u4e00-\u9fff]{2,3}(?=[，。！？,!?])"), is_called
    )
    many = "很多|不少|许多|一位|这位|那位|几个|一些|一个|那个|这个|作为|几位|所有|各位"
    yield Kind(1200, re.compile(f"(?:{many})(?={PEOPLE})"), old)


def no_names(abroad: Sequence[str]) -> Iterator[Kind]:
    """Things with names as from abroad, English words, and towns of Japan."""
    of_kind = (
        ("dog", "小狗|狗狗|宠物狗|小猫|猫咪|狗子|[一只条]狗(?![\u4e00-\u9fff])", ("",)),
        ("dish", "蛋糕|(?<!外)面包|甜点|奶茶|饼干|甜品|点心", ("",)),
        ("car", "轿车|新车|私家车|越野车|小汽车|跑车", ("",)),
        ("disease", DISEASE, ("病", "综合征")),
        ("people", "汉族|[回壮满苗藏彝侗]族|少数民族", ("族",)),
        ("device", "(?<![A-Za-z])(?:手机(?![号店壳卡屏厂])|平板|电脑|耳机|相机|游戏机)", ()),
    )
    listed_things = things()
    for kind, pattern, ends in of_kind:
        written = called_as_abroad(listed_things[kind], abroad, ends)
        yield Kind(800, re.compile(pattern), written)
    words = dict(line.split(" ", 1) for line in listed(ENGLISH))

    def english(match: re.Match[str], _: random.Random) -> list[Part]:
        return [(words[match[0]], None)]

    yield Kind(2000, re.compile("|".join(words)), english)
    others = re.compile("(?!日本|台湾|朝鲜|苏联)[\u4e00-\u9fff]{2,3}(?<![国日美中洲])")
    town = drawn(listed(TOWNS_OF_JAPAN), "LOC")
    yield Kind(800, others, town, whole="LOC", beside="日本")


def called_as_abroad(
    listed_names: Sequence[str], abroad: Sequence[str], ends: Sequence[str]
) -> Written:
    """A thing of a list, or, as often, what a person from abroad is called by, with an end."""

    def written(_: re.Match[str], chance: random.Random) -> list[Part]:
        if not (ends and abroad) or chance.random() < LISTED:
            return [(chance.choice(listed_names), None)]
        return [(chance.choice(abroad)[:4] + chance.choice(ends), None)]

    return written


def fixed(text: str) -> Written:
    """The same characters each time, which are no name."""
    return lambda _, __: [(text, None)]


def drawn(names: Sequence[str], label: str | None) -> Written:
    """One of some names, or of words that are none."""
    return lambda _, chance: [(chance.choice(names), label)]


def names_abroad(sentences: Sequence[Sentence]) -> list[str]:
    """What persons from abroad are called by, spelt by the sound: the parts of names with dots."""
    dotted = (
        part
        for one in sentences
        for span in one.spans
        if span.label == "PER" and "·" in span.of(one.text)
        for part in span.of(one.text).split("·")
    )
    return sorted({part for part in dotted if ABROAD.fullmatch(part)})


def places(sentence: Sentence, kind: Kind) -> list[re.Match[str]]:
    """Where a sentence has characters of a kind, which no name goes on beyond."""
    spans = sentence.spans
    if kind.beside not in sentence.text:
        return []
    if kind.whole is not None:
        wholes = (span for span in spans if span.label == kind.whole)
        found = (kind.pattern.fullmatch(sentence.text, one.start, one.end) for one in wholes)
        return [match for match in found if match is not None]
    ends = {span.end for span in spans if span.label == kind.after}
    marked = {(span.start, span.end, span.label) for span in spans}
    starts = {span.start for span in spans if span.label == kind.before}
    return [
        match
        for match in kind.pattern.finditer(sentence.text)
        if (kind.after is None or match.start() in ends)
        and (kind.before is None or match.end() in starts)
        and (kind.first is None or (match.start(), match.start() + 1, kind.first) in marked)
        and not any(goes_on(span, match) for span in spans)
    ]


def goes_on(span: Span, match: re.Match[str]) -> bool:
    """Whether a name has characters within a match and others outside of it."""
    over = span.start < match.end() and match.start() < span.end
    return over and (span.start < match.start() or match.end() < span.end)


def with_parts(sentence: Sentence, kind: Kind, chance: random.Random) -> Sentence:
    """The sentence with the characters of a kind written otherwise, and its other names."""
    pieces: list[str] = []
    spans: list[Span] = []
    last = length = 0
    for match in [*places(sentence, kind), None]:
        end = len(sentence.text) if match is None else match.start()
        kept = (span for span in sentence.spans if last <= span.start and span.end <= end)
        spans += (
            Span(span.start - last + length, span.end - last + length, span.label) for span in kept
        )
        pieces.append(sentence.text[last:end])
        length += end - last
        if match is not None:
            for text, label in kind.written(match, chance):
                if label is not None and text:
                    spans.append(Span(length, length + len(text), label))
                pieces.append(text)
                length += len(text)
            last = match.end()
    return Sentence("".join(pieces), tuple(spans))


if __name__ == "__main__":
    run(main)
