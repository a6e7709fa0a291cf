"""Segmenting with a PyTorch model: dev scores in training, and models without an export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from fenjie.lexicon.indexer import Indexer
from fenjie.nn.batch import Batch
from fenjie.tasks.batches import in_order
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence, Span
from fenjie.text.split import sentences

TOKENS = 8192
"""Characters in a batch at most, padding counted."""


class Reader:
    """Some texts, normalised and indexed once, to be segmented by a model again and again."""

    def __init__(self, texts: Sequence[str], normaliser: Normaliser, indexer: Indexer) -> None:
        """Index the texts. The model sees their sentences one by one, without whitespace."""
        self.texts = texts
        self._normal = [normaliser(text) for text in texts]
        self._seen = [seen(normal.text) for normal in self._normal]
        self._pieces: list[tuple[int, int]] = []
        self._ids = []
        for number, (normal, places) in enumerate(zip(self._normal, self._seen, strict=True)):
            text = "".join(map(normal.text.__getitem__, places))
            for start, end in sentences(text):
                self._pieces.append((number, start))
                self._ids.append(indexer(text[start:end]).astype(np.int32))
        self._batches = in_order([len(ids) for ids in self._ids], TOKENS)

    def __call__(self, model: Any, device: torch.device | str = "cpu") -> list[Sentence]:
        """Segment the texts; whitespace runs are words of their own.

        Args:
            model: a model of `fenjie.models`. It is left in the mode (training or not) it was in.
            device: where it lies.
        """
        words: list[list[tuple[int, int]]] = [[] for _ in self.texts]
        pieces = dict(self._decode(model, device))
        for piece, (number, offset) in enumerate(self._pieces):
            places, origin = self._seen[number], self._normal[number].to_origin
            words[number] += [
                origin(start, end)
                for span in pieces[piece]
                for start, end in unbroken(places[offset + span.start : offset + span.end])
            ]
        return [tile(text, found) for text, found in zip(self.texts, words, strict=True)]

    @torch.no_grad()
    def _decode(self, model: Any, device: Any) -> Iterator[tuple[int, tuple[Span, ...]]]:
        training = model.training
        model.eval()
        for indices in self._batches:
            batch = Batch.of([self._ids[index] for index in indices]).to(device)
            spans = model.decode(model(batch), batch.lengths)
            yield from zip(indices.tolist(), spans, strict=True)
        model.train(training)


def seen(text: str) -> list[int]:
    """The places of the characters that a model sees: all but whitespace."""
    return [place for place, character in enumerate(text) if not character.isspace()]


def unbroken(places: Sequence[int]) -> list[tuple[int, int]]:
    """Stretches of places that follow each other, half open."""
    if places[-1] - places[0] + 1 == len(places):
        return [(places[0], places[-1] + 1)]
    breaks = [index for index in range(1, len(places)) if places[index] > places[index - 1] + 1]
    edges = pairwise([0, *breaks, len(places)])
    return [(places[first], places[last - 1] + 1) for first, last in edges]


def tile(text: str, words: Sequence[tuple[int, int]]) -> Sentence:
    """The sentence of these words, and of one more for each stretch between them."""
    spans, last = [], 0
    for start, end in [*words, (len(text), len(text))]:
        start = max(start, last)
        if start > last:
            spans.append(Span(last, start))
        if end > start:
            spans.append(Span(start, end))
        last = max(last, end)
    return Sentence(text, tuple(spans))
