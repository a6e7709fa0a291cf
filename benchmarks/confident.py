"""Sentences of raw text of which a model of entities is sure, as training data.

    fenjie tag --format jsonl -o tagged.jsonl TEXT…
    python -m benchmarks.confident tagged.jsonl -o confident.jsonl [--others 12000]

A sentence of 8 to 120 characters that stands in no dev or test file is kept if the model is sure of
each person, place and organisation that it finds there. What it is sure of in many places is known
elsewhere too: a name of three characters or more that it finds so five times or more, in a third
or more of its places, and seldom as another type, is marked wherever nothing else is. All sentences
with such a mark are kept, and as many others as `--others` says, a quarter of them without any.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.agreed import CHINESE, aside
from benchmarks.modern.__main__ import TYPES
from benchmarks.scripts import parser, run
from fenjie.corpus import write
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span

SURE = 0.9
"""The least confidence of an entity of which the model is sure."""

LEAST = 5
"""The least number of places where a name is found with that confidence."""

SHARE = 1 / 3
"""Of all its places that no longer entity covers, those where it is found, at least."""

OTHER = 0.1
"""Of the places where it is found, those where it is of another type, at most."""

NAME = re.compile("[\u4e00-\u9fff]{3,}")


def main() -> None:
    """Gather names, write the sentences of which the model is sure."""
    options = parser(__doc__)
    options.add_argument("tagged", type=Path, help="JSONL that `fenjie tag` wrote")
    options.add_argument("-o", "--output", type=Path, required=True, help="a file of JSONL")
    options.add_argument("--others", type=int, default=12000, help="sentences without such names")
    chosen = options.parse_args()
    tagged = list(sentences(chosen.tagged))
    names = known_names(tagged)
    sure = [one for one in tagged if all((span.confidence or 0) >= SURE for span in one.spans)]
    marked = list(with_names(sure, names))
    better = [new for old, new in zip(sure, marked, strict=True) if new.spans != old.spans]
    others = [new for old, new in zip(sure, marked, strict=True) if new.spans == old.spans]
    full = spread([one for one in others if one.spans], round(0.75 * chosen.others))
    empty = spread([one for one in others if not one.spans], round(0.25 * chosen.others))
    write([*better, *full, *empty], chosen.output, "jsonl")
    print(f"{len(tagged):,} sentences, {len(sure):,} of them sure, {len(names):,} names")
    print(f"{len(better):,} sentences with names marked, {len(full) + len(empty):,} others written")


def sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a tagged file that may be learnt from, each once."""
    seen = {sentence.text for sentence in aside()}
    for _, line in read_lines(path):
        row = json.loads(line)
        found = [
            Span(one["start"], one["end"], one["label"], one["confidence"])
            for one in row["entities"]
            if one["label"] in TYPES
        ]
        for part in re.finditer("[^。！？!?]+[。！？!?]?", row["text"]):
            start, end = part.span()
            text = part.group()
            if text in seen or not 8 <= len(text) <= 120 or not CHINESE.search(text):
                continue
            inside = [span for span in found if span.start < end and start < span.end]
            if all(start <= span.start and span.end <= end for span in inside):
                seen.add(text)
                spans = (replace(s, start=s.start - start, end=s.end - start) for s in inside)
                yield Sentence(text, tuple(spans))


def known_names(tagged: Sequence[Sentence]) -> dict[str, str]:
    """The names that a model is sure of in many places, and the type of each."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sure: Counter[str] = Counter()
    for sentence in tagged:
        for span in sentence.spans:
            name = span.of(sentence.text)
            if NAME.fullmatch(name):
                found[name][span.label] += 1
                sure[name] += (span.confidence or 0) >= SURE
    often = {name: types for name, types in found.items() if sure[name] >= LEAST}
    alone: Counter[str] = Counter()
    for sentence, places in zip(tagged, occurrences(tagged, often), strict=True):
        for place in places:
            if not any(covers(span, place) for span in sentence.spans):
                alone[place.of(sentence.text)] += 1
    return {
        name: label
        for name, types in often.items()
        for label, times in types.most_common(1)
        if times >= (1 - OTHER) * types.total() and times >= SHARE * alone[name]
    }


def occurrences(tagged: Sequence[Sentence], names: Mapping[str, object]) -> Iterator[list[Span]]:
    """Of each sentence the places of the names, without those inside of longer ones."""
    lexicon = Lexicon.build(names)
    for sentence in tagged:
        places: list[Span] = []
        for start, end, _ in sorted(
            zip(*lexicon.match(sentence.text), strict=True), key=lambda place: place[0] - place[1]
        ):
            if all(end <= other.start or other.end <= start for other in places):
                places.append(Span(int(start), int(end)))
        yield places


def covers(span: Span, place: Span) -> bool:
    """Whether a span is longer than a place and holds it."""
    longer = span.end - span.start > place.end - place.start
    return longer and span.start <= place.start and place.end <= span.end


def with_names(tagged: Sequence[Sentence], names: Mapping[str, str]) -> Iterator[Sentence]:
    """The sentences with the names marked where no span is."""
    for sentence, places in zip(tagged, occurrences(tagged, names), strict=True):
        new = [
            Span(place.start, place.end, names[place.of(sentence.text)])
            for place in places
            if all(span.end <= place.start or place.end <= span.start for span in sentence.spans)
        ]
        yield Sentence(sentence.text, tuple(sorted([*sentence.spans, *new])))


def spread(items: Sequence[Sentence], number: int) -> list[Sentence]:
    """So many of the sentences, at equal distances."""
    step = max(1, len(items) // number)
    return list(items[::step][:number])


if __name__ == "__main__":
    run(main)
