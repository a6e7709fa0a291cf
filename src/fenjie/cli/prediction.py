"""Predictions of a model: by its export, or by PyTorch where it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fenjie.errors import FileError

if TYPE_CHECKING:
    from fenjie.runtime.folder import ModelFolder
    from fenjie.text.span import Sentence


def predict(
    folder: ModelFolder, texts: Sequence[str], standard: str | None = None
) -> list[Sentence]:
    """The words or the entities of some texts, by the task of the model.

    Args:
        folder: the model.
        texts: the texts.
        standard: one of the model's standards of words; None for its default.

    Raises:
        FenjieError: the model has no export and PyTorch is not installed, or its files are
            damaged.
    """
    from fenjie.runtime.folder import ONNX

    if (folder.path / ONNX).is_file():
        from fenjie.runtime.load import load

        return load(folder.path, standard=standard)(list(texts))
    try:
        from fenjie.store.load import predict as predict_by_torch
    except ModuleNotFoundError as error:
        raise FileError(
            folder.path / ONNX,
            f"is missing, and without it {error.name} is needed: pip install 'fenjie[train]'",
        ) from error
    return predict_by_torch(folder, texts, standard)
