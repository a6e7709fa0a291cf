"""BERT-CRF as an ONNX program."""

from __future__ import annotations

from typing import Any

from fenjie.export.parts import Parts
from fenjie.models.bert_crf import BertCrf


def bert_crf_program(model: BertCrf) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    x = parts.characters(model.embedding).vectors
    return parts.program(parts.linear(x, model.output), len(model.tags))
