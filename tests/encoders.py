"""Texts for the tiny encoders, and lattices in their word pieces."""

from __future__ import annotations

import numpy as np

from fenjie.lexicon.word_pieces import WordPieceBatch
from fenjie.nn.encoders.hugging_face import Encoder
from fenjie.nn.lattice import Lattice
from tests.tiny_encoder import CHARACTERS

TEXTS = ["北京大学abcab", "鬱", "12天气\x00", "😀我们cafe", CHARACTERS * 2]


def lattice(encoder: Encoder, texts: list[str]) -> Lattice:
    none = [np.empty(0, dtype=np.int64)] * len(texts)
    return Lattice.of(
        [np.full((len(text), 1), 1) for text in texts],
        none,
        none,
        word=none,
        word_pieces=WordPieceBatch.of([encoder.pieces(text) for text in texts]),
    )
