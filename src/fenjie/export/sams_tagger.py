"""The tagger of SAMS's encoders as an ONNX program: these are traced, all else is written out."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn

from fenjie.export.characters import joined
from fenjie.export.graph import OPSET
from fenjie.export.parts import Parts
from fenjie.export.tracing import trace
from fenjie.models.sams_tagger import SamsTagger
from fenjie.nn.unrolled import unroll


def sams_tagger_program(model: SamsTagger) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters, x = joined(parts, model)
    inputs = {"x": x, "mask": characters.mask}
    scores = parts.graph.inline(_traced(model), inputs, "encoders.")
    return parts.program(scores, len(model.tags))


class _Scores(nn.Module):
    """A model behind its vectors, between plain tensors."""

    def __init__(self, model: SamsTagger) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        scores: Tensor = self.model.output(self.model.encode_fused(x, mask).x)
        return scores


def _traced(model: SamsTagger) -> Any:
    """The program from `x` and `mask` to the scores of the tags, batch and length free."""
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    x, mask = torch.zeros(3, 7, model.config.dim), torch.ones(3, 7, dtype=torch.bool)
    mask[1, 4:] = mask[2, 5:] = False
    shapes = {"x": free, "mask": free}
    scores = _Scores(cast(SamsTagger, unroll(model))).eval()
    return trace(scores, (x, mask), list(shapes), "scores", shapes, OPSET)
