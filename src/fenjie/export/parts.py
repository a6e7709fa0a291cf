"""The parts that the ONNX programs of all taggers share, on padded batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from fenjie.export.encoder import encoder_vectors
from fenjie.export.graph import Graph
from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.lattice_vectors import LatticeVectors
from fenjie.runtime.session import OUTPUT


class CharacterInputs(NamedTuple):
    """What a program reads of the characters.

    Attributes:
        vectors: those of characters, bigrams and the encoder, `[batch, length, dim]`.
        lengths: the number of characters of each sentence, `[batch]`.
        mask: which places hold a character, bool `[batch, length]`.
        length: how many places there are, `[1]`.
    """

    vectors: str
    lengths: str
    mask: str
    length: str


class WordInputs(NamedTuple):
    """What a program reads of the words.

    Attributes:
        vectors: those of the words, `[batch, words, word_dim]`; anything at padding.
        start: the first character of each, `[batch, words]`.
        end: its last character.
        mask: which places hold a word, bool `[batch, words]`.
        counts: how often each was seen, float `[batch, words]`; None where that is not read.
    """

    vectors: str
    start: str
    end: str
    mask: str
    counts: str | None


class Parts:
    """Writes parts of a program. Methods take and give names of values; comments say shapes."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.add = self.graph.add

    def characters(self, embedding: LatticeVectors) -> CharacterInputs:
        """The inputs `ids` and `lengths`, and the vectors of the characters.

        With an encoder also the inputs of its word pieces.
        """
        add = self.add
        ids, lengths, joined = character_vectors(self.graph, embedding)
        length = add("Shape", ids, start=1, end=2)
        place = add("Range", scalar(0), add("Squeeze", length), scalar(1))
        mask = add("Less", add("Unsqueeze", place, [0]), add("Unsqueeze", lengths, [1]))
        return CharacterInputs(joined, lengths, mask, length)

    def words(self, embedding: LatticeVectors, *, counts: bool = False) -> WordInputs:
        """The inputs `start`, `end`, `words`, `vectors` and, where wanted, `counts`."""
        add, shape = self.add, ["batch", "places"]
        start = self.graph.input("start", shape)
        end = self.graph.input("end", shape)
        words = self.graph.input("words", ["batch"])
        vectors = self.graph.input("vectors", [*shape, embedding.word_dim], np.float32)
        seen = self.graph.input("counts", shape, np.float32) if counts else None
        count = add("Squeeze", add("Shape", start, start=1))
        place = add("Range", scalar(0), count, scalar(1))
        mask = add("Less", add("Unsqueeze", place, [0]), add("Unsqueeze", words, [1]))
        return WordInputs(vectors, start, end, mask, seen)

    def times(self, x: str, weight: NDArray[np.float32]) -> str:
        """`x weight^T`."""
        return self.add("MatMul", x, weight.T)

    def linear(self, x: str, linear: nn.Linear) -> str:
        """A linear map of the last axis."""
        product = self.times(x, array(linear.weight))
        return product if linear.bias is None else self.add("Add", product, array(linear.bias))

    def norm(self, x: str, norm: nn.LayerNorm) -> str:
        """A norm of the last axis."""
        scale, shift = array(norm.weight), array(norm.bias)
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=norm.eps)

    def program(self, scores: str, tags: int) -> Any:
        """The program that gives the scores of the tags, `[batch, length, tags]`."""
        return self.graph.program(OUTPUT, scores, ["batch", "length", tags])


def character_vectors(graph: Graph, embedding: LatticeVectors) -> tuple[str, str, str]:
    """The inputs `ids` and `lengths`, and the vectors of the characters; see `Parts.characters`."""
    ids, lengths, columns = _columns(graph, embedding)
    vectors = [graph.add("Gather", array(table.whole()), number) for table, number in columns]
    if embedding.pretrained is not None:
        vectors.append(encoder_vectors(graph, embedding.pretrained))
    joined = graph.add("Concat", *vectors, axis=2) if len(vectors) > 1 else vectors[0]
    return ids, lengths, joined


def projected_characters(
    graph: Graph, embedding: LatticeVectors, linear: nn.Linear
) -> tuple[str, str, str]:
    """As `character_vectors`, behind a linear map.

    Without an encoder, the part of the map that reads the first table is taken before the table is
    stored: the program then reads its rows as they are.
    """
    weight, bias = array(linear.weight).T, array(linear.bias)
    if embedding.pretrained is not None:
        ids, lengths, vectors = character_vectors(graph, embedding)
        return ids, lengths, graph.add("Add", graph.add("MatMul", vectors, weight), bias)
    ids, lengths, ((first, number), *others) = _columns(graph, embedding)
    x = graph.add("Gather", array(first.whole()) @ weight[: first.dim] + bias, number)
    for table, number in others:
        rows = graph.add("Gather", array(table.whole()), number)
        x = graph.add("Add", x, graph.add("MatMul", rows, weight[-table.dim :]))
    return ids, lengths, x


def _columns(
    graph: Graph, embedding: LatticeVectors
) -> tuple[str, str, list[tuple[TrainedTable, str]]]:
    """The inputs `ids` and `lengths`, and each table with the numbers of the rows to be read."""
    tables = [table for table in (embedding.characters, embedding.bigrams) if table is not None]
    # Where the encoder alone tells of the characters, whatever the columns hold is not read.
    ids = graph.input("ids", ["batch", "length", len(tables) or "columns"])
    lengths = graph.input("lengths", ["batch"])
    numbers = (graph.add("Gather", ids, scalar(column), axis=2) for column in range(len(tables)))
    return ids, lengths, list(zip(tables, numbers, strict=True))


def array(tensor: Tensor) -> NDArray[np.float32]:
    """Weights as a constant of a program."""
    return tensor.detach().float().cpu().numpy()


def scalar(value: int) -> NDArray[np.int64]:
    """A number as a constant of a program."""
    return np.array(value, dtype=np.int64)
