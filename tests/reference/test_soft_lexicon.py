"""Sets of words and BiLSTMs give what their equations give, in float64, gradients included."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from fenjie.models.bilstm_crf import BilstmCrf, BilstmCrfConfig
from fenjie.models.soft_lexicon import SoftLexicon, SoftLexiconConfig
from fenjie.nn.encoders import bilstm as recurrent
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.fusion.soft_lexicon import WordSets
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, assert_same, gradients, sentences
from tests.reference.recurrent import Literal, bilstm
from tests.reference.soft_lexicon import pooled


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


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES.keys())
def test_word_sets(batch: tuple[tuple[list[int], list[int]], int]) -> None:
    given = counted(sentences(*batch[0]), batch[1])
    torch.manual_seed(0)
    module = WordSets(5).double()
    vectors = torch.randn(int(given.words.sum()), 5, dtype=torch.float64, requires_grad=True)
    found = module(vectors, given)
    expected, at = [], 0
    assert given.counts is not None
    for row, (length, many) in enumerate(
        zip(given.lengths.tolist(), given.words.tolist(), strict=True)
    ):
        columns = (given.start[row], given.end[row], given.counts[row])
        start, end, seen = (column[:many].tolist() for column in columns)
        words = list(zip(start, end, vectors[at : at + many], seen, strict=True))
        expected.append(pooled(length, words, module.none))
        at += many
    literal = torch.cat(expected)
    assert torch.allclose(found, literal, rtol=0, atol=1e-9)
    weight = torch.randn_like(literal)
    inputs = [vectors, module.none]
    one, other = (
        torch.autograd.grad((x * weight).sum(), inputs, allow_unused=True, retain_graph=True)
        for x in (found, literal)
    )
    for mine, theirs in zip(one, other, strict=True):
        zero = torch.zeros(())
        difference = (zero if mine is None else mine) - (zero if theirs is None else theirs)
        assert difference.abs().max() < 1e-9 if difference.numel() else True


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
    found = ours(x, lengths)
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
    found = module.packed(x, lengths)
    expected = torch.cat([bilstm(module, part) for part in x.split(lengths.tolist())])
    assert torch.allclose(found, expected, rtol=0, atol=1e-12)
    for one, other in zip(
        torch.autograd.grad(found.square().sum(), [x, *module.parameters()]),
        torch.autograd.grad(expected.square().sum(), [x, *module.parameters()]),
        strict=True,
    ):
        assert torch.allclose(one, other, rtol=0, atol=1e-10)


def test_counts_that_are_zero_still_count_once() -> None:
    given = counted(sentences([9], [6]))
    assert given.counts is not None
    module, vectors = WordSets(5), torch.randn(6, 5)
    ones = dataclasses.replace(given, counts=torch.ones_like(given.counts))
    none = dataclasses.replace(given, counts=torch.zeros_like(given.counts))
    assert torch.equal(module(vectors, none), module(vectors, ones))
