"""BiLSTMs in ONNX programs, on padded batches; BiLSTM-CRF as one."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from torch import Tensor

from fenjie.export.parts import CharacterInputs, Parts, array
from fenjie.models.bilstm_crf import BilstmCrf
from fenjie.nn.encoders.bilstm import BiLstm, BiLstmLayer

ORDER = [1, 0, 2, 3]
"""Where ONNX's gates input, output, forget and candidate stand among ours."""


def bilstm_crf_program(model: BilstmCrf) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters = parts.characters(model.embedding)
    x = bilstm(parts, model.encoder, characters, characters.vectors)
    return parts.program(parts.linear(x, model.output), len(model.tags))


def bilstm(parts: Parts, module: BiLstm, characters: CharacterInputs, x: str) -> str:
    """`[batch, length, dim] -> [batch, length, 2 * hidden]`; see `BiLstm`."""
    add = parts.add
    lengths = add("Cast", characters.lengths, to=onnx.TensorProto.INT32)
    x = add("Transpose", x, perm=[1, 0, 2])
    for layer in module.layers:
        x = _layer(parts, cast(BiLstmLayer, layer), lengths, x)
    return add("Transpose", x, perm=[1, 0, 2])


def _layer(parts: Parts, layer: BiLstmLayer, lengths: str, x: str) -> str:
    """`[length, batch, dim] -> [length, batch, 2 * hidden]`."""
    add, size = parts.add, layer.hidden
    # [2, 4 * hidden, dim], [2, 4 * hidden, hidden] and, of x and of h, [2, 8 * hidden]
    weight = _reordered(layer.input.weight.view(2, 4, size, -1))
    state = _reordered(layer.state.view(2, size, 4, size).permute(0, 2, 3, 1))
    bias = _reordered(layer.input.bias.view(2, 4, size, 1))[..., 0]
    biases = np.concatenate((bias, np.zeros_like(bias)), axis=1)
    how = {"direction": "bidirectional", "hidden_size": size}
    # [length, 2, batch, hidden]
    made = add("LSTM", x, weight, state, biases, lengths, **how)
    return add("Reshape", add("Transpose", made, perm=[0, 2, 1, 3]), [0, 0, 2 * size])


def _reordered(gates: Tensor) -> NDArray[np.float32]:
    """`[2, 4, hidden, n] -> [2, 4 * hidden, n]`, in the order of ONNX."""
    return array(gates[:, ORDER].flatten(1, 2))
