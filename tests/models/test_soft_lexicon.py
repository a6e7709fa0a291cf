"""BiLSTM-CRF and SoftLexicon give what their equations give, in float64."""

from __future__ import annotations

import pytest
import torch

from fenjie.models.bilstm_crf import BilstmCrf, BilstmCrfConfig
from fenjie.models.soft_lexicon import SoftLexicon, SoftLexiconConfig
from tests.lattices import BATCHES, SIZES, assert_equations, counted, moved, sentences
from tests.reference.recurrent import Literal


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["bilstm_crf", "soft_lexicon"])
def test_models(kind: str, layers: int) -> None:
    torch.manual_seed(3)
    if kind == "bilstm_crf":
        model = BilstmCrf(BilstmCrfConfig(hidden=6, layers=layers), SIZES)
    else:
        model = SoftLexicon(SoftLexiconConfig(hidden=6, layers=layers), SIZES)
    moved(model, seed=None)
    for batch, singles in BATCHES.values():
        given = counted(sentences(*batch), singles)
        assert_equations(model, given, Literal(model)(given)[given.mask])
