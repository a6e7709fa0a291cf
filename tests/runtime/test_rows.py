"""Texts side by side in one row."""

from __future__ import annotations

from fenjie.runtime.rows import origins
from fenjie.text.normalise import Normaliser


def test_origins() -> None:
    normaliser = Normaliser(compatibility=True)
    texts = [normaliser(text) for text in ("a㎏b", "e\u0301x", "")]
    # akgb\néx\n
    assert origins(texts).tolist() == [0, 1, 1, 2, 3, 4, 6, 7]
    plain = [normaliser(text) for text in ("ab", "c")]
    assert origins(plain).tolist() == [0, 1, 2, 3]
