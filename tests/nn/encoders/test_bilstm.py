"""The BiLSTM over rows of several lengths is that of torch."""

from __future__ import annotations

import pytest
import torch

from fenjie.nn.encoders import bilstm as recurrent
from fenjie.nn.encoders.bilstm import BiLstm
from tests.reference.recurrent import bilstm


def test_bilstm_is_that_of_torch() -> None:
    torch.manual_seed(0)
    ours = BiLstm(5, 6, layers=2).double()
    theirs = torch.nn.LSTM(5, 6, 2, batch_first=True, bidirectional=True).double()
    order = [1, 2, 3, 0]  # ours output, input, forget, candidate; theirs input, forget, …, output
    with torch.no_grad():
        for number, layer in enumerate(ours.layers):
            for direction, suffix in enumerate((f"l{number}", f"l{number}_reverse")):
                weight = layer.input.weight.view(2, 4, 6, -1)[direction, order].reshape(24, -1)
                bias = layer.input.bias.view(2, 4, 6)[direction, order].reshape(24)
                state = layer.state[direction].view(6, 4, 6)[:, order].permute(1, 2, 0)
                theirs.get_parameter(f"weight_ih_{suffix}").copy_(weight)
                theirs.get_parameter(f"bias_ih_{suffix}").copy_(bias)
                theirs.get_parameter(f"bias_hh_{suffix}").zero_()
                theirs.get_parameter(f"weight_hh_{suffix}").copy_(state.reshape(24, 6))
    lengths = torch.tensor([4, 9, 1, 9])
    x = torch.randn(4, 9, 5, dtype=torch.float64, requires_grad=True)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, True, enforce_sorted=False)
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    real = torch.arange(9) < lengths[:, None]
    found, expected = ours(x[real], lengths), expected[real]
    assert torch.allclose(found, expected, rtol=0, atol=1e-12)
    weight = torch.randn_like(found)
    one, other = (torch.autograd.grad((y * weight).sum(), x)[0] for y in (found, expected))
    assert torch.allclose(one, other, rtol=0, atol=1e-12)


def test_loops_in_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Away from the CPU, torch computes what numpy computes on it."""
    monkeypatch.setattr(recurrent, "arrays", lambda *tensors: (torch, list(tensors)))
    torch.manual_seed(0)
    module = BiLstm(5, 6).double()
    lengths = torch.tensor([4, 9, 1])
    x = torch.randn(14, 5, dtype=torch.float64, requires_grad=True)
    found = module(x, lengths)
    expected = torch.cat([bilstm(module, part) for part in x.split(lengths.tolist())])
    assert torch.allclose(found, expected, rtol=0, atol=1e-12)
    for one, other in zip(
        torch.autograd.grad(found.square().sum(), [x, *module.parameters()]),
        torch.autograd.grad(expected.square().sum(), [x, *module.parameters()]),
        strict=True,
    ):
        assert torch.allclose(one, other, rtol=0, atol=1e-10)
