"""Muon, an optimiser of matrices whose steps are nearly orthogonal.

Keller Jordan et al. 2024. Muon: An optimizer for hidden layers in neural networks. The scale of a
step is that of Liu et al. (2025), Muon is scalable for LLM training, eq. 4: a learning rate means
what it means for AdamW.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

MOMENTUM, ROUNDS = 0.95, 5

_COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""Of the polynomial that brings all singular values near 1."""


class Muon(torch.optim.Optimizer):
    """Muon. Matrices of one shape are treated together.

    `torch.optim.Muon` takes them one by one, always in bfloat16, which is slow on most processors.
    """

    def __init__(self, matrices: Iterable[Tensor], weight_decay: float, dtype: torch.dtype) -> None:
        """Take the matrices; the rate is set before each step.

        Args:
            matrices: to learn.
            weight_decay: decoupled from the step.
            dtype: of the products that make a step orthogonal.
        """
        super().__init__(matrices, {"lr": 0.0, "weight_decay": weight_decay})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Change the matrices by their gradients."""
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                alike[matrix.shape].append(matrix)
            for shape, matrices in alike.items():
                stacked = torch.stack([self._momentum(matrix) for matrix in matrices])
                steps = orthogonal(stacked, self._dtype)
                rate = group["lr"] * 0.2 * max(shape) ** 0.5
                for matrix, step in zip(matrices, steps, strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"]).sub_(step, alpha=rate)

    def _momentum(self, matrix: Tensor) -> Tensor:
        """The gradient in the manner of Nesterov, and the momentum brought up to date."""
        assert matrix.grad is not None
        state = self.state[matrix]
        if not state:
            state["momentum"] = torch.zeros_like(matrix)
        momentum: Tensor = state["momentum"].lerp_(matrix.grad, 1 - MOMENTUM)
        return torch.lerp(matrix.grad, momentum, MOMENTUM)


def orthogonal(matrices: Tensor, dtype: torch.dtype) -> Tensor:
    """The matrices with their singular values near 1, by the iteration of Newton and Schulz.

    They are between 0.7 and 1.2 after `ROUNDS` steps: `[count, rows, columns]`.

    Args:
        matrices: `[count, rows, columns]`.
        dtype: of the products.
    """
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = (x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)).to(dtype)
    a, b, c = _COEFFICIENTS
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return (x.mT if tall else x).to(matrices.dtype)
