"""Models of gaps as ONNX programs, traced by PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.export.difference import Difference
from fenjie.export.tracing import trace
from fenjie.nn.batch import Batch
from fenjie.nn.unrolled import unroll
from fenjie.runtime.decoding.gaps import boundaries
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.session import INPUTS, OUTPUT, Session
from fenjie.text.vocabulary import Ids


def program(model: Any, folder: ModelFolder, texts: Sequence[str]) -> Any:
    """The ONNX program of a model, with batch and length free.

    Args:
        model: a model of `fenjie.models`, in evaluation mode.
        folder: the folder of the model.
        texts: at least three texts of two characters, to trace it with.
    """
    batch = Batch.of(_rows(folder, texts)[:3])
    axes = {
        "ids": {0: torch.export.Dim("batch", min=1), 1: torch.export.Dim("length", min=2)},
        "lengths": {0: torch.export.Dim("batch", min=1)},
    }
    return trace(_Scores(unroll(model)), (batch.ids, batch.lengths), INPUTS, OUTPUT, axes)


class _Scores(nn.Module):
    """A model between plain tensors."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        scores: Tensor = self.model(Batch(ids, lengths))[0]
        return scores


def compare(model: Any, path: Path, folder: ModelFolder, texts: Sequence[str]) -> Difference:
    """Compare an ONNX file with the model that it was made from.

    Args:
        model: the model, in evaluation mode.
        path: the ONNX file.
        folder: the folder of the model.
        texts: texts; they are scored one by one and all together.
    """
    session, rows = Session(path), _rows(folder, texts)
    gaps, changed, difference = 0, 0, 0.0
    for row in rows:
        found, expected = _both(model, session, [row])
        gaps += expected[..., 0].size
        changed += int((boundaries(found) != boundaries(expected)).sum())
        difference = max(difference, float(np.abs(found - expected).max(initial=0)))
    found, expected = _both(model, session, rows)
    for one, other, row in zip(found, expected, rows, strict=True):
        real = slice(len(row) - 1)
        difference = max(difference, float(np.abs(one[real] - other[real]).max(initial=0)))
    return Difference(difference, changed, gaps, "gaps")


def _both(
    model: Any, session: Session, rows: Sequence[Ids]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    batch = Batch.of(rows)
    with torch.no_grad():
        expected = model(batch)[0].numpy()
    return session(batch.ids.numpy(), batch.lengths.numpy()), expected


def _rows(folder: ModelFolder, texts: Sequence[str]) -> list[Ids]:
    """The ids of some texts, whitespace left out; at least three rows of two characters."""
    plain = ["".join(folder.normaliser(text).text.split()) for text in texts]
    plain = [text for text in plain if len(text) > 1]
    if len(plain) < 3:
        raise FenjieError("an export is compared on at least three texts of two characters")
    return [folder.indexer(text) for text in plain]
