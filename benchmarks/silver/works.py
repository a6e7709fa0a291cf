"""The spans of works in `ner/media` with the book title marks around them, as CLUENER has them.

    python -m benchmarks.silver.works ner/media/train.jsonl -o media-works.jsonl

CLUENER marks 《三体》 whole, `ner/media`, questions of forums, 三体 alone. The spans of the latter
grow over 《 and 》 where both stand around them, so that a model of both learns one convention.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

MARKS = {"《": "》", "〈": "〉", "<": ">"}


def main() -> None:
    """Write the sentences, say how many spans grew."""
    options = parser(__doc__)
    options.add_argument("file", help="annotated sentences, under FENJIE_DATA or here")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    chosen = options.parse_args()
    before = read(locate(chosen.file)).sentences
    after = [with_marks(sentence) for sentence in before]
    write(after, chosen.output, "jsonl")
    grown = sum(
        len(set(new.spans) - set(old.spans)) for old, new in zip(before, after, strict=True)
    )
    print(f"{len(after):,} sentences, {grown:,} spans with title marks")


def with_marks(sentence: Sentence) -> Sentence:
    """The sentence, each span with the title marks around it."""
    text = sentence.text
    return Sentence(text, tuple(_grown(text, span) for span in sentence.spans))


def _grown(text: str, span: Span) -> Span:
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
    if before and MARKS.get(before) == after:
        return Span(span.start - 1, span.end + 1, span.label)
    return span


if __name__ == "__main__":
    run(main)
