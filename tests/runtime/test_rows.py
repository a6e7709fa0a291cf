"""Texts side by side in one row."""

from __future__ import annotations

import pytest

from fenjie.runtime.rows import Row, origins
from fenjie.text.normalise import Normaliser


def test_origins() -> None:
    normaliser = Normaliser(compatibility=True)
    texts = [normaliser(text) for text in ("a㎏b", "e\u0301x", "")]
    # akgb\néx\n
    assert origins(texts).tolist() == [0, 1, 1, 2, 3, 4, 6, 7]
    plain = [normaliser(text) for text in ("ab", "c")]
    assert origins(plain).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("texts", "plain"),
    [(["商品３"], True), (["商 品"], False), (["㎏"], False), (["商", "品"], False), ([""], True)],
)
def test_a_row_is_plain_where_the_model_sees_all_as_it_stands(
    texts: list[str], plain: bool
) -> None:
    row = Row(texts, Normaliser(compatibility=True))
    assert row.is_plain == plain
    if plain:
        assert row.place.tolist() == list(range(len(row.text)))
