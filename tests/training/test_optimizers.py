"""SGD that spares the rows nobody reads, beside the plain rule."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch
from torch import nn

from fenjie.nn.embeddings import TrainedTable
from fenjie.training.clipping import clip_values
from fenjie.training.optimizers import HORIZON, Sgd


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = TrainedTable(40, 0, 6)
        self.linear = nn.Linear(6, 1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.linear(self.table(ids)).square().sum()


def learn(model: Model, optimizer: torch.optim.Optimizer, steps: range) -> None:
    for step in steps:
        random = torch.Generator().manual_seed(step)
        ids = torch.randint(1, 6 if step % 3 else 40, (4, 3), generator=random)
        optimizer.param_groups[0]["lr"] = 0.01 / (1 + 0.01 * step)
        model(ids).backward()
        clip_values(model.parameters(), 0.05)
        optimizer.step()
        optimizer.zero_grad()


def twins() -> tuple[Model, Model]:
    torch.manual_seed(1)
    one, other = Model().double(), Model().double()
    other.load_state_dict(one.state_dict())
    return one, other


def test_the_steps_are_those_of_the_plain_rule() -> None:
    watched, plain = twins()
    mine = Sgd(watched.parameters(), 0.9)
    mine.watch(watched.table)
    theirs = torch.optim.SGD(plain.parameters(), lr=1.0, momentum=0.9)
    for upto in (range(7), range(7, 30), range(30, 2 * HORIZON + 30)):
        learn(watched, mine, upto)
        learn(plain, theirs, upto)
        mine.flush()
        for one, other in zip(watched.parameters(), plain.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_without_a_watched_table_too() -> None:
    one, other = twins()
    learn(one, Sgd(one.parameters(), 0.9), range(20))
    learn(other, torch.optim.SGD(other.parameters(), lr=1.0, momentum=0.9), range(20))
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_a_saved_state_goes_on_bit_by_bit() -> None:
    one, other = twins()
    mine, again = Sgd(one.parameters(), 0.9), Sgd(other.parameters(), 0.9)
    for optimizer, model in ((mine, one), (again, other)):
        optimizer.watch(model.table)
    learn(one, mine, range(25))
    other.load_state_dict(one.state_dict())
    again.load_state_dict(mine.state_dict())
    learn(one, mine, range(25, 60))
    learn(other, again, range(25, 60))
    mine.flush()
    again.flush()
    for left, right in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(left, right)


def test_rows_behind_the_trained_ones_are_fixed() -> None:
    table = TrainedTable(3, 2, 4)
    vectors = torch.arange(8.0).view(2, 4)
    table.start(torch.tensor([2, 4]), vectors)
    table.eval()
    found = table(torch.tensor([[0, 2], [3, 4]]))
    assert found[0, 0].eq(0).all() and found[1, 0].eq(0).all()
    assert torch.equal(found[0, 1], vectors[0]) and torch.equal(found[1, 1], vectors[1])
    assert torch.equal(table.whole()[4], vectors[1])
    assert [name for name, _ in table.named_parameters()] == ["weight"]
