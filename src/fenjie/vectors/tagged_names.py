"""Names of organisations that a model of entities finds in raw text, as words for a segmenter.

A dictionary does not help where a name of today is made of words that the segmenter knows: 海底 and
捞, 字节 and 跳动. That a tagger takes it for one name in many places is better evidence. Persons
and places are left aside: standards part them in ways of their own. A name is left out where

- a segmented text has it as a word,
- the tagger doubts it, gives it another type, or finds it in few of its places only;
- a segmented text cuts it more often than not, where its edges are edges of words there;
- it is put together from parts that are free to stand with others: 澎湃 + 新闻, 中国 + 海军.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import median

from fenjie.errors import FileError
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span
from fenjie.vectors.new_words import LEAST, LONGEST, Listed, free_characters, made_up, places

LABEL, PLACE = "ORG", "LOC"

FOUND = 5
"""The number of places where the tagger finds a name, at least."""

SURE = 0.7
"""The median of its confidence there, at least."""

OTHER = 0.1
"""The share of places where it finds a name of another type, at most."""

SHARE = 0.3
"""Of the places that no longer entity covers, those where it finds the name, at least."""

MANY = 3
"""A word that begins or ends so many names of organisations is free to stand with others."""

HAN = re.compile("[\u4e00-\u9fff]{2,}")


def read_tagged(path: Path) -> Iterator[Sentence]:
    """The lines of a file of JSONL that `fenjie tag` wrote, with the confidence of each entity.

    Raises:
        FileError: the file cannot be read, or a line is none of these.
    """
    for number, line in read_lines(path):
        try:
            row = json.loads(line)
            spans = tuple(
                Span(
                    int(one["start"]), int(one["end"]), str(one["label"]), float(one["confidence"])
                )
                for one in row["entities"]
            )
            yield Sentence(str(row["text"]), spans)
        except (ValueError, KeyError, TypeError):
            expected = "JSONL of `fenjie tag`"
            raise FileError(
                path, "not a tagged line", line=number, found=line, expected=expected
            ) from None


def tagged_names(
    listed: Iterable[Listed], tagged: Sequence[Sentence], segmented: Sequence[Sentence]
) -> list[Listed]:
    """The words of a list that are names of organisations and no phrases, in their order.

    Args:
        listed: the words of raw text.
        tagged: sentences of raw text with their entities.
        segmented: sentences with their words.
    """
    found = entities(tagged)
    sure = confident(tagged, found)
    words = Counter(chain.from_iterable(sentence.words for sentence in segmented))
    often = {one.word for one in listed if one.times >= LEAST and len(one.word) <= LONGEST}
    names = (often & sure) - words.keys()
    alone, cut = standing_alone(names, tagged), balance(names, segmented)
    free = free_characters(words)
    known = {word for word, times in words.items() if times > 1 and len(word) > 1}
    begins, ends = parts(found)
    located = {name for name, types in found.items() if types[PLACE] > types.total() / 2}

    def put_together(name: str) -> bool:
        head, tail = name[:2], name[-2:]
        return made_up(name, names - {name}, free) or (
            len(name) == LONGEST
            and (
                (ends[tail] >= MANY and tail in known) or (begins[head] >= MANY and head in located)
            )
        )

    chosen = {
        name
        for name in names
        if found[name][LABEL] >= SHARE * alone[name] and cut[name] >= 0 and not put_together(name)
    }
    return [one for one in listed if one.word in chosen]


def entities(tagged: Iterable[Sentence]) -> dict[str, Counter[str]]:
    """The types of each name, with their counts."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in tagged:
        for span in sentence.spans:
            if HAN.fullmatch(name := span.of(sentence.text)):
                found[name][span.label] += 1
    return dict(found)


def confident(tagged: Iterable[Sentence], found: Mapping[str, Counter[str]]) -> set[str]:
    """The names that are mostly found as organisations, often and with confidence."""
    often = {
        name
        for name, types in found.items()
        if types[LABEL] >= max(FOUND, (1 - OTHER) * types.total())
    }
    values: defaultdict[str, list[float]] = defaultdict(list)
    for sentence in tagged:
        for span in sentence.spans:
            if (name := span.of(sentence.text)) in often:
                values[name].append(span.confidence or 0)
    return {name for name in often if median(values[name]) >= SURE}


def standing_alone(names: Iterable[str], tagged: Iterable[Sentence]) -> Counter[str]:
    """The places of each name that no longer entity covers."""
    lexicon, alone = Lexicon.build(names), Counter[str]()
    for sentence in tagged:
        for start, end, _ in zip(*lexicon.match(sentence.text), strict=True):
            if not any(
                span.start <= start and end <= span.end and end - start < span.end - span.start
                for span in sentence.spans
            ):
                alone[sentence.text[start:end]] += 1
    return alone


def balance(names: Iterable[str], segmented: Iterable[Sentence]) -> Counter[str]:
    """The places where a name is one word, less those where it is several."""
    found = Counter[str]()
    for place in places(Lexicon.build(names), segmented):
        if place.at_edges:
            found[place.word] += 1 if place.uncut else -1
    return found


def parts(found: Mapping[str, Counter[str]]) -> tuple[Counter[str], Counter[str]]:
    """How many names of organisations begin, and end, with each two characters."""
    begins, ends = Counter[str](), Counter[str]()
    for name, types in found.items():
        if len(name) > 2 and types[LABEL] >= max(2, 0.8 * types.total()):
            begins[name[:2]] += 1
            ends[name[-2:]] += 1
    return begins, ends
