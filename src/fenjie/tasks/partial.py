"""Gold tags of corpora that mark some of a model's types each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fenjie.nn.decoders.gaps import IGNORED
from fenjie.text.span import Sentence
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import collate


class PartialTags:
    """Tags of sentences; of a character without a span, those of unmarked types stay possible.

    A corpus that marks persons alone says of a character outside of its spans that it is in no
    person. It may be in a place.
    """

    def __init__(self, tagset: TagSet, types: Sequence[Collection[str] | None]) -> None:
        """Take the tags and, by corpus, the types that it marks wherever they occur; None = all."""
        self._tagset = tagset
        size = len(tagset)
        rows = []
        for marked in types:
            unknown = [] if marked is None else sorted(set(tagset.labels) - set(marked))
            allowed = np.zeros(size, dtype=np.bool_)
            allowed[0] = True
            for label in unknown:
                for length in (1, 3):  # their spans have all the tags of a label
                    allowed[tagset.path(label, length)] = True
            rows.append(allowed)
        self._allowed = np.concatenate([np.eye(size, dtype=np.bool_), np.stack(rows)])
        self._open = self._allowed[size:].sum(axis=1) > 1

    def encode(self, sentence: Sentence, corpus: int) -> NDArray[np.int16]:
        """The tag of each character, or `tags + corpus` where several are possible: `[length]`.

        Args:
            sentence: with the model's types.
            corpus: the number of its corpus.
        """
        tags = self._tagset.encode(sentence).astype(np.int16)
        if self._open[corpus]:
            tags[tags == 0] = len(self._tagset) + corpus
        return tags

    def gold(self, rows: Sequence[NDArray[Any]]) -> Tensor:
        """Encoded sentences side by side, as `fenjie.models.tagger.Tagger.loss` takes them.

        Returns:
            `[batch, length]`; where a tag is unknown, `[batch, length, tags]`, bool.
        """
        table = collate(rows, IGNORED)
        if (table < len(self._tagset)).all():
            return torch.from_numpy(table)
        allowed = self._allowed[np.maximum(table, 0)]
        allowed[table == IGNORED] = False
        return torch.from_numpy(allowed)
