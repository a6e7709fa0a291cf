"""Addresses that are annotated whole, in their levels: 海淀区中关村 becomes 海淀区 and 中关村.

    python -m benchmarks.silver.address_levels FILE -o FILE --label address [--model ner-small]

MSRA and the sentences of `benchmarks.modern` mark each level by itself, CLUENER the whole address.
The model tags the text; where it finds two places or more within a span of the label, each of two
characters or more, they take its place. What lies between them (的, 36号) is no entity then. What
is named after its place stays one name: 北京西站. Of spans that overlap the longest is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fenjie
from benchmarks.scripts import parser, run
from fenjie.corpus import read, write
from fenjie.recipe.recipe import locate
from fenjie.tasks.mapping import longest
from fenjie.text.span import Sentence, Span

PLACE = "LOC"

MODEL = "ner-small"
"""Learnt from MSRA alone, which marks each level."""

DIVISIONS = tuple("省市区县州镇乡村旗路街道桥")
"""The last characters of divisions and roads, whose names end where the next one begins."""

FACILITIES = tuple("站桥港场馆院园寺厦城楼堂坛")
"""The last characters of what is often named after its place: 北京西站, 上海体育场; not of 聊城."""


def main() -> None:
    """Read, part, write, say how many were parted."""
    options = parser(__doc__)
    options.add_argument("file", type=Path, help="annotated text, under FENJIE_DATA or here")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    options.add_argument("--label", required=True, help="of addresses")
    options.add_argument("--model", default=MODEL, help="that knows places by their levels")
    chosen = options.parse_args()
    raw = read(locate(str(chosen.file)), overlapping=True).sentences
    sentences = [Sentence(one.text, tuple(longest(one.spans))) for one in raw]
    parted = in_levels(sentences, chosen.label, chosen.model)
    write(parted, chosen.output, "jsonl")
    more = sum(len(new.spans) - len(old.spans) for old, new in zip(sentences, parted, strict=True))
    print(f"{len(parted):,} sentences, {more:,} entities more")


def in_levels(sentences: Sequence[Sentence], label: str, model: str = MODEL) -> list[Sentence]:
    """Annotated sentences with their addresses in levels.

    Args:
        sentences: as they are annotated.
        label: of addresses in them.
        model: the name or folder of a model that knows places by their levels.
    """
    tagged = fenjie.load(model)(sentence.text for sentence in sentences)
    return [
        with_levels(sentence, found, label)
        for sentence, found in zip(sentences, tagged, strict=True)
    ]


def with_levels(sentence: Sentence, tagged: Sentence, label: str) -> Sentence:
    """The sentence with its addresses in levels.

    Args:
        sentence: as it is annotated.
        tagged: the same text as the model tags it.
        label: of addresses in the sentence.
    """
    places = [span for span in tagged.spans if span.label == PLACE]
    spans: list[Span] = []
    for span in sentence.spans:
        levels = _levels(span, places, sentence.text) if span.label == label else []
        spans += [Span(one.start, one.end, label) for one in levels] or [span]
    return Sentence(sentence.text, tuple(spans))


def _levels(span: Span, places: Sequence[Span], text: str) -> list[Span]:
    """The places within a span, if they are two or more; none if one has a single character."""
    inside = [place for place in places if span.start <= place.start and place.end <= span.end]
    if any(place.end - place.start == 1 for place in inside):
        return []
    levels: list[Span] = []
    for place in inside:
        last = levels[-1] if levels else None
        if last and last.end == place.start and _one_name(last.of(text), place.of(text)):
            levels[-1] = Span(last.start, place.end, PLACE)
        else:
            levels.append(place)
    return levels if len(levels) > 1 else []


def _one_name(first: str, second: str) -> bool:
    """Whether two places are one name: 北京 and 西站, 南京 and 长江大桥."""
    named_after = len(second) > len("聊城") or second.endswith("站")
    return named_after and second.endswith(FACILITIES) and not first.endswith(DIVISIONS)


if __name__ == "__main__":
    run(main)
