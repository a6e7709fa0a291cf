"""The sentences of `ner/media`, questions of forums, with works and names, as training data.

    python -m benchmarks.silver.works ner/media/train.jsonl -o media-works.jsonl

They are annotated with books, films and songs alone. CLUENER marks 《三体》 whole, they mark 三体:
the spans grow over 《 and 》 where both stand around them, so that a model of both learns one
convention. Names of other types are those that `ner` finds beside the works: left open, they would
drift.
"""

from __future__ import annotations

from pathlib import Path

import fenjie
from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

MARKS = {"《": "》", "〈": "〉", "<": ">"}

NAMES = ("PER", "LOC", "ORG", "POSITION", "GAME")
"""The types of `ner` that are no works of `ner/media`."""


def main() -> None:
    """Write the sentences, say how many spans grew and how many names `ner` finds."""
    options = parser(__doc__)
    options.add_argument("file", help="annotated sentences, under FENJIE_DATA or here")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    chosen = options.parse_args()
    before = read(locate(chosen.file)).sentences
    works = [with_marks(sentence) for sentence in before]
    found = fenjie.load("ner")([sentence.text for sentence in works])
    after = [with_names(*both) for both in zip(works, found, strict=True)]
    write(after, chosen.output, "jsonl")
    grown = sum(len({*new.spans} - {*old.spans}) for old, new in zip(before, works, strict=True))
    names = sum(len(new.spans) - len(old.spans) for old, new in zip(works, after, strict=True))
    print(f"{len(after):,} sentences, {grown:,} spans with title marks, {names:,} names")


def with_marks(sentence: Sentence) -> Sentence:
    """The sentence, each span with the title marks around it."""
    text = sentence.text
    return Sentence(text, tuple(_grown(text, span) for span in sentence.spans))


def _grown(text: str, span: Span) -> Span:
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
    if before and MARKS.get(before) == after:
        return Span(span.start - 1, span.end + 1, span.label)
    return span


def with_names(sentence: Sentence, found: Sentence) -> Sentence:
    """The sentence with the names found in it that no work overlaps, without confidences."""
    works = sentence.spans
    names = [
        Span(name.start, name.end, name.label)
        for name in found.spans
        if name.label in NAMES
        and all(name.end <= work.start or work.end <= name.start for work in works)
    ]
    return Sentence(sentence.text, tuple(sorted([*works, *names], key=lambda span: span.start)))


if __name__ == "__main__":
    run(main)
