"""A corpus's labels as a model's types."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fenjie.errors import FileError
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.text.span import Sentence, Span


class LabelMap:
    """Renames the labels of a corpus as its recipe says, and checks that none is forgotten."""

    def __init__(self, recipe: CorpusRecipe) -> None:
        """Take the mapping of a corpus."""
        self._recipe = recipe
        self._seen: set[str] = set()
        self._seen_whole: set[str] = set()

    def __call__(self, sentences: Iterable[Sentence], path: Path) -> list[Sentence]:
        """The sentences of a file with the model's types.

        Spans of dropped labels are gone, and those that are a part of an unmarked word. Of spans
        that overlap the longest is kept if the recipe says so, else all.

        Raises:
            FileError: a label is neither mapped nor dropped.
        """
        labels, drop = self._recipe.labels, self._recipe.drop
        made = []
        for number, sentence in enumerate(sentences, 1):
            spans = []
            for span in sentence.spans:
                self._seen.add(span.label)
                if span.label in labels:
                    spans.append(Span(span.start, span.end, labels[span.label]))
                elif span.label not in drop:
                    expected = ", ".join([*labels, *drop])
                    raise FileError(
                        path,
                        f"sentence {number} has a label that the corpus's tables `labels` and "
                        "`drop` do not name",
                        found=span.label,
                        expected=f"one of {expected}",
                    )
            if self._recipe.longest:
                spans = longest(spans)
            mapped = Sentence(sentence.text, tuple(spans))
            whole, words = without_parts(mapped, self._recipe.unmarked)
            self._seen_whole |= words
            made.append(whole)
        return made

    def check_all_seen(self, path: Path) -> None:
        """Raise a FileError where the recipe names what no sentence so far had.

        That is a label, or an unmarked word of which a part is marked.
        """
        for key, named in (("labels", [*self._recipe.labels]), ("drop", self._recipe.drop)):
            if missing := [label for label in named if label not in self._seen]:
                raise FileError(
                    path,
                    f"`{key}` names a label that the corpus does not have",
                    found=missing[0],
                    expected=f"some of {', '.join(sorted(self._seen))}",
                )
        for word in self._recipe.unmarked:
            if word not in self._seen_whole:
                raise FileError(
                    path,
                    "`unmarked` names a word of which the corpus marks no part",
                    found=word,
                    expected="a word such as 奥运会, where 奥 is marked",
                )


def longest(spans: Iterable[Span]) -> list[Span]:
    """The spans without those that overlap a longer one, or an earlier one of the same length."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept)


def without_parts(sentence: Sentence, words: Iterable[str]) -> tuple[Sentence, set[str]]:
    """The sentence without spans that are a part of some words, and which words had any."""
    parts = {word: within(sentence.spans, word, sentence.text) for word in words}
    gone = {span for spans in parts.values() for span in spans}
    kept = tuple(span for span in sentence.spans if span not in gone)
    return Sentence(sentence.text, kept), {word for word, spans in parts.items() if spans}


def within(spans: Iterable[Span], word: str, text: str) -> list[Span]:
    """The spans that are a part, and not the whole, of an occurrence of a word."""
    if word not in text:
        return []
    starts = [start for start in range(len(text)) if text.startswith(word, start)]
    return [
        span
        for span in spans
        if span.end - span.start < len(word)
        and any(start <= span.start and span.end <= start + len(word) for start in starts)
    ]
