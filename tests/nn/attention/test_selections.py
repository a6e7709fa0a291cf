"""Selections of attention keys: what holds for all of them, and in the models that have them."""

from __future__ import annotations

import dataclasses
import io
import sys

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.models.flat import Flat, FlatConfig
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn import lattice
from fenjie.nn.attention import span_pattern, thresholds
from fenjie.nn.attention.selection import SelectionConfig, kept_share, observing, shares
from fenjie.nn.attention.selections import is_dense, make_selection
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED
from tests.lattices import SENTENCES, SIZES, collated, descend, parts

HEADS, DIM = 3, 8
THRESHOLD = SelectionConfig("threshold")
KINDS = [
    SelectionConfig(),
    SelectionConfig("top-k"),
    SelectionConfig("sparsemax"),
    SelectionConfig("entmax"),
    THRESHOLD,
    SelectionConfig("threshold", keep=0),
    SelectionConfig("threshold", dynamic=False),
]
SELECTING = KINDS[1:]


def scores_of(*shape: int) -> Tensor:
    """Scores with some hidden keys; each query sees one at least."""
    torch.manual_seed(0)
    scores = torch.randn(*shape) * 3
    hidden = torch.rand(shape) < 0.3
    hidden[..., 0] = False
    return scores.masked_fill(hidden, -torch.inf)


def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the noise out of training."""
    monkeypatch.setattr(thresholds, "logistic", torch.zeros_like)


@pytest.mark.parametrize("config", KINDS, ids=str)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_rows_sum_to_one(config: SelectionConfig, soft: bool, training: bool) -> None:
    selection = make_selection(dataclasses.replace(config, soft=soft), DIM, HEADS)
    selection.train(training)
    scores = scores_of(2, HEADS, 7, 11)
    x = torch.randn(2, 7, DIM)
    asked = selection.thresholds(x, x.mean(1, keepdim=True))
    weights, penalty = selection(scores, asked, torch.full((2, 7), 0.1))
    assert (penalty > 0) == (training and config.kind == "threshold")
    assert torch.allclose(weights.sum(-1), torch.ones(2, HEADS, 7))
    assert (weights >= 0).all()
    assert (weights[scores == -torch.inf] == 0).all()
    best = weights.gather(-1, scores.argmax(-1, keepdim=True))
    assert training or (best >= weights).all()


@pytest.mark.parametrize("config", SELECTING, ids=str)
def test_evaluation_is_deterministic(config: SelectionConfig) -> None:
    selection, scores = make_selection(config, DIM, HEADS).eval(), scores_of(2, HEADS, 7, 11)
    asked = torch.randn(2, HEADS, 7)
    first, penalty = selection(scores, asked)
    assert torch.equal(first, selection(scores, asked).weights)
    assert penalty == 0


def test_what_keeps_all_is_dense() -> None:
    scores = scores_of(2, HEADS, 7, 11)
    dense, _ = make_selection(SelectionConfig(), DIM, HEADS)(scores)
    low = torch.full((2, HEADS, 7), -torch.inf)
    selection = make_selection(THRESHOLD, DIM, HEADS)
    for training, asked in ((False, low), (True, torch.full_like(low, -1e6))):
        weights, _ = selection.train(training)(scores, asked, torch.ones(2, 7))
        assert torch.allclose(weights, dense, rtol=0, atol=1e-6)
    for config in (SelectionConfig("top-k", keep=11), SelectionConfig("threshold", keep=40)):
        weights, _ = make_selection(config, DIM, HEADS).eval()(scores, -low)
        assert torch.allclose(weights, dense, rtol=0, atol=1e-6)


def test_ties_and_the_floor() -> None:
    scores = torch.tensor([[[3.0, 1.0, 2.0, 2.0, -torch.inf]]])
    high = torch.full((1, 1), 100.0)
    kept = {}
    for keep in (0, 1, 2, 4, 9):
        selection = make_selection(SelectionConfig("threshold", keep=keep), DIM, 1).eval()
        kept[keep] = (selection(scores, high).weights > 0).flatten().tolist()
    assert kept[0] == kept[1] == [True, False, False, False, False]
    assert kept[2] == [True, False, True, True, False]  # two tie
    assert kept[4] == kept[9] == [True, True, True, True, False]
    weights, _ = make_selection(SelectionConfig("top-k", keep=2), DIM, 1)(scores)
    assert (weights > 0).flatten().tolist() == kept[2]


def test_keys_are_kept_at_their_rate() -> None:
    """Eq. 10: the share of draws that keep a key is b of eq. 9."""
    config = SelectionConfig("threshold", keep=0, amplification=1.5)
    selection = make_selection(config, DIM, 1)
    torch.manual_seed(0)
    # The first key is kept in nearly every draw: no draw keeps nothing.
    scores = torch.tensor([9.0, -2.0, -1.0, -0.3, 0.0, 0.4, 1.0, 2.5])
    draws = 20_000
    weights, penalty = selection(scores.expand(1, draws, -1), torch.zeros(1, draws), torch.ones(()))
    rate = torch.sigmoid(1.5 * scores)
    error = (rate * (1 - rate) / draws).sqrt()
    found = (weights > 0).float().mean((0, 1))
    assert ((found - rate).abs() < 4 * error + 1e-4).all()
    z = penalty.item() / config.sparsity
    assert abs(z / draws - rate.sum()) < 0.05


def test_one_logistic_is_two_gumbels() -> None:
    torch.manual_seed(0)
    noise = thresholds.logistic(torch.empty(200_000))
    gumbel = -torch.log(-torch.log(torch.rand(2, 200_000, dtype=torch.float64)))
    levels = torch.tensor([-4.0, -2, -1, 0, 1, 2, 4])
    for some in (noise, gumbel[1] - gumbel[0]):
        found = (some[:, None] < levels).float().mean(0)
        assert (found - torch.sigmoid(levels)).abs().max() < 0.005


@pytest.mark.parametrize("keep", [0, 2])
def test_gradients_by_finite_differences(keep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    fixed = torch.randn(2, HEADS, 4, 5, dtype=torch.float64)
    monkeypatch.setattr(thresholds, "logistic", lambda _: fixed)
    config = SelectionConfig("threshold", keep=keep, amplification=2, soft=True)
    selection = make_selection(config, DIM, HEADS).double()
    scores = torch.randn(2, HEADS, 4, 5, dtype=torch.float64, requires_grad=True)
    asked = torch.randn(2, HEADS, 4, dtype=torch.float64, requires_grad=True)

    def run(scores: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        weights, penalty = selection(scores, asked, torch.ones(2, 4, dtype=torch.float64))
        return weights, penalty / config.sparsity

    assert torch.autograd.gradcheck(run, (scores, asked))


@pytest.mark.parametrize("soft", [False, True])
def test_steep_steps_in_float32(soft: bool) -> None:
    """Scores far apart, thresholds out of reach, everything hidden but one key."""
    torch.manual_seed(0)
    scores = torch.randn(2, HEADS, 5, 9) * 200
    scores[0, :, 1, 1:] = -torch.inf
    scores.requires_grad_()
    asked = (torch.randn(2, HEADS, 5) * 1e4).requires_grad_()
    for keep in (0, 3):
        config = SelectionConfig("threshold", keep=keep, soft=soft)
        weights, _ = make_selection(config, DIM, HEADS)(scores, asked, torch.ones(2, 5))
        assert torch.allclose(weights.sum(-1), torch.ones(2, HEADS, 5))
        (weights * torch.randn_like(weights)).sum().backward()
        assert scores.grad.isfinite().all() and asked.grad.isfinite().all()


def test_the_package_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "entmax", None)
    with pytest.raises(FenjieError, match="needs the package entmax"):
        make_selection(SelectionConfig("sparsemax"), DIM, HEADS)


def test_top_k_keeps_at_least_one() -> None:
    with pytest.raises(FenjieError, match="keep must be at least 1"):
        SelectionConfig("top-k", keep=0)


def flat(config: SelectionConfig, **settings: object) -> Flat:
    torch.manual_seed(3)
    made = Flat(FlatConfig(dim=16, heads=2, hidden=24, selection=config, **settings), SIZES)
    return made.double().eval()


@pytest.mark.parametrize("config", SELECTING, ids=str)
@pytest.mark.parametrize("settings", [{}, {"layers": 2, "self_matched": False, "reach": 3}])
def test_flat_in_a_batch(config: SelectionConfig, settings: dict[str, object]) -> None:
    model = flat(config, **settings)
    together = model(collated(*SENTENCES)).tags
    for row, one in zip(together, SENTENCES, strict=True):
        alone = model(collated(one)).tags[0]
        assert torch.allclose(row[: len(alone)], alone, rtol=0, atol=1e-9)
        assert (row[len(alone) :] == 0).all()


@pytest.mark.parametrize("config", SELECTING, ids=str)
def test_flat_in_small_blocks(config: SelectionConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch)
    model, given = flat(config, layers=2, embedding_dropout=0.0, word_dropout=0.0), SENTENCES
    model.layers.train()
    for layer in model.layers:
        layer.wide_dropout.eval()
        layer.narrow_dropout.eval()
    costs, found = [], []
    for size in (48, 4):
        monkeypatch.setattr(span_pattern, "BLOCK", size)
        for module in (span_pattern, lattice):
            monkeypatch.setattr(module, "TILE", 2 * size)
        scores = model(collated(*given))
        found.append(scores.tags)
        costs.append(float(scores.penalty.detach() if isinstance(scores.penalty, Tensor) else 0))
    assert torch.allclose(*found, rtol=0, atol=1e-9)
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)
    assert (costs[0] > 0) == (config.kind == "threshold")


def test_dense_flat_has_no_more_weights_and_can_be_observed() -> None:
    model, given = flat(SelectionConfig(), layers=2), collated(*SENTENCES)
    assert not any("selection" in name for name in model.state_dict())
    fast = model(given).tags
    with observing(model) as found:
        slow = model(given).tags
    assert torch.allclose(fast, slow, rtol=0, atol=1e-9)
    assert all(is_dense(layer.attention.selection) for layer in model.layers)
    assert len(found) == 2
    for calls in found.values():
        assert all(call.weights.shape == call.seen.shape for call in calls)
        assert torch.allclose(kept_share(calls).double(), torch.ones(2, dtype=torch.float64))


def test_the_share_of_keys_that_is_kept() -> None:
    model = flat(SelectionConfig("top-k", keep=3))
    with observing(model) as found:
        model(collated(parts(10, 5, 0)))
    (calls,) = found.values()
    assert torch.allclose(kept_share(calls), torch.full((2,), 3 / 15))


def test_the_penalty_joins_the_loss() -> None:
    model, given = flat(SelectionConfig("threshold", sparsity=0.5)), collated(*SENTENCES)
    gold = torch.zeros(given.mask.shape, dtype=torch.int64).masked_fill(~given.mask, IGNORED)
    assert model(given).penalty == 0  # not in evaluation
    scores = model.train()(given)
    with_penalty = model.loss(scores, gold)
    without = model.crf.loss(scores.tags, gold, given.lengths)
    assert (with_penalty - without).item() == pytest.approx(scores.penalty.item() / 4)
    with torch.no_grad():
        assert model(given).penalty == 0
    # The gradient of the penalty alone reaches the thresholds.
    (weight,) = model.layers[0].attention.selection.parameters()
    (gradient,) = torch.autograd.grad(model(given).penalty, [weight])
    assert gradient.abs().max() > 0


def test_saving_and_loading_change_nothing() -> None:
    model, given = flat(THRESHOLD), collated(*SENTENCES)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    torch.manual_seed(9)
    other = Flat(model.config, SIZES).double().eval()
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other(given).tags, model(given).tags)


def test_it_learns() -> None:
    torch.manual_seed(0)
    model = flat(THRESHOLD, word_dropout=0.0, embedding_dropout=0.0).float()
    given = collated(*SENTENCES)
    gold = torch.zeros(given.mask.shape, dtype=torch.int64).masked_fill(~given.mask, IGNORED)
    gold[1, 4:7] = torch.tensor([SIZES.tags.tags.index(f"{part}-LOC") for part in "BME"])
    losses = descend(model, given, gold, 0.02, 25)
    assert losses[-1] < 0.5 * losses[0]


def sams(config: SelectionConfig, **settings: object) -> Sams:
    torch.manual_seed(3)
    made = SamsConfig(dim=16, layers=2, heads=2, hidden=24, selection=config, **settings)
    return Sams(made, Sizes(50)).double().eval()


def texts(*lengths: int) -> Batch:
    random = np.random.default_rng(0)
    return Batch.of([random.integers(1, 50, (length, 1)) for length in lengths])


@pytest.mark.parametrize("config", SELECTING, ids=str)
def test_sams_in_a_batch(config: SelectionConfig) -> None:
    model, batch = sams(config), texts(9, 23, 1, 250)
    scores = model(batch)
    for row, length in enumerate(batch.lengths.tolist()):
        alone = model(Batch(batch.ids[row : row + 1, :length], batch.lengths[row : row + 1]))
        assert torch.allclose(scores.final[row, : length - 1], alone.final[0], rtol=0, atol=1e-9)


def test_sams_keeps_all_or_less() -> None:
    batch = texts(9, 23, 200)
    dense = sams(SelectionConfig())
    for keep, same in ((200, True), (2, False)):
        model = sams(SelectionConfig("top-k", keep=keep))
        model.load_state_dict(dense.state_dict())
        real = batch.mask[:, 1:]
        close = torch.allclose(model(batch).final[real], dense(batch).final[real], atol=1e-9)
        assert close == same


def test_the_penalty_of_sams_is_that_of_its_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch)
    model, batch = sams(THRESHOLD, dropout=0.0).train(), texts(9, 23, 5)
    gold = torch.zeros(3, 22, dtype=torch.int64).masked_fill(~batch.mask[:, 1:], IGNORED)
    scores = model(batch)
    together, alone = scores.penalty.item(), 0.0
    for row, length in enumerate(batch.lengths.tolist()):
        one = Batch(batch.ids[row : row + 1, :length], batch.lengths[row : row + 1])
        alone += model(one).penalty.item()
    assert together == pytest.approx(alone, rel=1e-5)
    difference = model.loss(scores, gold) - model.loss(scores._replace(penalty=0.0), gold)
    assert difference.item() == pytest.approx(together / 3)


def test_shares() -> None:
    mask = torch.tensor([[True, True, True, True], [True, False, False, False]])
    assert shares(mask).tolist() == [[0.25] * 4, [1, 0, 0, 0]]
    assert isinstance(make_selection(THRESHOLD, DIM, HEADS, groups=2).weight, nn.Parameter)
