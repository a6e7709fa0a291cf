"""Attention among the nodes of a graph, each to those that it is linked with.

Petar Veličković, Guillem Cucurull, Arantxa Casanova, Adriana Romero, Pietro Liò and Yoshua Bengio.
2018. Graph Attention Networks. ICLR.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.dropout import BitDropout

SLOPE = 0.1
"""Of the leaky ReLU below 0."""


class GraphAttention(nn.Module):
    """One layer: sums of `W x_j` by `softmax_j(LeakyReLU(a_1 W x_i + a_2 W x_j))` over the links.

    `a_1` and `a_2` are the halves of the vector that multiplies `[W x_i; W x_j]` in the paper.
    """

    def __init__(self, inputs: int, dim: int, heads: int, dropout: float) -> None:
        """Make the heads.

        Args:
            inputs: size of the nodes.
            dim: size of a head.
            heads: number of heads.
            dropout: rate on the nodes, and on the weights of attention.
        """
        super().__init__()
        self.project = nn.Linear(inputs, heads * dim, bias=False)
        self.own = nn.Parameter(torch.empty(heads, dim))
        self.other = nn.Parameter(torch.empty(heads, dim))
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter, gain=2**0.5)
        self.dropout = BitDropout(dropout)

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        """Attend.

        Args:
            x: the nodes, `[batch, nodes, inputs]`.
            links: which nodes each node is linked with, `[batch, nodes, nodes]`, bool; each with
                itself at least.

        Returns:
            The sums of each head, `[batch, nodes, heads, dim]`.
        """
        h = self.project(self.dropout(x)).unflatten(-1, self.own.shape)
        # (B, N, H, D) -> (B, H, N, 1) and (B, H, 1, N)
        own = (h * self.own).sum(-1).mT[..., None]
        other = (h * self.other).sum(-1).mT[:, :, None]
        scores = F.leaky_relu(own + other, SLOPE)
        weights = self.dropout(torch.where(links[:, None], scores, -1e30).softmax(dim=-1))
        result: Tensor = (weights @ h.transpose(1, 2)).transpose(1, 2)
        return result
