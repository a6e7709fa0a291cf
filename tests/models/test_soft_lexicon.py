"""BiLSTM-CRF and SoftLexicon give what their equations give, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fenjie.models.bilstm_crf import BilstmCrf, BilstmCrfConfig
from fenjie.models.soft_lexicon import SoftLexicon, SoftLexiconConfig
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, assert_same, gradients, sentences
from tests.reference.recurrent import Literal


def counted(given: Lattice, singles: int = 0, seed: int = 0) -> Lattice:
    """The same lattice with counts, and with some words of one character."""
    random = np.random.default_rng(seed)
    start, end, word, counts = [], [], [], []
    for row, length in enumerate(given.lengths.tolist()):
        many = int(given.words[row])
        alone = random.permutation(length)[:singles]
        start.append(np.concatenate((given.start[row, :many].numpy(), alone)))
        end.append(np.concatenate((given.end[row, :many].numpy(), alone)))
        word.append(random.integers(1, 40, len(start[-1])))
        counts.append(random.integers(1, 900, len(start[-1])).astype(np.float32))
    ids = [row[:length].numpy() for row, length in zip(given.ids, given.lengths, strict=True)]
    return Lattice.of(ids, start, end, word=word, counts=counts)


BATCHES = {
    "ragged": (([9, 23, 1, 14], [6, 30, 0, 12]), 5),
    "no words": (([9, 3], [0, 0]), 0),
    "single characters alone": (([4, 1], [0, 0]), 9),
}


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
