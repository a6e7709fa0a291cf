"""The lexicon words that a model of entities sees in a text: the words of its lattice."""

from __future__ import annotations

from collections.abc import Sequence

from fenjie.errors import FenjieError
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.text.invisible import Visible
from fenjie.text.span import Sentence, Span


def seen_words(tagger: EntityTagger, texts: Sequence[str]) -> list[Sentence]:
    """Find the words that a tagger's model is shown, the user's among them.

    Args:
        tagger: the tagger.
        texts: the texts.

    Returns:
        Each text with the words in it, sorted by start, then end; unlike those of a segmented
        sentence they may overlap.

    Raises:
        FenjieError: the model reads characters alone.
    """
    folder = tagger.folder
    if folder.finder is None:
        raise FenjieError(f"the model {folder.name} sees no words; it has no lexicon")
    reading = tagger.reading(texts)
    row, (first, last) = reading.row, reading.view.words()
    start, end = row.place[first], row.place[last - 1] + 1
    number = row.starts.searchsorted(start, side="right") - 1
    spans: list[list[Span]] = [[] for _ in texts]
    columns = (number, start - row.starts[number], end - row.starts[number])
    for which, low, high in zip(*(column.tolist() for column in columns), strict=True):
        spans[which].append(Span(low, high))
    return [
        Sentence(text, Visible(text).spans(sorted(each)))
        for text, each in zip(texts, spans, strict=True)
    ]
