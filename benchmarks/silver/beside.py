"""What stands beside a name says that an entity of `ner` is shorter, several, or none.

- **A verb after a place.** 中国会 is no organisation where 会 is a word, nor is 铁岭办: the place
  is marked. 国台办 and 美国国会 stay.
- **A trade.** Of 北京银行 before 业 the place is marked.
- **An event.** Of 北京冬奥会 the place is marked, and nothing of 冬残奥会 or G20峰会.
- **A storm.** What 台风 or 飓风 stands before is no name: 莫拉克 in 台风“莫拉克”.
- **Provinces in a row.** In 沪苏浙皖 each character is a place, but not in 京津冀 and the like,
  which stay as they are found. How many they are, as in 四省, is no place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.silver.forms_of_address import edges
from fenjie.text.span import Sentence, Span

VERB = re.compile("[会办]$")
"""What may be a verb after a place."""

BANK = "银行"

EVENT = re.compile(
    "(?:(?:冬残|[冬夏青残特])奥会|(?:亚残|[奥亚全大青军世农东])运会|奥运|亚冬会|亚沙会"
    "|世博会|进博会|服贸会|消博会|园博会|广交会|世界杯|亚洲杯|欧洲杯|世锦赛|亚锦赛"
    "|锦标赛|公开赛|大师赛|邀请赛|马拉松|峰会|电影节|艺术节|音乐节|戏剧节|车展|书展|博览会)$"
)
"""How the name of an event ends, which is no organisation and no place."""

STORM = re.compile("(?:台风|飓风|气旋|风暴|风王)[“”\"'‘「『]?$")
"""What stands before the name of a storm."""

PROVINCES = "京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川蜀黔滇藏陕甘青宁新港澳台"
"""Characters that stand for provinces."""

ROW = re.compile(f"(?<![{PROVINCES}])[{PROVINCES}]{{3,5}}(?![{PROVINCES}])")

ONE = frozenset(("京津冀", "粤港澳", "陕甘宁", "港澳台", "云贵川", "东三省"))
"""Rows that are called as one region."""

NUMBER = re.compile("[两三四五][省市地]")

SOUGHT = re.compile(
    "[\u4e00-\u9fff]国会.|[\u4e00-\u9fff]银行业|(?:台风|飓风)[“”]?.."
    "|[\u4e00-\u9fff]{2}(?:[冬青残]奥会|[亚大军]运会|[世进]博会|电影节|公开赛|锦标赛)"
    f"|(?:{'|'.join(('北京', '上海', '广州', '深圳', '台北', '香港', '南京', '杭州', '武汉'))})办"
)


def beside(sentence: Sentence, odds: NDArray[np.float32], places: Collection[str]) -> Sentence:
    """The sentence with these entities mended.

    Args:
        sentence: with its entities, of which no two overlap.
        odds: [length] of `segment`, the log-odds that a word begins at each character.
        places: that are marked often in the text.
    """
    text = sentence.text
    words = edges(text, odds)
    rows = [Span(*found.span(), "LOC", 1.0) for found in ROW.finditer(text)]
    rows = [row for row in rows if {row.start, row.end} <= words and row.of(text) not in ONE]
    kept: list[Span] = []
    for span in sentence.spans:
        over = [row for row in rows if row.start < span.end and span.start < row.end]
        if any(span.start < row.start or row.end < span.end for row in over):
            rows = [row for row in rows if row not in over]  # a longer name goes on beyond it
            over = []
        number = NUMBER.fullmatch(text, span.start, span.end)
        if over or number or STORM.search(text, 0, span.start):
            continue
        if span.label in {"LOC", "ORG"} and EVENT.search(span.of(text)):
            kept += _place_in(span, text, places)
        else:
            kept.append(_shorter(span, text, odds, places))
    for row in rows:
        kept += (Span(at, at + 1, "LOC", 1.0) for at in range(row.start, row.end))
    return Sentence(text, tuple(sorted(kept)))


def beside_in(text: str) -> set[str]:
    """Where such entities may stand in a text, with a character or two beside them."""
    return {found.group() for found in (*SOUGHT.finditer(text), *ROW.finditer(text))}


def _shorter(span: Span, text: str, odds: NDArray[np.float32], places: Collection[str]) -> Span:
    """The place that an organisation begins with, where its last characters are other words."""
    if span.label == "ORG":
        for end in _ends(span, text, odds):
            if text[span.start : end] in places:
                return replace(span, end=end, label="LOC", confidence=1.0)
    return span


def _place_in(span: Span, text: str, places: Collection[str]) -> list[Span]:
    """The longest place in the name of an event, of two characters or more; none where none is."""
    within = (
        Span(start, end, "LOC", 1.0)
        for start in range(span.start, span.end - 1)
        for end in range(start + 2, span.end)
        if text[start:end] in places
    )
    longest = max(within, key=lambda place: place.end - place.start, default=None)
    return [] if longest is None else [longest]


def _ends(span: Span, text: str, odds: NDArray[np.float32]) -> Iterator[int]:
    """Where a place may end within an entity."""
    name = span.of(text)
    if VERB.search(name) and odds[span.end - 1] > 0:
        yield span.end - 1
    if name.endswith(BANK) and text.startswith("业", span.end) and odds[span.end] < 0:
        yield span.end - len(BANK)
