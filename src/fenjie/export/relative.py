"""Layers with relative positions in ONNX programs, on padded batches."""

from __future__ import annotations

from typing import cast

import numpy as np

from fenjie.export.parts import CharacterInputs, Parts, array
from fenjie.export.selections import DROPPED, select
from fenjie.export.windows import write_character_windows
from fenjie.nn.attention.relative import RelativeAttention, encoded_positions, turn
from fenjie.nn.encoders.layer import Layer
from fenjie.nn.encoders.relative_transformer import RelativeEncoder
from fenjie.nn.encoders.windowed import CharacterWindows
from fenjie.runtime.lattices import WINDOW


class RelativeWriter:
    """Writes encoders into a program. Methods take and give names of values."""

    def __init__(self, parts: Parts, characters: CharacterInputs) -> None:
        """Take the program and its characters."""
        self.parts, self.characters = parts, characters
        self.add = parts.add

    def encoder(self, encoder: RelativeEncoder, x: str) -> str:
        """`[batch, length, dim] -> [batch, length, dim]`."""
        for layer in encoder.layers:
            x = self.layer(cast(Layer, layer), x)
        return x

    def layer(self, layer: Layer, x: str) -> str:
        """One layer of it; see `fenjie.nn.encoders.layer.Layer`."""
        parts, shape = self.parts, ("batch", "length", layer.widen.in_features)
        attention = layer.attention
        if isinstance(attention, RelativeAttention):
            mixed = self.attention(attention, x)
        else:
            mixed = write_character_windows(
                parts, cast(CharacterWindows, attention), x, self.characters.mask
            )
        mixed = parts.graph.shaped(mixed, shape)
        x = parts.norm(self.add("Add", x, mixed), layer.attention_norm)
        wide = self.add("Relu", parts.linear(x, layer.widen))
        narrow = parts.linear(wide, layer.narrow)
        norm = layer.feed_forward_norm or layer.attention_norm
        return parts.norm(self.add("Add", x, narrow), norm)

    def attention(self, attention: RelativeAttention, x: str) -> str:
        """The attention of it; see `fenjie.nn.attention.relative`."""
        add, parts, heads = self.add, self.parts, attention.heads
        dim, factor = attention.query.in_features, attention.factor
        places = encoded_positions(WINDOW, dim, heads, attention.sinusoids, attention.query.weight)
        # What `turn` multiplies the entries of a query and their swapped neighbours with, and what
        # it makes of v: constants for each place.
        sine, cosine = array(places[..., 0::2]), array(places[..., 1::2])
        straight = np.stack((-cosine, cosine), axis=-1)
        crossed = np.stack((sine, sine), axis=-1)
        size = dim // heads
        turned_bias = turn(attention.position_bias.expand(WINDOW, -1, -1) * factor, places)
        query = array(attention.query.weight) * factor
        swapped = query.reshape(-1, 2, dim)[:, ::-1].reshape(dim, dim)
        projections = [query, swapped, array(attention.value.weight)]
        if attention.key is not None:
            projections.append(array(attention.key.weight))
        made = parts.times(x, np.concatenate(projections))
        pieces = [
            add("Slice", made, [number * dim], [(number + 1) * dim], [2])
            for number in range(len(projections))
        ]
        content = add("Add", pieces[0], array(attention.content_bias).ravel() * np.float32(factor))
        turned = add("Mul", pieces[0], self._sliced(straight, heads, size))
        turned = add("Add", turned, add("Mul", pieces[1], self._sliced(crossed, heads, size)))
        turned = add("Add", turned, self._sliced(array(turned_bias), heads, size))
        key = pieces[3] if attention.key is not None else x
        # [batch, heads, length, 2 size + 1] x [batch, heads, 2 size + 1, length]: query and turned
        # query and 1, times key and its place and what hides it
        batch, split = add("Shape", made, end=2), [0, 0, heads, size]
        place = add("Slice", array(places)[None], [0], self.characters.length, [1])
        hidden = add("Where", self.characters.mask, np.zeros((), np.float32), DROPPED)
        one, each = np.ones((1, 1, 1, 1), np.float32), add("Concat", batch, [heads, 1], axis=0)
        asking = add(
            "Concat",
            add("Reshape", content, split),
            add("Reshape", turned, split),
            add("Expand", one, each),
            axis=3,
        )
        asked = add(
            "Concat",
            add("Reshape", key, split),
            add("Expand", place, add("Concat", batch, [heads, size], axis=0)),
            add("Expand", add("Unsqueeze", hidden, [2, 3]), each),
            axis=3,
        )
        scores = add(
            "MatMul",
            add("Transpose", asking, perm=[0, 2, 1, 3]),
            add("Transpose", asked, perm=[0, 2, 3, 1]),
        )
        weights = select(parts, attention.selection, scores, x, self.characters)
        value = add("Transpose", add("Reshape", pieces[2], split), perm=[0, 2, 1, 3])
        mixed = add("MatMul", weights, value)
        joined = add("Reshape", add("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, dim])
        return joined if attention.merge is None else parts.linear(joined, attention.merge)

    def _sliced(self, table: np.ndarray, heads: int, size: int) -> str:
        """`[WINDOW, heads or 1, …]` as `[length, dim]`."""
        whole = np.broadcast_to(table.reshape(WINDOW, -1, size), (WINDOW, heads, size))
        return self.add("Slice", whole.reshape(WINDOW, -1), [0], self.characters.length, [0])
