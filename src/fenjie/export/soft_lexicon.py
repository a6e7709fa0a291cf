"""SoftLexicon as an ONNX program on padded batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenjie.export.parts import CharacterInputs, Parts, WordInputs, array, scalar
from fenjie.export.recurrent import bilstm
from fenjie.export.relative import RelativeWriter
from fenjie.models.soft_lexicon import SoftLexicon
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.fusion.soft_lexicon import SETS, WordSets


def soft_lexicon_program(model: SoftLexicon) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters = parts.characters(model.embedding)
    words = parts.words(model.embedding, counts=True)
    pooled = word_sets(parts, model.sets, characters, words)
    x = parts.add("Concat", characters.vectors, pooled, axis=2)
    if isinstance(model.encoder, BiLstm):
        x = bilstm(parts, model.encoder, characters, x)
    else:
        x = RelativeWriter(parts, characters).encoder(model.encoder, parts.linear(x, model.project))
    return parts.program(parts.linear(x, model.output), len(model.tags))


def word_sets(parts: Parts, sets: WordSets, characters: CharacterInputs, words: WordInputs) -> str:
    """The vectors of the sets of words of each character, `[batch, length, 4 * word_dim]`."""
    add = parts.add
    place = add("Range", scalar(0), add("Squeeze", characters.length), scalar(1))
    place = add("Unsqueeze", place, [0, 2])
    start, end = add("Unsqueeze", words.start, [1]), add("Unsqueeze", words.end, [1])
    # [batch, length, words]
    begins, ends = add("Equal", start, place), add("Equal", end, place)
    before, behind = add("Less", start, place), add("Greater", end, place)
    pairs = ((begins, behind), (before, behind), (before, ends), (begins, ends))
    # [batch, 4, length, words]: B, M, E, S
    inside = add("Concat", *(add("Unsqueeze", add("And", *p), [1]) for p in pairs), axis=1)
    inside = add("And", inside, add("Unsqueeze", words.mask, [1, 2]))
    assert words.counts is not None
    counts = add("Max", words.counts, np.ones(1, np.float32))
    zero, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    seen = add("Where", inside, add("Unsqueeze", counts, [1, 2]), zero)
    total = add("ReduceSum", seen, [3], keepdims=1)
    empty = add("Where", add("Equal", total, zero), one, zero)
    whole = add("ReduceSum", add("Add", total, empty), [1], keepdims=1)
    factor = add("Div", np.full(1, SETS, np.float32), whole)
    # [batch, 4, length, words] x [batch, 1, words, dim]
    sums = add("MatMul", seen, add("Unsqueeze", words.vectors, [1]))
    sums = add("Add", sums, add("Mul", empty, array(sets.none)))
    pooled = add("Transpose", add("Mul", sums, factor), perm=[0, 2, 1, 3])
    return add("Reshape", pooled, [0, 0, SETS * len(sets.none)])
