"""BiLSTM-CRF and SoftLexicon give what their equations give, in float64."""

from __future__ import annotations

import pytest
import torch

from fenjie.models.bilstm_crf import BilstmCrf, BilstmCrfConfig
from fenjie.models.soft_lexicon import SoftLexicon, SoftLexiconConfig
from tests.lattices import BATCHES, SIZES, assert_same, counted, gradients, sentences
from tests.reference.recurrent import Literal


def moved(model: torch.nn.Module) -> torch.nn.Module:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model.double().eval()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["bilstm_crf", "soft_lexicon"])
def test_models(kind: str, layers: int) -> None:
    torch.manual_seed(3)
    if kind == "bilstm_crf":
        model = BilstmCrf(BilstmCrfConfig(hidden=6, layers=layers), SIZES)
    else:
        model = SoftLexicon(SoftLexiconConfig(hidden=6, layers=layers), SIZES)
    moved(model)
    for batch, singles in BATCHES.values():
        given = counted(sentences(*batch), singles)
        scores, literal = model(given).tags, Literal(model)(given)
        assert torch.allclose(scores, literal, rtol=0, atol=1e-9)
        found, expected = (gradients(model, s[given.mask]) for s in (scores, literal))
        assert_same(found, expected, 1e-8)
