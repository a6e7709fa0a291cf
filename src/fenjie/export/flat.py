"""FLAT as an ONNX program on padded batches.

Where characters are the queries, the position key `W_k,R R` of eq. 11 depends on the offset of two
heads and on the length of the key alone: those of a whole window are one table. The characters
among themselves need a band of it, which is one matrix product; each word takes rows of it. The
file holds what the table is made of, which is small: ONNX Runtime makes it once, on loading.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from fenjie.export.lattice_windows import Spans, write_lattice_windows
from fenjie.export.parts import Parts, array, projected_characters, scalar
from fenjie.export.selections import write_mean, write_selection, write_thresholds
from fenjie.export.span_tables import encoded, position_maps
from fenjie.lexicon.keys import LONGEST
from fenjie.models.flat import Flat
from fenjie.nn.attention.span_relative import LatticeAttention
from fenjie.nn.attention.thresholds import Threshold
from fenjie.nn.encoders.layer import Layer
from fenjie.nn.encoders.windowed_lattice import LatticeWindows
from fenjie.runtime.lattices import WINDOW
from fenjie.runtime.session import OUTPUT

REACH = WINDOW
"""The distances of heads in a window are smaller than this."""

UNSEEN = np.array(-1e30, dtype=np.float32)
"""What is added to the score of a key that a query does not see."""


class Tokens(NamedTuple):
    """The characters of a batch, then its words, filled up with padding.

    Attributes:
        place: the places of characters, `[1, length]`.
        real: which tokens are no padding, `[batch, tokens]`.
        length: how many places characters have, `[1]`.
        words: heads and tails of the words, `[batch, words]`; None where there are none.
    """

    place: str
    real: str
    length: str
    words: tuple[str, str] | None


def flat_program(model: Flat) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    return _Writer(model).program()


class _Writer:
    """Writes a model. Methods take and give names of values; comments say their shapes."""

    def __init__(self, model: Flat) -> None:
        self.model, self.config = model, model.config
        self.parts = Parts()
        self.graph = self.parts.graph
        self.split = [0, 0, self.config.heads, self.config.dim // self.config.heads]

    def program(self) -> Any:
        add, model, embedding = self.graph.add, self.model, self.model.embedding
        ids, lengths, x = projected_characters(self.graph, embedding, embedding.project_characters)
        length = add("Shape", ids, start=1, end=2)
        place = add("Slice", np.arange(REACH)[None], [0], length, [1])
        real = add("Less", place, add("Unsqueeze", lengths, [1]))
        tokens = Tokens(place, real, length, None)
        characters = self.graph.shaped(x, ["batch", "length", self.config.dim])
        if self.config.lexicon:
            x, tokens = self._with_words(x, tokens)
        last = len(model.layers) - 1
        for number, layer in enumerate(model.layers):
            asking = x
            if number == last:
                asking = self._characters(x, tokens) if number else characters
            x = self._layer(cast(Layer, layer), x, asking, tokens, words_ask=number < last)
        scores = self._linear(x, model.output)
        return self.graph.program(OUTPUT, scores, ["batch", "length", len(model.tags)])

    def _with_words(self, x: str, tokens: Tokens) -> tuple[str, Tokens]:
        """Put the words behind the characters: `[batch, tokens, dim]`."""
        add, embedding = self.graph.add, self.model.embedding
        start = self.graph.input("start", ["batch", "places"])
        end = self.graph.input("end", ["batch", "places"])
        words = self.graph.input("words", ["batch"])
        vectors = self.graph.input("vectors", ["batch", "places", embedding.words.dim], np.float32)
        x = add("Concat", x, self._linear(vectors, embedding.project_words), axis=1)
        count = add("Squeeze", add("Shape", start, start=1))
        place = add("Range", scalar(0), count, scalar(1))
        real = add("Less", place, add("Unsqueeze", words, [1]))
        real = add("Concat", tokens.real, real, axis=1)
        return x, Tokens(tokens.place, real, tokens.length, (start, end))

    def _characters(self, x: str, tokens: Tokens) -> str:
        """The characters of `[batch, tokens, dim]`."""
        if tokens.words is None:
            return x
        characters = self.graph.add("Slice", x, [0], tokens.length, [1])
        return self.graph.shaped(characters, ["batch", "length", self.config.dim])

    def _edges(self, tokens: Tokens) -> tuple[str, str]:
        """The first and the last character of each token, `[batch, tokens]`."""
        add = self.graph.add
        if tokens.words is None:
            return tokens.place, tokens.place
        start, end = tokens.words
        shape = add("Concat", add("Shape", start, end=1), tokens.length, axis=0)
        place = add("Expand", tokens.place, shape)
        return add("Concat", place, start, axis=1), add("Concat", place, end, axis=1)

    def _layer(self, layer: Layer, x: str, asking: str, tokens: Tokens, *, words_ask: bool) -> str:
        """`[batch, tokens, dim] -> [batch, queries, dim]`: see `Layer`."""
        attention = layer.attention
        if isinstance(attention, LatticeWindows):
            mixed = self._windows(attention, x, tokens, words_ask)
        else:
            mixed = self._attention(cast(LatticeAttention, attention), x, asking, tokens, words_ask)
        shape = ["batch", "asking" if words_ask else "length", self.config.dim]
        mixed = self.graph.shaped(mixed, shape)
        asking = self._norm(layer, asking, mixed, layer.attention_norm)
        wide = self.graph.add("Relu", self._linear(asking, layer.widen))
        narrow = self._linear(wide, layer.narrow)
        norm = layer.feed_forward_norm or layer.attention_norm
        return self._norm(layer, asking, narrow, norm)

    def _windows(self, windows: LatticeWindows, x: str, tokens: Tokens, words_ask: bool) -> str:
        """`[batch, tokens, dim] -> [batch, queries, dim]`: see `LatticeWindows`."""
        shape = self.graph.add("Shape", tokens.real)
        heads, tails = (self.graph.add("Expand", edge, shape) for edge in self._edges(tokens))
        spans = Spans(heads, tails, tokens.real)
        mixed = write_lattice_windows(self.parts, windows, self.model.positions, x, spans)
        return mixed if words_ask else self._characters(mixed, tokens)

    def _attention(
        self, attention: LatticeAttention, x: str, asking: str, tokens: Tokens, words_ask: bool
    ) -> str:
        """`[batch, tokens, dim] -> [batch, queries, dim]`: see `LatticeAttention`."""
        add = self.graph.add
        query = self._times(asking, attention.factor * array(attention.query.weight))
        # [batch, heads, queries, head_dim] x [batch, heads, head_dim, tokens]
        content = add("Add", query, attention.factor * array(attention.content_bias).ravel())
        key = x if attention.key is None else self._times(x, array(attention.key.weight))
        scores = add("MatMul", self._heads(content), self._heads(key, keys=True))
        position = add("Add", query, attention.factor * array(attention.position_bias).ravel())
        if words_ask:
            near = self._pairs(attention, position, tokens)
        else:
            near = self._characters_ask(attention, position, tokens)
        scores = add("Add", add("Add", scores, near), self._unseen(tokens, words_ask))
        value = self._heads(self._times(x, array(attention.value.weight)))
        graph, thresholds = self.graph, None
        if isinstance(attention.selection, Threshold):
            mean = write_mean(graph, x, tokens.real)
            thresholds = write_thresholds(graph, attention.selection, asking, mean)
        weights = write_selection(graph, attention.selection, scores, thresholds)
        mixed = add("Transpose", add("MatMul", weights, value), perm=[0, 2, 1, 3])
        mixed = add("Reshape", mixed, [0, 0, self.config.dim])
        return mixed if attention.merge is None else self._linear(mixed, attention.merge)

    def _characters_ask(self, attention: LatticeAttention, position: str, tokens: Tokens) -> str:
        """The scores of positions, `[batch, heads, length, tokens]`, from the table of keys."""
        add, length, heads = self.graph.add, tokens.length, self.config.heads
        keys, width = self._keys(attention), 2 * REACH + 1
        # Of characters, by offset: [heads, head_dim, 2L], from offset -(L - 1) to L
        single = add("Slice", keys, [0], [width], [0])
        single = add("Transpose", add("Reshape", single, [width, *self.split[2:]]), perm=[1, 2, 0])
        first, last = (add(sign, [REACH + 1], length) for sign in ("Sub", "Add"))
        ranged = add("MatMul", self._heads(position), add("Slice", single, first, last, [2]))
        # Offset j - i stands in column j - i + L - 1 of row i. In a row of all numbers one behind
        # the other, that is at i * (2L - 1) + j + L - 1: rows that are shorter by one.
        flat = add("Reshape", ranged, [0, 0, -1])
        flat = add("Slice", flat, add("Sub", length, [1]), [-1], [2])
        square = add("Reshape", flat, add("Concat", [0, 0], length, [-1], axis=0))
        square = add("Slice", square, [0], length, [3])
        if tokens.words is None:
            return square
        # Of words: row (length - 1) * width + head - i + REACH of the table
        start, end = tokens.words
        row = add("Sub", add("Mul", end, [width]), add("Mul", start, [width - 1]))
        back = add("Slice", np.arange(REACH, -1, -1)[:, None], [0], length, [0])
        rows = add("Gather", keys, add("Add", add("Unsqueeze", row, [1]), back))
        # [batch, L, words, dim] -> [batch, heads, L, words]
        product = add("Mul", rows, add("Unsqueeze", position, [2]))
        product = add("Reshape", product, [0, 0, 0, heads, -1])
        by_word = add("Transpose", add("ReduceSum", product, [4], keepdims=0), perm=[0, 3, 1, 2])
        return add("Concat", square, by_word, axis=3)

    def _keys(self, attention: LatticeAttention) -> str:
        """`W_k,R R` for keys of 1 to 31 characters, by the offset of heads: `[31 * width, dim]`."""
        add, dim = self.graph.add, self.config.dim
        positions, weight = self.model.positions, array(attention.position.weight).T
        # Offset j - i rises from row to row: d_hh falls from REACH to -REACH.
        falling, width = encoded(REACH, 1 - REACH - LONGEST, dim), 2 * REACH + 1
        if positions.distances == "head":
            table = add("MatMul", falling[None, :width], weight)
            table = add("Expand", table, [LONGEST, 1, 1])
        else:
            maps = position_maps(positions)
            heads = falling @ (maps["hh"] + maps.get("th", 0))
            tails = falling @ (maps["tt"] + maps.get("ht", 0))
            # d_ht of a key that is longer by one falls by one.
            rows = np.arange(LONGEST)[:, None] + np.arange(width)
            sums = add("Add", heads[None, :width], add("Gather", tails, rows))
            table = add("MatMul", add("Relu", sums), weight)
        return add("Reshape", table, [-1, dim])

    def _pairs(self, attention: LatticeAttention, position: str, tokens: Tokens) -> str:
        """The scores of positions where words ask too, pair by pair: eq. 4 to 11 as they stand."""
        add, dim, positions = self.graph.add, self.config.dim, self.model.positions
        ends = dict(zip("ht", self._edges(tokens), strict=True))
        table = encoded(-REACH, REACH, dim)
        maps = {"hh": np.eye(dim, dtype=np.float32)}
        if positions.distances != "head":
            maps = position_maps(positions)
        parts = []
        for name, weight in maps.items():
            mine, theirs = (
                add("Unsqueeze", ends[name[0]], [2]),
                add("Unsqueeze", ends[name[1]], [1]),
            )
            distance = add("Add", add("Sub", mine, theirs), [REACH])
            parts.append(add("Gather", table @ weight, distance))
        # [batch, queries, tokens, dim]
        sums = parts[0] if positions.distances == "head" else add("Relu", add("Sum", *parts))
        keys = self._times(sums, array(attention.position.weight))
        product = add("Mul", keys, add("Unsqueeze", position, [2]))
        product = add("Reshape", product, [0, 0, 0, self.config.heads, -1])
        return add("Transpose", add("ReduceSum", product, [4], keepdims=0), perm=[0, 3, 1, 2])

    def _unseen(self, tokens: Tokens, words_ask: bool) -> str:
        """What is added to the scores, `[batch, 1, 1 or queries, tokens]`; see `SpanPattern`."""
        add, config = self.graph.add, self.config
        seen = add("Unsqueeze", tokens.real, [1])
        if config.reach or not config.self_matched:
            edges = self._edges(tokens)
            heads, tails = (add("Unsqueeze", edge, [1]) for edge in edges)
            own = edges if words_ask else (tokens.place, tokens.place)
            own_heads, own_tails = (add("Unsqueeze", edge, [2]) for edge in own)
        if not config.self_matched:
            inside = add(
                "And", add("LessOrEqual", heads, own_heads), add("LessOrEqual", own_heads, tails)
            )
            word = add("And", inside, add("Less", heads, tails))
            hidden = add("And", word, add("Equal", own_heads, own_tails))
            seen = add("And", seen, add("Not", hidden))
        if config.reach:
            apart = add("Max", add("Sub", own_heads, tails), add("Sub", heads, own_tails))
            seen = add("And", seen, add("LessOrEqual", apart, [config.reach]))
        return add("Unsqueeze", add("Where", seen, np.zeros((), np.float32), UNSEEN), [1])

    def _heads(self, x: str, *, keys: bool = False) -> str:
        """`[batch, n, dim] -> [batch, heads, n, head_dim]`, of keys the last two turned."""
        perm = [0, 2, 3, 1] if keys else [0, 2, 1, 3]
        return self.graph.add("Transpose", self.graph.add("Reshape", x, self.split), perm=perm)

    def _times(self, x: str, weight: NDArray[np.float32]) -> str:
        return self.graph.add("MatMul", x, weight.T)

    def _linear(self, x: str, linear: nn.Linear) -> str:
        return self.graph.add("Add", self._times(x, array(linear.weight)), array(linear.bias))

    def _norm(self, layer: Layer, x: str, change: str, norm: nn.LayerNorm) -> str:
        total = self.graph.add("Add", x, change) if layer.residual else change
        scale, shift = array(norm.weight), array(norm.bias)
        return self.graph.add("LayerNormalization", total, scale, shift, axis=-1, epsilon=norm.eps)
