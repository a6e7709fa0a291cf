"""Annotated text in which 外交部长 is a position, and 外交部 in it no organisation.

    python -m benchmarks.silver.heads msra-addressed.jsonl -o msra-heads.jsonl

MSRA marks 外交部 in 外交部长 as often as not, and 美国财政部 in 美国财政部长, in other places 美国
alone. No word ends there, so that here an office before 长 is none where `segment` has no edge
between. What it begins with stays: a place (美国), or an organisation that words part from the rest
(北京市委 in 北京市委宣传部长). The rest with 长 is a position, where such are annotated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fenjie
from benchmarks.scripts import parser, run
from benchmarks.silver.forms_of_address import edges
from fenjie.corpus import read, write
from fenjie.text.span import Sentence, Span

OFFICE = re.compile("[部局厅司署院处科]$")
"""What the name of an office ends with whose head is called by it and 长."""

HEAD = re.compile("[\u4e00-\u9fff][部局厅司署]长(?![期远达年久时])")
"""What the head of such an office is mostly called; 院长, 处长 and 科长 need not be sought."""

BODY = re.compile("[委会]$")
"""What an organisation ends with of which an office is a part."""

KNOWN = 3
"""The number of places in which a place is marked, at least, to be found before an office."""


def main() -> None:
    """Read, unmark, write, say how many sentences were changed."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="sentences with LOC and ORG")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    options.add_argument("--position", help="the label of a position; none without it")
    chosen = options.parse_args()
    sentences = read(chosen.file).sentences
    places = places_of(sentences)
    odds = fenjie.load("segment").log_odds([one.text for one in sentences])
    new = [with_heads(*both, places, chosen.position) for both in zip(sentences, odds, strict=True)]
    write(new, chosen.output, "jsonl")
    changed = sum(one != old for one, old in zip(new, sentences, strict=True))
    print(f"{len(new):,} sentences, {changed:,} of them changed")


def heads_in(text: str) -> set[str]:
    """The heads of offices in a text, with a character before: 交部长 of 外交部长."""
    return {match.group() for match in HEAD.finditer(text)}


def places_of(sentences: Iterable[Sentence]) -> frozenset[str]:
    """The places that are marked often enough."""
    counts = Counter(
        span.of(one.text) for one in sentences for span in one.spans if span.label == "LOC"
    )
    return frozenset(name for name, times in counts.items() if times >= KNOWN)


def with_heads(
    sentence: Sentence,
    odds: NDArray[np.float32],
    places: frozenset[str],
    position: str | None = "POSITION",
) -> Sentence:
    """The sentence without organisations that end before the 长 of a position.

    Args:
        sentence: with its entities, of which no two overlap.
        odds: [length] of `segment`, the log-odds that a word begins at each character.
        places: that an office may begin with.
        position: the label of a position; None where they are not annotated.
    """
    text = sentence.text
    words = sorted(edges(text, odds))
    begun = {span.start for span in sentence.spans}  # 长城公司 after 外交部
    spans: list[Span] = []
    for span in sentence.spans:
        if span.end not in begun and is_head(span, text, words):
            spans += _parts(span, text, words, places, position)
        else:
            spans.append(span)
    return Sentence(text, tuple(spans))


def is_head(span: Span, text: str, words: Sequence[int]) -> bool:
    """Whether an organisation is an office, and a word goes on after it with 长 and ends there."""
    end = span.end
    office = span.label == "ORG" and text.startswith("长", end) and OFFICE.search(span.of(text))
    return bool(office) and end not in words and end + 1 in words


def _parts(
    span: Span, text: str, words: Sequence[int], places: frozenset[str], position: str | None
) -> Iterator[Span]:
    """What an office before 长 begins with, and the position."""
    start, end = span.start, span.end
    word = max(edge for edge in words if edge < end)
    if word > start and BODY.search(text, start, word):
        yield Span(start, word, "ORG", 1.0)
        start = word
    else:
        ends = [at for at in range(start + 1, end) if text[start:at] in places]
        if ends:
            yield Span(start, ends[-1], "LOC", 1.0)
            start = ends[-1]
    if position is not None:
        yield Span(start, end + 1, position, 1.0)


if __name__ == "__main__":
    run(main)
