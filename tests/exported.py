"""The one comparison of an exported model with the model in PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from fenjie.export.trace import trace
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.models.tagger import Tagger
from fenjie.runtime.batching import Batch
from fenjie.runtime.decoding.gaps import log_odds
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchGapScorer, TorchScorer


class Exported:
    """A model beside its export, of the same random weights."""

    def __init__(
        self, model: Any, columns: int, folder: Path, words: WordVectors | None = None
    ) -> None:
        """Export a model.

        Args:
            model: a tagger or segmenter; it is put into evaluation mode.
            columns: number of ids of a character.
            folder: where the file may lie.
            words: the words that the model reads.
        """
        model.eval()
        weights = {name: value.clone() for name, value in model.state_dict().items()}
        path = folder / "model.onnx"
        onnx.save_model(trace(model, columns), path)
        changed = [n for n, v in model.state_dict().items() if not (v == weights[n]).all()]
        assert not changed, f"export changed {changed}"
        self.gaps = not isinstance(model, Tagger)
        self.by_onnx = OnnxScorer(path, words)
        self.by_torch = TorchGapScorer(model) if self.gaps else TorchScorer(model, words)

    def check(self, batches: Iterable[Batch], within: float = 1e-4) -> None:
        """Assert that both give the same scores."""
        for batch in batches:
            found, expected = self.by_onnx(batch), self.by_torch(batch)
            if self.gaps:  # the log-odds alone count
                found, expected = log_odds(found), log_odds(expected)
            real = np.arange(found.shape[1]) < batch.lengths[:, None] - self.gaps
            assert np.isfinite(found[real]).all()
            assert np.abs(found - expected)[real].max() < within


def together(batches: Iterable[Batch]) -> Batch:
    """All sentences in one batch, whatever their lengths, as no reader would put them."""
    single = list(batches)
    length = max(batch.ids.shape[1] for batch in single)
    words = max(batch.start.shape[1] for batch in single)

    def wide(values: np.ndarray, size: int) -> np.ndarray:
        rest = [(0, 0)] * (values.ndim - 2)
        return np.pad(values, [(0, 0), (0, size - values.shape[1]), *rest])

    parts: dict[str, np.ndarray] = {}
    for name in ("ids", "start", "end", "word"):
        size = length if name == "ids" else words
        parts[name] = np.concatenate([wide(getattr(batch, name), size) for batch in single])
    for name in ("lengths", "words", "windows"):
        parts[name] = np.concatenate([getattr(batch, name) for batch in single])
    return single[0]._replace(**parts)


def gap_batches(lengths: Iterable[int], columns: int = 1) -> list[Batch]:
    """Random sentences of ids below 50 for a segmenter: one by one, then all in one batch."""
    random, none = np.random.default_rng(1), np.zeros((1, 0), dtype=np.int64)
    single = [
        Batch(
            windows=np.zeros(1, dtype=np.int64),
            ids=random.integers(2, 50, (1, length, columns)),
            lengths=np.array([length]),
            start=none,
            end=none,
            words=np.zeros(1, dtype=np.int64),
            word=none,
        )
        for length in lengths
    ]
    return [*single, together(single)]
