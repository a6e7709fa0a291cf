"""Annotated text in which 老王, 张某, 李女士, 广州南站 and 人大附中 are marked alike throughout.

    python -m benchmarks.silver.forms_of_address FILE -o FILE [--person NAME --place LOC --body ORG]

MSRA marks the surname alone in 老王 and 张某, CLUENER mostly nothing in these and in 李女士, other
text the whole, so that a model of several corpora marks them now one way, now another. Here

- a surname after 老 or 小 and before 某, 哥 or 姐 is one person with it: 老王, 张某某, 李姐;
- before a title such as 女士 or 总 the surname alone is a person: 李 in 李女士;
- a station is one place with the town that it is named after: 广州南站;
- a school is one organisation with the name that it is known by: 人大附中, 成都七中.

This holds only where words of `segment` begin or end at its edges, and where no longer name covers
it (老王庄).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fenjie
from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.recipe.recipe import locate
from fenjie.tasks.mapping import longest
from fenjie.text.span import Sentence, Span

SURNAMES = (
    "王李张刘陈杨赵吴周徐孙朱胡郭何罗郑梁谢宋唐许韩冯邓曹彭曾肖蔡潘袁董苏吕魏蒋杜丁沈范卢汪戴崔任陆"
    "廖姚谭邹方江黄"
)
"""Surnames that are rarely another word after 老 or 小, as 林, 叶, 马, 高 and 白 are."""

MORE = SURNAMES + "林叶马高白石金姜熊钟夏田邱贾侯孟秦史龙陶贺顾毛郝龚邵万钱严武莫孔温康施洪"
"""Surnames, these among them, before 某 or a title."""

TITLES = (
    "先生|女士|小姐|太太|夫人|总|导|经理|阿姨|叔叔|伯伯|大爷|大妈|大哥|大姐|爷爷|奶奶|老师|教授|医生|大夫|律师"
    "|师傅|警官|同学|院长|局长|部长|书记|主任|科长|处长|校长|队长"
)

CALLED = re.compile(f"[老小][{SURNAMES}]|[{MORE}](?:某某|某|哥|姐)")
TITLED = re.compile(f"(?<![老小])(?!任)[{MORE}](?={TITLES})")
TITLE = re.compile(TITLES)
STATION = re.compile("(?:虹桥|[东南西北])站")
SCHOOL = re.compile("附中|附小|附属中学|附属小学|实验中学|实验小学|外国语学校")
NUMBERED = re.compile("(?:第?[一二三四五六七八九十]+)[中小]")


class Labels(NamedTuple):
    """The labels of an annotation."""

    person: str = "PER"
    place: str = "LOC"
    body: str = "ORG"


LABELS = Labels()


def main() -> None:
    """Read, mark alike, write, say how many sentences were changed."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="annotated text, under FENJIE_DATA or here")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    for name, label in LABELS._asdict().items():
        options.add_argument(f"--{name}", default=label, help="the label of such a name")
    chosen = options.parse_args()
    labels = Labels(chosen.person, chosen.place, chosen.body)
    raw = read(locate(str(chosen.file)), overlapping=True).sentences
    sentences = [Sentence(one.text, tuple(longest(one.spans))) for one in raw]
    odds = fenjie.load("segment").log_odds([one.text for one in sentences])
    alike = [addressed(*both, labels) for both in zip(sentences, odds, strict=True)]
    write(alike, chosen.output, "jsonl")
    changed = sum(new != old for new, old in zip(alike, sentences, strict=True))
    print(f"{len(alike):,} sentences, {changed:,} of them changed")


def addressed(sentence: Sentence, odds: NDArray[np.float32], labels: Labels = LABELS) -> Sentence:
    """The sentence with its forms of address, stations and schools marked alike.

    Args:
        sentence: with its entities, of which no two overlap.
        odds: [length], the log-odds that a word begins at each character.
        labels: of its entities.
    """
    text = sentence.text
    spans = [_untitled(span, text, labels) for span in sentence.spans]
    words = edges(text, odds)
    found = chain(_persons(text, labels), _longer(spans, text, labels))
    for new in [span for span in found if {span.start, span.end} <= words]:
        spans = _with(spans, new)
    return Sentence(text, tuple(sorted(spans)))


def edges(text: str, odds: NDArray[np.float32]) -> set[int]:
    """Where words of a text begin or end, by the log-odds that one begins at each character."""
    beside = (match.span() for match in re.finditer(r"\s+", text))
    return {0, len(text), *np.flatnonzero(odds > 0).tolist(), *chain.from_iterable(beside)}


def forms_in(text: str) -> set[str]:
    """What such names begin or end with in a text: 老王, 李 before a title, 南站, 七中."""
    patterns = (CALLED, TITLED, STATION, SCHOOL, NUMBERED)
    return {match.group() for pattern in patterns for match in pattern.finditer(text)}


def _untitled(span: Span, text: str, labels: Labels) -> Span:
    """A person without the title after a surname: 王 of 王总."""
    titled = TITLED.match(text, span.start)
    whole = titled is not None and TITLE.fullmatch(text, titled.end(), span.end)
    if span.label == labels.person and titled is not None and whole:
        return replace(span, end=titled.end())
    return span


def _persons(text: str, labels: Labels) -> Iterator[Span]:
    """Surnames, with what is a part of the name, wherever they may stand in a text."""
    for pattern in (CALLED, TITLED):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), labels.person, 1.0)


def _longer(spans: Sequence[Span], text: str, labels: Labels) -> Iterator[Span]:
    """Places and organisations with the rest of the name of a station or a school."""
    rest = (
        (labels.place, STATION, labels.place),
        (labels.place, SCHOOL, labels.body),
        (labels.body, SCHOOL, labels.body),
        (labels.place, NUMBERED, labels.body),
    )
    for span in spans:
        for label, pattern, whole in rest:
            match = pattern.match(text, span.end)
            if span.label == label and match is not None:
                yield Span(span.start, match.end(), whole, 1.0)


def _with(spans: list[Span], new: Span) -> list[Span]:
    """The spans with a new one in place of those within it, unless one goes on beyond it."""
    over = [span for span in spans if span.start < new.end and new.start < span.end]
    if any(span.start < new.start or span.end > new.end for span in over):
        return spans
    if any((span.start, span.end) == (new.start, new.end) and span != new for span in over):
        return spans  # with another label
    return [span for span in spans if span not in over] + [new]


if __name__ == "__main__":
    run(main)
