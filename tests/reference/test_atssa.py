"""ATSSA gives what its equations give, in float64, for each row of Table 4."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from fenjie.models.atssa import Atssa, AtssaConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.text.tags import TagSet
from tests.lattices import assert_same, gradients, moved, sentences
from tests.reference.atssa import atssa

SIZES = TaggerSizes((50, 0, 6), (70, 0, 4), (40, 0, 5), TagSet(("PER", "LOC")))
TABLE_4: dict[str, dict[str, Any]] = {
    "paper": {},
    "- selective attention": {"kind": "dense"},
    "- top-k": {"keep": 0},
    "- amplification": {"amplification": 1.0},
    "- dynamic threshold": {"dynamic": False},
}


@pytest.mark.parametrize("lexicon", [True, False])
@pytest.mark.parametrize("selection", TABLE_4.values(), ids=TABLE_4.keys())
def test_equations(selection: dict[str, Any], lexicon: bool) -> None:
    chosen = SelectionConfig(**{"kind": "threshold", **selection})
    config = AtssaConfig(dim=12, heads=3, hidden=10, selection=chosen, lexicon=lexicon)
    model = moved(Atssa(config, SIZES))
    given = sentences([8, 1, 11, 2], [6, 0, 9, 0])
    found = model(given).tags[given.mask]
    assert given.word is not None
    expected = []
    for row, (length, count) in enumerate(
        zip(given.lengths.tolist(), given.words.tolist(), strict=True)
    ):
        start, end = (edge[row, :count].tolist() for edge in (given.start, given.end))
        word = given.word[row, :count]
        expected.append(atssa(model, given.ids[row, :length], word, start, end))
    joined = torch.cat(expected)
    assert torch.allclose(found, joined, rtol=0, atol=1e-9)
    # Which keys are kept has no gradient in evaluation, in neither form.
    assert_same(gradients(model, found), gradients(model, joined))
