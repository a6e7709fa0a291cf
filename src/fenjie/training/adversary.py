"""Adversarial training: each batch is learnt a second time, with its vectors changed for the worse.

Takeru Miyato, Andrew M. Dai and Ian Goodfellow. 2017. Adversarial Training Methods for
Semi-Supervised Text Classification. ICLR. Equation numbers are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.pretrained import Pretrained

Learn = Callable[[], Tensor]
"""Goes forward and back through the model with one batch, adds to the gradients, gives the loss."""


class Adversary:
    """Changes what the tables of a model give: `r = size · g / |g|` (eq. 5).

    g is the gradient of the loss by the vectors of a batch that come from one table, and |g| its
    length divided by the root of the number of sentences: so `size` is how far the vectors of a
    sentence move, in the quadratic mean over the batch. (In the paper |g| is that of the sentence.)
    Vectors from `fenjie.training.lattices` have the length 1 at first. Of a pretrained encoder it
    is the vectors of the word pieces that move.
    """

    def __init__(self, module: nn.Module, size: float) -> None:
        """Find the tables.

        Args:
            module: the model.
            size: how far the vectors of a sentence move.
        """
        self._size = size
        self._tables = list(_tables(module))

    def __call__(self, learn: Learn, sentences: int) -> Tensor:
        """Learn a batch as it is, then with its vectors moved (the sum of eq. 6 and the loss).

        Args:
            learn: learns the batch; is called twice.
            sentences: how many the batch has.

        Returns:
            The loss of the batch as it is.
        """
        given: list[Tensor] = []
        with self._hooked(lambda vectors: _watched(vectors, given)):
            loss = learn()
        moves = iter([self._move(vectors.grad, sentences) for vectors in given])
        with self._hooked(lambda vectors: _moved(vectors, moves)):
            learn()
        return loss

    def _move(self, gradient: Tensor | None, sentences: int) -> Tensor | float:
        if gradient is None:
            return 0.0
        length = gradient.norm().clamp(min=torch.finfo(gradient.dtype).tiny)
        move: Tensor = gradient * (self._size * sentences**0.5 / length)
        return move

    @contextmanager
    def _hooked(self, change: Callable[[Tensor], Tensor]) -> Iterator[None]:
        """Let `change` see, and give anew, the vectors that the tables give."""
        hooks = [
            table.register_forward_hook(lambda _table, _ids, vectors: change(vectors))
            for table in self._tables
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def _watched(vectors: Tensor, given: list[Tensor]) -> Tensor:
    if vectors.requires_grad:
        vectors.retain_grad()
        given.append(vectors)
    return vectors


def _moved(vectors: Tensor, moves: Iterator[Tensor | float]) -> Tensor:
    return vectors + next(moves) if vectors.requires_grad else vectors


def _tables(module: nn.Module) -> Iterator[nn.Module]:
    """The tables of vectors of a model; of a pretrained encoder, that of the word pieces alone."""
    if isinstance(module, Pretrained):
        yield module.encoder.get_input_embeddings()
    elif isinstance(module, TrainedTable | nn.Embedding):
        yield module
    else:
        for child in module.children():
            yield from _tables(child)
