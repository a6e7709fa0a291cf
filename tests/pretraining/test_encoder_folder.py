"""The tokenizer of characters."""

from __future__ import annotations

import pytest

pytest.importorskip("tokenizers", reason="needs the extra `bert`")

from fenjie.lexicon.word_pieces import PieceTokenizer
from fenjie.pretraining.encoder_folder import character_tokenizer


def test_each_character_is_a_piece() -> None:
    pieces = PieceTokenizer(character_tokenizer(["中", "国", ",", "A", "k", "g"]), 32)
    found = pieces("中国，Ａ㎏a\0")
    assert found.pieces.tolist() == [2, 5, 6, 7, 8, 9, 10, 1, 1, 3]
    assert found.piece.tolist() == [[1, -1], [2, -1], [3, -1], [4, -1], [5, 6], [7, -1], [8, -1]]
    assert len(pieces) == 11
