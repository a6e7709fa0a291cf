"""The CRF of training beside its definition."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fenjie.nn.decoders.crf import Crf, recur
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.runtime.decoding import crf as runtime
from fenjie.text.tags import TagSet
from tests.reference import crf as literal

TAGS = TagSet(["A"])
LENGTHS = torch.tensor([4, 1, 3, 2])
KINDS = [(True, True), (False, False), (True, False)]


def make(constrained: bool = True, boundary: bool = True) -> tuple[Crf, Tensor, Tensor]:
    """A random CRF, scores `[4, 4, tags]` and legal gold tags; in float64."""
    torch.manual_seed(0)
    crf = Crf(TAGS, constrained=constrained, boundary=boundary).double()
    with torch.no_grad():
        crf.transition.normal_()
        if boundary:
            crf.begin.normal_()
            crf.end.normal_()
    scores = 2 * torch.randn(4, 4, len(TAGS), dtype=torch.float64)
    gold = torch.full((4, 4), IGNORED)
    for row, length in enumerate(LENGTHS.tolist()):
        table = crf.table().numpy()
        every = literal.paths(scores[row, :length].numpy(), table)
        gold[row, :length] = torch.tensor(every[len(every) // 2][1])
    return crf, scores, gold


def rows(scores: Tensor) -> list[np.ndarray]:
    return [row[:length].numpy() for row, length in zip(scores, LENGTHS.tolist(), strict=True)]


@pytest.mark.parametrize(("constrained", "boundary"), KINDS)
def test_it_is_what_the_definition_says(constrained: bool, boundary: bool) -> None:
    crf, scores, gold = make(constrained, boundary)
    table = crf.table().numpy()
    expected = np.mean(
        [
            literal.log_z(row, table) - literal.score(row, table, tuple(path[: len(row)].tolist()))
            for row, path in zip(rows(scores), gold, strict=True)
        ]
    )
    np.testing.assert_allclose(crf.loss(scores, gold, LENGTHS).item(), expected, rtol=1e-12)


@pytest.mark.parametrize(("constrained", "boundary"), KINDS)
def test_gradient(constrained: bool, boundary: bool) -> None:
    crf, scores, gold = make(constrained, boundary)
    scores.requires_grad_()
    parameters = [each for each in crf.parameters() if each.requires_grad]
    assert len(parameters) == (3 if boundary else 1)
    assert torch.autograd.gradcheck(
        lambda scores, *_: crf.loss(scores, gold, LENGTHS), (scores, *parameters)
    )
    crf.loss(scores, gold, LENGTHS).backward()
    assert crf.transition.grad is not None
    if constrained:
        assert (crf.transition.grad[torch.from_numpy(~TAGS.allowed)] == 0).all()


def partly_known(crf: Crf, scores: Tensor, gold: Tensor) -> Tensor:
    """Allowed tags: the gold one, and at every second character others too: `[4, 4, tags]`."""
    allowed = torch.nn.functional.one_hot(gold.clamp(min=0), scores.shape[2]).bool()
    numbers = torch.Generator().manual_seed(1)
    allowed[:, ::2] |= torch.rand(allowed[:, ::2].shape, generator=numbers) < 0.5
    return allowed


@pytest.mark.parametrize(("constrained", "boundary"), KINDS)
def test_partly_known_tags_are_summed_over(constrained: bool, boundary: bool) -> None:
    crf, scores, gold = make(constrained, boundary)
    allowed, table = partly_known(crf, scores, gold), crf.table().numpy()
    chances = [
        literal.probability(
            row,
            table,
            lambda path, may=may: all(may[at, tag] for at, tag in enumerate(path)),  # type: ignore[misc]
        )
        for row, may in zip(rows(scores), allowed.numpy(), strict=True)
    ]
    loss = crf.partial_loss(scores, allowed, LENGTHS)
    np.testing.assert_allclose(loss.item(), -np.mean(np.log(chances)), rtol=1e-10)
    scores.requires_grad_()
    parameters = [each for each in crf.parameters() if each.requires_grad]
    assert torch.autograd.gradcheck(
        lambda scores, *_: crf.partial_loss(scores, allowed, LENGTHS), (scores, *parameters)
    )


def test_partly_known_tags_of_which_all_are_known() -> None:
    crf, scores, gold = make()
    known = torch.nn.functional.one_hot(gold.clamp(min=0), scores.shape[2]).bool()
    known[gold == IGNORED] = False
    scores.requires_grad_()
    losses = [crf.partial_loss(scores, known, LENGTHS), crf.loss(scores, gold, LENGTHS)]
    gradients = [torch.autograd.grad(loss, scores)[0] for loss in losses]
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*gradients)


def test_nothing_known_is_no_loss() -> None:
    crf, scores, _ = make()
    everything = torch.ones(scores.shape, dtype=torch.bool)
    assert crf.partial_loss(scores, everything, LENGTHS).item() == pytest.approx(0, abs=1e-12)


def test_padding_and_neighbours_change_nothing() -> None:
    crf, scores, gold = make()
    wide = torch.full((4, 9, scores.shape[2]), torch.nan, dtype=torch.float64)
    for row, length in enumerate(LENGTHS.tolist()):
        wide[row, :length] = scores[row, :length]
    wide.requires_grad_()
    padded = torch.nn.functional.pad(gold, (0, 5), value=IGNORED)
    crf.loss(wide, padded, LENGTHS).backward()
    assert wide.grad is not None
    losses = []
    for row, length in enumerate(LENGTHS.tolist()):
        alone = scores[row : row + 1, :length].clone().requires_grad_()
        only = LENGTHS[row : row + 1]
        losses.append(crf.loss(alone, gold[row : row + 1, :length], only))
        losses[-1].backward()
        assert alone.grad is not None
        torch.testing.assert_close(wide.grad[row, :length], alone.grad[0] / 4)
        assert (wide.grad[row, length:] == 0).all()
    torch.testing.assert_close(crf.loss(wide, padded, LENGTHS), torch.stack(losses).mean())


def test_empty_sentences() -> None:
    crf, scores, gold = make()
    none = torch.zeros(4, dtype=torch.long)
    assert crf.loss(scores, gold, none) == 0
    assert crf.loss(scores[:, :0], gold[:, :0], none) == 0


@pytest.mark.slow
def test_a_hundred_thousand_characters() -> None:
    """Loss and gradient in float32 are those of float64, however long the row."""
    length = 100_000
    numbers = torch.Generator().manual_seed(0)
    crf = Crf(TAGS)
    with torch.no_grad():
        crf.transition.normal_(generator=numbers)
    scores = (3 * torch.randn(1, length, 5, generator=numbers)).requires_grad_()
    gold, lengths = torch.zeros(1, length, dtype=torch.long), torch.tensor([length])
    loss = crf.loss(scores, gold, lengths)
    table, row = crf.table().double().numpy(), scores[0].detach().double().numpy()
    path = row[:, 0].sum() + table[0, 0] * (length - 1)
    expected = literal.log_z_by_recursion(row, table) - path
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(expected, rel=1e-7)
    loss.backward()
    assert scores.grad is not None
    exact = Crf(TAGS).double()
    exact.load_state_dict(crf.state_dict())
    wide = scores.detach().double().requires_grad_()
    exact.loss(wide, gold, lengths).backward()
    assert wide.grad is not None
    torch.testing.assert_close(scores.grad.double(), wide.grad, rtol=0, atol=1e-6)
    # Each character's probabilities sum to 1, the last one's as the first one's.
    assert wide.grad.sum(-1).abs().max() < 1e-9


def far_apart() -> tuple[Crf, Tensor, Tensor, Tensor]:
    """One tag of each character has 100, which seldom fits its neighbours; the others have -100.

    The sentences have 40, 1 and 17 characters; the gold tags are O.
    """
    crf = Crf(TagSet(list("ABCDEFG")))
    high = torch.randint(29, (3, 40, 1), generator=torch.Generator().manual_seed(0))
    scores = torch.full((3, 40, 29), -100.0).scatter(2, high, 100.0)
    return crf, scores.requires_grad_(), torch.zeros(3, 40).long(), torch.tensor([40, 1, 17])


def test_scores_far_apart() -> None:
    crf, scores, gold, lengths = far_apart()
    loss = crf.loss(scores, gold, lengths)
    table = crf.table().double().numpy()
    known = [
        row[:length].double().detach().numpy()
        for row, length in zip(scores, lengths.tolist(), strict=True)
    ]
    expected = np.mean([literal.log_z_by_recursion(row, table) - row[:, 0].sum() for row in known])
    assert loss.item() == pytest.approx(expected, rel=1e-6)
    loss.backward()
    assert scores.grad is not None
    # Each sentence's gradient is that of the recursion on logarithms, by autograd.
    pairs = torch.from_numpy(table)
    for number, row in enumerate(known):
        leaf = torch.from_numpy(row).requires_grad_()
        weights = pairs[-2] + leaf[0]
        for each in leaf[1:]:
            weights = torch.logsumexp(weights[:, None] + pairs[:-2], dim=0) + each
        (torch.logsumexp(weights + pairs[-1], dim=0) - leaf[:, 0].sum()).backward()
        assert leaf.grad is not None
        torch.testing.assert_close(
            scores.grad[number, : len(row)], leaf.grad.float() / 3, rtol=1e-5, atol=1e-7
        )


def test_scores_out_of_reach_give_finite_gradients() -> None:
    crf, scores, gold, lengths = far_apart()
    loss = crf.loss(scores * 1e4, gold, lengths)
    loss.backward()
    assert loss.isfinite()
    assert loss > 0
    assert scores.grad is not None
    for each in (scores, *crf.parameters()):
        assert each.grad is not None
        assert each.grad.isfinite().all()


def test_forbidden_gold_has_an_infinite_loss_and_finite_gradients() -> None:
    crf, scores, gold, lengths = far_apart()
    gold[0, 3] = 2
    loss = crf.loss(scores, gold, lengths)
    loss.backward()
    assert loss == torch.inf
    for each in (scores, *crf.parameters()):
        assert each.grad is not None
        assert each.grad.isfinite().all()


def test_autocast_and_half_precision() -> None:
    crf, scores, gold, lengths = far_apart()
    small = (scores.detach() / 32).bfloat16().requires_grad_()
    exact = small.detach().float().requires_grad_()
    expected = crf.loss(exact, gold, lengths)
    expected.backward()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = crf.loss(small, gold, lengths)
    loss.backward()
    assert loss.dtype == torch.float32
    assert loss == expected
    assert small.grad is not None
    assert exact.grad is not None
    torch.testing.assert_close(small.grad, exact.grad.bfloat16())


def test_torch_and_numpy_do_the_same() -> None:
    torch.manual_seed(0)
    ways, emission = torch.rand(2, 5, 5).double(), torch.rand(7, 2, 3, 5).double()
    by_torch, by_numpy = recur(torch, ways, emission), recur(np, ways, emission)
    torch.testing.assert_close(by_torch[0][1:], by_numpy[0][1:])
    torch.testing.assert_close(by_torch[1:], by_numpy[1:])


def test_the_graph_is_freed_without_the_collector() -> None:
    crf, scores, gold, lengths = far_apart()
    gc.disable()
    try:
        loss = crf.loss(scores, gold, lengths)
        node = weakref.ref(next(iter(find(loss.grad_fn, "_LogPartition"))).chain)
        assert node() is not None
        loss.backward()
        del loss
        assert node() is None
    finally:
        gc.enable()


def find(node: Any, name: str) -> Iterator[Any]:
    """The nodes of a graph whose name begins so."""
    if type(node).__name__.startswith(name):
        yield node
    for below, _ in node.next_functions if node is not None else ():
        yield from find(below, name)


def test_the_table_is_what_the_runtime_decodes_with() -> None:
    crf, scores, _ = make()
    table = crf.table()
    assert table.shape == (7, 5)
    assert not table.requires_grad
    allowed = np.vstack((TAGS.allowed, TAGS.begins, TAGS.ends))
    assert (table.isfinite().numpy() == allowed).all()
    best = runtime.viterbi(scores.numpy(), LENGTHS.numpy(), table.numpy())
    for row, path in zip(rows(scores), best, strict=True):
        assert tuple(path[: len(row)].tolist()) == literal.paths(row, table.numpy())[0][1]
