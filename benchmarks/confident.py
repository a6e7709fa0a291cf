"""Sentences of raw text of which a model of entities is sure, as training data.

    fenjie tag --format jsonl -o tagged.jsonl TEXT…
    python -m benchmarks.confident tagged.jsonl --names NAMES -o confident.jsonl [--others 12000]

A sentence of 8 to 120 characters that stands in no dev or test file is kept if the model is sure of
each person, place and organisation that it finds there. Of the words in NAMES, organisations that
`fenjie vectors new --tagged` found, those of three characters or more that it mostly is sure of are
marked wherever nothing else is. All sentences with such a mark are kept, and as many others as
`--others` says, a quarter of them without any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.agreed import CHINESE, aside
from benchmarks.modern.__main__ import TYPES
from benchmarks.scripts import parser, run
from fenjie.corpus import write
from fenjie.files import read_lines
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span
from fenjie.vectors.tagged_names import read_tagged

SURE = 0.9
"""The least confidence of each entity of a sentence that is kept."""

KNOWN = 0.8
"""The median of the confidence with which a name is found that is marked elsewhere, at least."""


def main() -> None:
    """Gather names, write the sentences of which the model is sure."""
    options = parser(__doc__)
    options.add_argument("tagged", type=Path, help="JSONL that `fenjie tag` wrote")
    options.add_argument("--names", type=Path, required=True, help="words that are organisations")
    options.add_argument("-o", "--output", type=Path, required=True, help="a file of JSONL")
    options.add_argument("--others", type=int, default=12000, help="sentences without such names")
    chosen = options.parse_args()
    tagged = list(sentences(chosen.tagged))
    names = known_names(tagged, (line.split()[0] for _, line in read_lines(chosen.names)))
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
    for line in read_tagged(path):
        found = [span for span in line.spans if span.label in TYPES]
        for part in re.finditer("[^。！？!?]+[。！？!?]?", line.text):
            start, end = part.span()
            text = part.group()
            if text in seen or not 8 <= len(text) <= 120 or not CHINESE.search(text):
                continue
            inside = [span for span in found if span.start < end and start < span.end]
            if all(start <= span.start and span.end <= end for span in inside):
                seen.add(text)
                spans = (replace(s, start=s.start - start, end=s.end - start) for s in inside)
                yield Sentence(text, tuple(spans))


def known_names(tagged: Sequence[Sentence], words: Iterable[str]) -> set[str]:
    """The longer ones of the words, as far as the model is mostly sure where it finds them."""
    values: dict[str, list[float]] = {word: [] for word in words if len(word) > 2}
    for sentence in tagged:
        for span in sentence.spans:
            if (name := span.of(sentence.text)) in values and span.label == "ORG":
                values[name].append(span.confidence or 0)
    return {word for word, found in values.items() if found and median(found) >= KNOWN}


def with_names(tagged: Iterable[Sentence], names: Iterable[str]) -> Iterator[Sentence]:
    """The sentences with the names marked as organisations where nothing else is."""
    labels = dict.fromkeys(names, "ORG")
    lexicon = Lexicon.build(labels)
    return (with_marks(sentence, lexicon, labels) for sentence in tagged)


def with_marks(sentence: Sentence, lexicon: Lexicon, labels: Mapping[str, str]) -> Sentence:
    """The sentence with the names of a lexicon marked where nothing else is, the longest first.

    Args:
        sentence: with its entities.
        lexicon: the names.
        labels: the label of each.
    """
    spans = list(sentence.spans)
    places = zip(*lexicon.match(sentence.text), strict=True)
    for start, end, _ in sorted(places, key=lambda place: place[0] - place[1]):
        if all(span.end <= start or end <= span.start for span in spans):
            spans.append(Span(int(start), int(end), labels[sentence.text[start:end]]))
    return Sentence(sentence.text, tuple(sorted(spans)))


def spread(items: Sequence[Sentence], number: int) -> list[Sentence]:
    """So many of the sentences, at equal distances."""
    step = max(1, len(items) // number)
    return list(items[::step][:number])


if __name__ == "__main__":
    run(main)
