"""How an exported model compares with the one that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.models.tagger import Tagger
from fenjie.runtime.batching import Batch
from fenjie.runtime.decoding.gaps import log_odds
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.reading import Scorer
from fenjie.runtime.scorer import OnnxScorer
from fenjie.runtime.sentences import SentenceReader
from fenjie.tasks.scorer import TorchGapScorer, TorchScorer


@dataclass(frozen=True)
class Difference:
    """The difference between the answers of two models.

    Attributes:
        scores: the largest absolute difference of a score.
        changed: number of decisions that differ.
        decisions: number of decisions that were compared.
        what: the decisions: `words` or `entities`.
    """

    scores: float
    changed: int
    decisions: int
    what: str


def compare(model: Any, path: Path, folder: ModelFolder, texts: Sequence[str]) -> Difference:
    """Compare an ONNX file with the model that it was made from.

    Args:
        model: the model, in evaluation mode.
        path: the ONNX file.
        folder: the folder of the model.
        texts: texts; they are scored one by one and all together, by each standard of the model.
    """
    tagger = isinstance(model, Tagger)
    torch = TorchScorer(model, folder.words) if tagger else TorchGapScorer(model)
    both = Both(torch, OnnxScorer(path, folder.words if tagger else None), gaps=not tagger)
    readers: list[LatticeReader | SentenceReader] = (
        [LatticeReader.of(folder)]
        if tagger
        else [SentenceReader.of(folder, standard=name) for name in folder.standards or (None,)]
    )
    changed = decisions = 0
    groups = [*([text] for text in texts), list(texts)]
    for reader, some in product(readers, groups):
        reading = reader.read(some)
        expected, found = (
            {
                (number, span)
                for number, spans in enumerate(_spans(model, reading, scorer, folder))
                for span in spans
            }
            for scorer in (both.expected, both.found)
        )
        changed += len(expected ^ found)
        decisions += len(expected | found)
    return Difference(both.difference, changed, decisions, "entities" if tagger else "words")


def _spans(model: Any, reading: Any, scorer: Scorer, folder: ModelFolder) -> Any:
    """The entities or words of each text."""
    if isinstance(model, Tagger):
        return reading.entities(scorer, folder.tags, model.crf.table().numpy())
    return [sentence.spans for sentence in reading.sentences(scorer)]


class Both:
    """Two ways to score a batch.

    Attributes:
        difference: the largest absolute difference that there has been between their scores, of
            gaps between the log-odds of a boundary.
    """

    def __init__(self, expected: Scorer, found: Scorer, *, gaps: bool = False) -> None:
        """Take both; `gaps` says that they score the gaps between characters."""
        self.expected, self._found, self._gaps = expected, found, gaps
        self.difference = 0.0

    def found(self, batch: Batch) -> NDArray[np.float32]:
        """The scores of the second one, compared with those of the first."""
        scores = self._found(batch)
        real = np.arange(scores.shape[1]) < batch.lengths[:, None] - self._gaps
        both = scores, self.expected(batch)
        one, other = map(log_odds, both) if self._gaps else both  # of gaps, they alone count
        apart = np.abs(one - other)[real]
        self.difference = max(self.difference, float(apart.max(initial=0)))
        return scores
