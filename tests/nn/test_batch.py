"""Texts of different lengths side by side."""

from __future__ import annotations

import numpy as np
import torch

from fenjie.nn.batch import Batch


def test_shorter_texts_are_padded() -> None:
    batch = Batch.of([np.array([[5, 6]]), np.array([[1, 2], [3, 4]]), np.zeros((0, 2), int)])
    assert batch.ids.tolist() == [[[5, 6], [0, 0]], [[1, 2], [3, 4]], [[0, 0], [0, 0]]]
    assert batch.lengths.tolist() == [1, 2, 0]
    assert batch.mask.tolist() == [[True, False], [True, True], [False, False]]
    assert batch.ids.dtype == batch.lengths.dtype == torch.int64


def test_a_batch_moves_with_its_mask() -> None:
    batch = Batch.of([np.array([[5], [6]])]).to("meta")
    assert (batch.ids.device.type, batch.lengths.device.type) == ("meta", "meta")
    assert batch.mask.device.type == "meta"
