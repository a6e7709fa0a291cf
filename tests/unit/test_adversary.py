"""Adversarial training beside its equations, and that it leaves nothing behind."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch
from torch import Tensor, nn

from fenjie.nn.embeddings import TrainedTable
from fenjie.training.adversary import Adversary

SENTENCES, SIZE = 4, 0.3
CHARACTERS, WORDS = torch.randint(2, 20, (SENTENCES, 5)), torch.randint(2, 20, (SENTENCES, 3))


class Model(nn.Module):
    """Two tables, one of which is read twice, and one that no loss depends on."""

    def __init__(self) -> None:
        super().__init__()
        self.characters, self.words = TrainedTable(20, 0, 6), TrainedTable(20, 0, 4)
        self.unread, self.frozen = nn.Embedding(20, 2), nn.Embedding(20, 6).requires_grad_(False)
        self.linear = nn.Linear(6, 4)

    def forward(self) -> Tensor:
        self.unread(CHARACTERS)
        characters = self.characters(CHARACTERS) + self.frozen(CHARACTERS)
        return self.score(characters, self.words(WORDS), self.characters(WORDS))

    def score(self, characters: Tensor, words: Tensor, others: Tensor) -> Tensor:
        mixed = self.linear(characters).tanh().sum(1) * words.sum(1)
        return (mixed.sum(1) + others.sin().sum((1, 2))).square().mean()

    def literal(self, size: float) -> Tensor:
        """The loss, and the one with moved vectors, as one function of the weights."""
        given = [self.characters(CHARACTERS), self.words(WORDS), self.characters(WORDS)]
        loss = self.score(given[0] + self.frozen(CHARACTERS), *given[1:])
        moved = []
        found = torch.autograd.grad(loss, given, retain_graph=True)
        for vectors, gradient in zip(given, found, strict=True):
            length = (gradient.square().sum() / SENTENCES).sqrt()
            moved.append(vectors + size * gradient / length)
        return loss + self.score(moved[0] + self.frozen(CHARACTERS), *moved[1:])


@pytest.fixture
def model() -> Model:
    torch.manual_seed(0)
    return Model().double()


def gradients(model: Model) -> dict[str, Tensor]:
    found = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad(set_to_none=True)
    return found


def learn(model: Model) -> Tensor:
    loss = model()
    loss.backward()
    return loss.detach()


def test_gradients_are_those_of_the_equations(model: Model) -> None:
    model.literal(SIZE).backward()
    expected = gradients(model)
    loss = Adversary(model, SIZE)(lambda: learn(model), SENTENCES)
    assert loss == model().detach(), "the loss given is that of the batch as it is"
    found = gradients(model)
    assert found.keys() == expected.keys()
    for name in found:
        torch.testing.assert_close(found[name], expected[name], rtol=1e-9, atol=1e-9)


def test_a_move_of_no_length_is_the_batch_twice(model: Model) -> None:
    learn(model)
    once = gradients(model)
    Adversary(model, 0.0)(lambda: learn(model), SENTENCES)
    for name, twice in gradients(model).items():
        torch.testing.assert_close(twice, 2 * once[name])


def test_the_moved_batch_is_harder(model: Model) -> None:
    losses: list[Tensor] = []

    def noting() -> Tensor:
        losses.append(learn(model))
        return losses[-1]

    Adversary(model, SIZE)(noting, SENTENCES)
    assert losses[1] > losses[0]
    assert model() == losses[0], "the model is left as it was"


def test_no_gradient_moves_nothing(model: Model) -> None:
    def flat() -> Tensor:
        loss = 0 * model()
        loss.backward()
        return loss.detach()

    Adversary(model, SIZE)(flat, SENTENCES)
    for gradient in gradients(model).values():
        assert (gradient == 0).all()


def test_an_error_leaves_no_hooks(model: Model) -> None:
    def failing() -> Tensor:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Adversary(model, SIZE)(failing, SENTENCES)
    assert not any(module._forward_hooks for module in model.modules())
