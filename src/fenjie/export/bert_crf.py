"""BERT-CRF and BERT-BiLSTM-CRF as ONNX programs."""

from __future__ import annotations

from typing import Any

from fenjie.export.parts import Parts
from fenjie.export.recurrent import bilstm
from fenjie.models.bert_crf import BertCrf


def bert_crf_program(model: BertCrf) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters = parts.characters(model.embedding)
    x = characters.vectors
    if model.encoder is not None:
        x = bilstm(parts, model.encoder, characters, x)
    return parts.program(parts.linear(x, model.output), len(model.tags))
