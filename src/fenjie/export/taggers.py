"""Models of entities as ONNX programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fenjie.export.bert_crf import bert_crf_program
from fenjie.export.characters import atssa_program, tener_program
from fenjie.export.difference import Difference
from fenjie.export.flat import flat_program
from fenjie.export.lattice_lstm import lattice_lstm_program
from fenjie.export.recurrent import bilstm_crf_program
from fenjie.export.sams_tagger import sams_tagger_program
from fenjie.export.soft_lexicon import soft_lexicon_program
from fenjie.models.atssa import Atssa
from fenjie.models.bert_crf import BertCrf
from fenjie.models.bilstm_crf import BilstmCrf
from fenjie.models.flat import Flat
from fenjie.models.lattice_lstm import LatticeLstm
from fenjie.models.sams_tagger import SamsTagger
from fenjie.models.soft_lexicon import SoftLexicon
from fenjie.models.tener import Tener
from fenjie.runtime.batching import Batch
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.reading import Scorer
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from fenjie.text.span import Span

PROGRAMS: dict[type[Any], Callable[[Any], Any]] = {
    Flat: flat_program,
    Tener: tener_program,
    Atssa: atssa_program,
    BertCrf: bert_crf_program,
    BilstmCrf: bilstm_crf_program,
    SoftLexicon: soft_lexicon_program,
    LatticeLstm: lattice_lstm_program,
    SamsTagger: sams_tagger_program,
}
"""What writes the program of a model."""


def program(model: Any, folder: ModelFolder, texts: Sequence[str]) -> Any:
    """The ONNX program of a model; batch, length and number of words are free."""
    return PROGRAMS[type(model)](model)


def compare(model: Any, path: Path, folder: ModelFolder, texts: Sequence[str]) -> Difference:
    """Compare an ONNX file with the model that it was made from.

    Args:
        model: the model, in evaluation mode.
        path: the ONNX file.
        folder: the folder of the model.
        texts: texts; they are scored one by one and all together.
    """
    words = folder.words
    reader = LatticeReader.of(folder)
    scorers = _Both(TorchScorer(model, words), OnnxScorer(path, words))
    table = model.crf.table().numpy()
    changed = decisions = 0
    for some in [*([text] for text in texts), texts]:
        reading = reader.read(some)
        expected, found = (
            _entities(reading.entities(score, folder.tags, table))
            for score in (scorers.first, scorers.second)
        )
        changed += len(expected ^ found)
        decisions += len(expected | found)
    return Difference(scorers.difference, changed, decisions, "entities")


def _entities(spans: Sequence[tuple[Span, ...]]) -> set[tuple[int, Span]]:
    return {(number, span) for number, each in enumerate(spans) for span in each}


class _Both:
    """Two ways to score a batch, and how far their scores have been from each other."""

    def __init__(self, one: Scorer, other: Scorer) -> None:
        self._one, self._other = one, other
        self.difference = 0.0

    def first(self, batch: Batch) -> NDArray[np.float32]:
        """By the first one."""
        return self._one(batch)

    def second(self, batch: Batch) -> NDArray[np.float32]:
        """By the second one; compares it with the first."""
        scores = self._other(batch)
        real = np.arange(scores.shape[1]) < batch.lengths[:, None]
        apart = np.abs(scores - self._one(batch))[real]
        self.difference = max(self.difference, float(apart.max(initial=0)))
        return scores
