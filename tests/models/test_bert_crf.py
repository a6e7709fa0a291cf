"""BERT-CRF and BERT-BiLSTM-CRF: which of their weights learn."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch

from fenjie.models.bert_crf import BertCrf, BertCrfConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.encoders.hugging_face import open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.recipe.recipe import TrainingRecipe
from fenjie.text.tags import TagSet
from fenjie.training.optimizers import make_optimizer
from tests.encoders import TEXTS, lattice


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("lstm", [True, False])
def test_two_steps(folders: dict[str, Path], optimizer: str, frozen: bool, lstm: bool) -> None:
    encoder, tags = open_encoder(str(folders["electra"])), TagSet(["PER"])
    config = PretrainedConfig("x", frozen=frozen)
    sizes = TaggerSizes((5, 0, 4), None, (2, 0, 4), tags, Pretrained(encoder.model, config))
    model = BertCrf(BertCrfConfig(lstm=lstm, hidden=5, pretrained=config), sizes).train()
    settings = TrainingRecipe(optimizer=optimizer, pretrained_rate=0.25)  # type: ignore[arg-type]
    steps = make_optimizer(model, settings)
    assert [group["factor"] for group in steps.param_groups][-1] == (1.0 if frozen else 0.25)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    batch = lattice(encoder, TEXTS[:3])
    gold = torch.where(batch.mask, 0, -100)
    losses = []
    for _ in range(2):
        for group in steps.param_groups:
            group["lr"] = 0.02 * group["factor"]
        loss = model.loss(model(batch), gold)
        loss.backward()
        steps.step()
        steps.zero_grad()
        losses.append(loss.item())
    after = model.state_dict()
    moved = {n: (after[n] - before[n]).abs().max().item() for n in before if before[n].numel()}
    inner = [value for name, value in moved.items() if "pretrained.encoder" in name]
    assert moved["output.weight"] > 0
    assert (max(inner) > 0) is not frozen
    if optimizer == "adam" and not frozen:
        assert max(inner) < 0.6 * moved["output.weight"], "a rate of its own"
