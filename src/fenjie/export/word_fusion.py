"""Word fusion in ONNX programs, on padded batches: each character scores all words, masked.

With texts of at most a window, a matrix of characters by words is small, and simple to compute.
"""

from __future__ import annotations

import numpy as np

from fenjie.export.parts import CharacterInputs, Parts, WordInputs, array
from fenjie.lexicon.keys import LONGEST
from fenjie.nn.fusion.word_fusion import WordFusion
from fenjie.runtime.lattices import WINDOW

UNSEEN = np.array(-1e30, dtype=np.float32)
"""The score of a word that does not contain the character."""


def word_fusion(
    parts: Parts, fusion: WordFusion, characters: CharacterInputs, words: WordInputs, x: str, w: str
) -> str:
    """Write the layer.

    Args:
        parts: the program.
        fusion: the layer.
        characters: the characters of the program.
        words: its words.
        x: the vectors of the characters, `[batch, length, dim]`.
        w: those of the words, `[batch, words, dim]`.

    Returns:
        The mixture of the words of each character, `[batch, length, dim]`; 0 where there are none.
    """
    add, heads = parts.add, fusion.heads
    split = [0, 0, heads, -1]
    # [batch, length, words]: how far a character stands behind a word's first, before its last
    place = add("Slice", np.arange(WINDOW)[:, None], [0], characters.length, [0])
    behind = add("Sub", place, add("Unsqueeze", words.start, [1]))
    before = add("Sub", add("Unsqueeze", words.end, [1]), place)
    least = add("Min", behind, before)
    inside = add("And", add("GreaterOrEqual", least, [0]), add("Unsqueeze", words.mask, [1]))

    # [batch, heads, length, size] x [batch, heads, size, words]
    query = parts.times(x, array(fusion.query.weight))
    content = add("Add", query, array(fusion.content_bias).ravel())
    content = add("Transpose", add("Reshape", content, split), perm=[0, 2, 1, 3])
    key = parts.times(w, array(fusion.key.weight))
    key = add("Transpose", add("Reshape", key, split), perm=[0, 2, 3, 1])
    scores = add("MatMul", content, key)

    # [batch, heads, length, size] x [heads, size, distances], looked up for each pair
    position = add("Add", query, array(fusion.position_bias).ravel())
    position = add("Transpose", add("Reshape", position, split), perm=[0, 2, 1, 3])
    tables = array(fusion.position_keys(LONGEST)).reshape(2, LONGEST, heads, -1)
    some = np.zeros((heads, 1, 1), dtype=np.int64)
    for table, distance in zip(tables.transpose(0, 2, 3, 1), (behind, before), strict=True):
        known = add("Clip", distance, np.array(0), np.array(LONGEST - 1))
        # [batch, heads, length, words]
        index = add("Add", add("Unsqueeze", known, [1]), some)
        near = add("GatherElements", add("MatMul", position, table), index, axis=3)
        scores = add("Add", scores, near)

    scores = add("Where", add("Unsqueeze", inside, [1]), scores, UNSEEN)
    value = add("Reshape", parts.times(w, array(fusion.value.weight)), split)
    value = add("Transpose", value, perm=[0, 2, 1, 3])
    mixed = add("MatMul", add("Softmax", scores, axis=-1), value)
    mixed = add("Reshape", add("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, -1])
    found = add("ReduceMax", add("Cast", inside, to=1), [2], keepdims=1)
    return add("Mul", mixed, found)
