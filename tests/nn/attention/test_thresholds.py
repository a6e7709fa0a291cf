"""Thresholds give what their equations give, in training and in evaluation."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import Tensor

from fenjie.nn.attention import thresholds
from fenjie.nn.attention.selection import SelectionConfig, shares
from fenjie.nn.attention.selections import make_selection
from tests.nn.attention.random_scores import DIM, HEADS, LENGTHS, sentences
from tests.reference import selections as literal

THRESHOLD = SelectionConfig("threshold", sparsity=0.3)

SETTINGS = {
    "paper": {},
    "soft": {"soft": True},
    "no floor": {"keep": 0},
    "no floor, soft": {"keep": 0, "soft": True},
    "floor of 1": {"keep": 1},
    "no amplification": {"amplification": 1.0},
    "mild, soft": {"amplification": 4.0, "soft": True},
    "fixed": {"dynamic": False},
}


def gumbel(shape: torch.Size) -> Tensor:
    return -torch.log(-torch.log(torch.rand(shape, dtype=torch.float64)))


def mean_of(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask[..., None]).sum(1, keepdim=True) / mask.sum(1)[:, None, None]


def cuts_of(selection: torch.nn.Module, x: Tensor) -> Tensor:
    """Eq. 7 for one sentence: `[heads, queries]`."""
    if not selection.config.dynamic:
        return torch.zeros(HEADS, len(x), dtype=x.dtype)
    (weight,) = selection.parameters()
    return torch.stack(
        [
            torch.stack([literal.threshold(row, x, query) for query in range(len(x))])
            for row in weight
        ]
    )


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("seed", [0, 1])
def test_training(settings: dict[str, object], seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    config = dataclasses.replace(THRESHOLD, **settings)
    # The literal b of eq. 9 is 1, and log(1 - b) infinite, where the step is steep.
    x, scores, mask = sentences(seed, spread=min(1, 4 / config.amplification))
    selection = make_selection(config, DIM, HEADS).double()
    noise = gumbel(scores.shape), gumbel(scores.shape)
    monkeypatch.setattr(thresholds, "logistic", lambda _: noise[1] - noise[0])
    hidden = ~mask[:, None, None]
    made = selection.thresholds(x, mean_of(x, mask))
    masked = scores.masked_fill(hidden, -torch.inf)
    weights, penalty = selection(masked, made, shares(mask.double()))
    cost = penalty / len(LENGTHS)

    parameters = [scores, x, *selection.parameters()]
    gain = torch.randn_like(scores)
    expected, samples = torch.zeros_like(scores), []
    for row, n in enumerate(LENGTHS):
        one, z = literal.trained(
            scores[row, :, :n, :n],
            cuts_of(selection, x[row, :n]),
            (noise[0][row, :, :n, :n], noise[1][row, :, :n, :n]),
            keep=config.keep,
            amplification=config.amplification,
            temperature=1.0,
            soft=config.soft,
        )
        real = (row, slice(None), slice(0, n), slice(0, n))
        assert torch.allclose(weights[real], one, rtol=0, atol=1e-9)
        assert (weights[row, :, :, n:] == 0).all()
        expected = expected.index_put(
            (torch.tensor(row),), torch.nn.functional.pad(one, (0, 9 - n, 0, 9 - n))
        )
        samples.append(z)
    wanted_cost = literal.penalty(samples, LENGTHS, config.sparsity)
    assert torch.allclose(cost, wanted_cost, rtol=0, atol=1e-9)
    asked = mask[:, None, :, None]
    found = torch.autograd.grad(
        (weights * gain * asked).sum() + cost, parameters, allow_unused=True
    )
    wanted = torch.autograd.grad(
        (expected * gain).sum() + wanted_cost, parameters, allow_unused=True
    )
    for one, other in zip(found, wanted, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert torch.allclose(one, other, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_evaluation(settings: dict[str, object]) -> None:
    x, scores, mask = sentences()
    config = dataclasses.replace(THRESHOLD, **settings)
    selection = make_selection(config, DIM, HEADS).double().eval()
    made = selection.thresholds(x, mean_of(x, mask))
    weights, _ = selection(scores.masked_fill(~mask[:, None, None], -torch.inf), made)
    for row, n in enumerate(LENGTHS):
        cuts = cuts_of(selection, x[row, :n])
        expected = literal.evaluated(scores[row, :, :n, :n].detach(), cuts, keep=config.keep)
        assert torch.allclose(weights[row, :, :n, :n], expected, rtol=0, atol=1e-9)
        assert (weights[row, :, :, n:] == 0).all()
