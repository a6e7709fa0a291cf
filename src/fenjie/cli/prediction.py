"""The sentences that are scored: annotated files, answers in a file, predictions of a model.

A model predicts by its export, or by PyTorch where it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fenjie.errors import FenjieError, FileError

if TYPE_CHECKING:
    from fenjie.runtime.folder import ModelFolder
    from fenjie.text.span import Sentence


def annotated(path: Path, form: str | None, encoding: str) -> list[Sentence]:
    """The sentences of an annotated file but for the empty ones.

    Raises:
        FenjieError: the file cannot be read, or holds no sentence.
    """
    from fenjie.corpus import read

    sentences = [s for s in read(path, form, encoding=encoding).sentences if s.text]
    if not sentences:
        raise FileError(path, "holds no sentence")
    return sentences


def check_segmented(path: Path, sentences: Sequence[Sentence]) -> None:
    """Refuse a file whose sentences are not words from their beginning to their end.

    Raises:
        FileError: there is such a sentence.
    """
    for number, sentence in enumerate(sentences, 1):
        if not sentence.tiled:
            raise FileError(path, f"sentence {number} is not segmented", found=sentence.text)


def holds_words(sentences: Sequence[Sentence]) -> bool:
    """Whether sentences hold words, not entities."""
    from fenjie.text.span import WORD

    return all(s.tiled and {span.label for span in s.spans} == {WORD} for s in sentences)


def answers_in(
    path: Path,
    file: Path,
    gold: Sequence[Sentence],
    words: bool,
    form: str | None,
    encoding: str,
) -> list[Sentence]:
    """The answers of any tool, in a file that goes with an annotated one.

    Args:
        path: the file of the answers.
        file: the annotated file.
        gold: its sentences.
        words: whether words are scored, not entities.
        form: the format of the answers; None to find out.
        encoding: that of the answers.

    Raises:
        FenjieError: the answers cannot be read, are of other sentences, or are words in place of
            entities or the other way round.
    """
    from fenjie.evaluation.shares import pairs

    answers = annotated(path, form, encoding)
    try:
        list(pairs(gold, answers))
    except FenjieError as error:
        raise FileError(path, f"does not go with {file}: {error}") from error
    if words:
        check_segmented(path, answers)
    elif holds_words(answers):
        raise FileError(path, f"holds words, and {file} does not")
    return answers


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
    from fenjie.runtime.model_files import ONNX

    if folder.is_linear or (folder.path / ONNX).is_file():
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
