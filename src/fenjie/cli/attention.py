"""The attention of a model on one sentence, out of its weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.cli.colors import shown
from fenjie.cli.explain import characters_of
from fenjie.errors import FenjieError, FileError
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_attention import LatticeAttention
from fenjie.nn.relative_attention import RelativeAttention
from fenjie.nn.selection import observing
from fenjie.runtime.folder import CONFIG, WEIGHTS, ModelFolder
from fenjie.runtime.lattices import PIECE, LatticeReader
from fenjie.runtime.windows import LatticeBatch
from fenjie.training.lattices import TorchScorer
from fenjie.training.load import load_model


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


@torch.no_grad()
def kept_attention(model: nn.Module, lattice: Lattice) -> list[Tensor]:
    """The weights of the attention of each layer, those of keys that are not kept being 0.

    Args:
        model: a tagger in evaluation mode.
        lattice: one sentence.

    Returns:
        `[heads, queries, keys]` each: first the characters, then the words, where words are among
        them.

    Raises:
        FenjieError: the attention is within windows, which have no such table.
    """
    with observing(model) as observed:
        model(lattice)
    found = []
    for name, calls in observed.items():
        layer = model.get_submodule(name.rpartition(".")[0])
        weights = [one.weights for one in calls]
        if isinstance(layer, RelativeAttention):
            found.append(weights[0][0])
        elif isinstance(layer, LatticeAttention):
            found.append(_in_order(torch.cat(weights, dim=1), lattice))
        else:
            raise FenjieError("attention within windows cannot be drawn as one table")
    return found


def _in_order(weights: Tensor, lattice: Lattice) -> Tensor:
    """Weights over tokens as FLAT sorts them, with characters first and words behind them."""
    order = torch.argsort(lattice.tokens.order)
    weights = weights[..., order]
    return weights[:, order] if weights.shape[1] == len(order) else weights
