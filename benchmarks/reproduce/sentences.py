"""What each sentence of a test file adds to the score of a run.

Kept with the run's record, so that a claim can be resampled by sentences when the model is gone.
"""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import numpy as np

from fenjie.cli.prediction import predict
from fenjie.errors import FileError
from fenjie.evaluation.significance import Counts, entity_counts, f1, word_counts
from fenjie.recipe.datasets import CorpusRecipe
from fenjie.recipe.recipe import Recipe
from fenjie.runtime.folder import ModelFolder
from fenjie.tasks.corpora import read_sentences
from fenjie.tasks.mapping import LabelMap
from fenjie.text.span import WORD


def counted(folder: Path, recipe: Recipe, expected: float) -> Counts:
    """Gold, predicted and correct spans of each sentence of the first test file: `[sentences, 3]`.

    Args:
        folder: the run's model.
        recipe: of the run.
        expected: the F1 that the run had on this file, between 0 and 1.

    Raises:
        FileError: the model has another F1 than the run had.
    """
    name = recipe.data.tests[0]
    part = next(part for part in recipe.data.parts if name in part.test)
    labels = LabelMap(part) if isinstance(part, CorpusRecipe) and part.labels else None
    gold = read_sentences(name, part, lambda _: None, labels)
    answers = list(predict(ModelFolder.open(folder), [sentence.text for sentence in gold]))
    if isinstance(part, CorpusRecipe) and part.labels:
        gold = [sentence.only(part.types) for sentence in gold]
        answers = [sentence.only(part.types) for sentence in answers]
    # A tagger may have learnt words, too.
    found_labels = {span.label for sentence in gold for span in sentence.spans}
    counts = (word_counts if found_labels == {WORD} else entity_counts)(gold, answers)
    found = float(f1(counts.sum(0)))
    if abs(found - expected) > 5e-5:
        raise FileError(folder, f"has another F1 on {name}", found=found, expected=str(expected))
    return counts


def packed(counts: Counts) -> str:
    """Counts as text: 16 bits each, compressed, in base 64."""
    return base64.b64encode(zlib.compress(counts.astype("<u2").tobytes(), 9)).decode()


def unpacked(text: str) -> Counts:
    """The counts of a text: `[sentences, 3]`."""
    numbers = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<u2")
    return numbers.reshape(-1, 3).astype(np.int64)
