"""From texts to words by a model that tags words as others tag entities.

The CRF gives the log-odds that a word begins at each character; rules and user words act on them as
on those of any segmenter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.beginnings import log_odds
from fenjie.runtime.decoding.forward_backward import Steps
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.gap_reading import GapReading
from fenjie.runtime.lattices import PAIRS, LatticeReader, LatticeReading, side_by_side
from fenjie.runtime.reading import Scorer
from fenjie.runtime.words.user_words import Matcher
from fenjie.text.tags import TagSet


class TaggedWordReader:
    """Turns texts into lattices to be cut. It never changes, and may serve several threads."""

    def __init__(self, folder: ModelFolder, pairs: int = PAIRS) -> None:
        """Take what the model of a folder reads with.

        Args:
            folder: the model.
            pairs: the size of batches, see `Limits`.
        """
        self._reader = LatticeReader.of(folder, pairs)
        self._tags, self._table = folder.tags, folder.transitions
        self._keep_unsplittable = folder.keeps_unsplittable

    def read(self, texts: Sequence[str], user: Matcher | None = None) -> TaggedWordReading:
        """Normalise, cut and index some texts, and find their words, all at once.

        Args:
            texts: the texts.
            user: finds the user words; None where there are none.
        """
        lattices, keep = self._reader.read(texts), self._keep_unsplittable
        return TaggedWordReading(lattices, self._tags, self._table, keep, user)


class TaggedWordReading(GapReading):
    """Some texts as lattices, to be cut into words as often as one likes."""

    def __init__(
        self,
        lattices: LatticeReading,
        tags: TagSet,
        table: NDArray[np.floating],
        keep_unsplittable: bool = True,
        user: Matcher | None = None,
    ) -> None:
        """Take lattices.

        Args:
            lattices: the texts.
            tags: the tags that are scored.
            table: the table of the CRF, `[tags + 2, tags]`; see `fenjie.runtime.decoding.crf`.
            keep_unsplittable: whether `fenjie.runtime.rules.unsplittable` goes before the model.
            user: finds the user words; None where there are none.
        """
        super().__init__(lattices.row, keep_unsplittable, user)
        self._lattices, self._begins, self._steps = lattices, tags.begins, Steps.of(table)

    def odds_seen(self, score: Scorer) -> NDArray[np.float32]:
        """As those of a `GapReading`; infinite where a passage begins."""
        odds = np.empty(len(self._row.codes), dtype=np.float32)
        edges = self._lattices.edges
        for some in self._lattices.scored(score):
            table, lengths = side_by_side(some)
            found = log_odds(table, lengths, self._steps, self._begins)
            for passage, one in zip(some, found, strict=True):
                low, high = edges[passage.number : passage.number + 2]
                odds[low:high] = one[: high - low]
        odds[edges[:-1]] = np.inf
        return odds
