"""The attention of a model on one sentence, out of its weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fenjie.cli.colors import shown
from fenjie.cli.explain import characters_of
from fenjie.errors import FenjieError, FileError
from fenjie.nn.attention.observed import kept_attention
from fenjie.runtime.folder import CONFIG, WEIGHTS, ModelFolder
from fenjie.runtime.lattices import PIECE, LatticeReader
from fenjie.runtime.windows import LatticeBatch
from fenjie.store.load import load_model
from fenjie.tasks.inputs import TorchScorer


@dataclass(frozen=True)
class Attention:
    """Where a model looks.

    Attributes:
        layers: the weights of each layer, `[heads][queries][keys]`; 0 where a key is not kept.
        names: the characters, then the words: as far as they are queries or keys.
    """

    layers: list[list[list[list[float]]]]
    names: list[str]


def attention_of(folder: ModelFolder, text: str) -> Attention:
    """Run a model on a sentence and note its attention.

    Raises:
        FenjieError: the text is empty or no single sentence, the folder has no weights, or the
            model has no attention that can be seen.
    """
    characters = characters_of(folder, text)
    if not (folder.path / WEIGHTS).is_file():
        raise FileError(
            folder.path / WEIGHTS, "is missing", expected="the folder model/ of a training run"
        )
    if folder.config["task"] != "ner":
        raise FileError(folder.path / CONFIG, "is no model of named entities")
    if len(characters) > PIECE:
        raise FenjieError(
            f"the text has {len(characters)} characters; expected a sentence of up to {PIECE}"
        )
    model = load_model(folder)
    scorer = TorchScorer(model, folder.words)
    batches: list[LatticeBatch] = []

    def score(batch: LatticeBatch) -> NDArray[np.float32]:
        batches.append(batch)
        return scorer(batch)

    reader = LatticeReader(folder.normaliser, folder.indexer, folder.finder, pieces=folder.pieces)
    reader.read([text]).entities(score, folder.tags, folder.transitions)
    if len(batches) != 1 or len(batches[0].lengths) != 1:
        raise FenjieError("the text has several lines or sentences; expected one")
    layers = [weights.tolist() for weights in kept_attention(model, scorer.lattice(batches[0]))]
    if not layers:
        raise FenjieError(f"{folder.config['architecture']} has no attention that can be drawn")
    (batch,) = batches
    count = int(batch.words[0])
    spans = zip(batch.start[0, :count].tolist(), batch.end[0, :count].tolist(), strict=True)
    words = ["".join(characters[start : end + 1]) for start, end in spans]
    return Attention(layers, [shown(name) for name in [*characters, *words]])
