"""CGN as its equations stand: one graph, one head, one node after the other.

It reads the parameters of a `fenjie.models.cgn.Cgn` and gives the same scores, in evaluation mode.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.reference.by_sentence import BySentence, Word
from tests.reference.recurrent import bilstm

Node = Word
"""The first and the last character of a word; a character is both."""


def containing(one: Node, other: Node) -> bool:
    """Whether the one is a character in the other, a word."""
    return one[0] == one[1] and other[0] < other[1] and other[0] <= one[0] <= other[1]


def transition(one: Node, other: Node) -> bool:
    """Whether the one ends right before the other begins."""
    return one[1] + 1 == other[0]


def lattice_graph(one: Node, other: Node) -> bool:
    """Whether both are characters side by side, or the one is at an end of the other, a word."""
    if one[0] < one[1]:
        return False
    if other[0] == other[1]:
        return one[0] + 1 == other[0]
    return one[0] in other


def attended(
    layer: torch.nn.Module, nodes: list[Tensor], links: list[list[int]]
) -> list[list[Tensor]]:
    """The sums of each node and head."""
    heads = len(layer.own)
    found = []
    for i in range(len(nodes)):
        sums = []
        for head in range(heads):
            weight = layer.project.weight.chunk(heads)[head]
            a = torch.cat((layer.own[head], layer.other[head]))
            scores = [
                F.leaky_relu(a @ torch.cat((weight @ nodes[i], weight @ nodes[j])), 0.1)
                for j in links[i]
            ]
            total = sum(torch.exp(score) for score in scores)
            alpha = [torch.exp(score) / total for score in scores]
            sums.append(sum(s * (weight @ nodes[j]) for s, j in zip(alpha, links[i], strict=True)))
        found.append(sums)
    return found


class LiteralCgn(BySentence):
    """The model, built from the parameters of a `fenjie.models.cgn.Cgn`."""

    def scores(self, x: Tensor, words: list[Word], vectors: Tensor) -> Tensor:
        model = self.model
        h = list(bilstm(model.encoder, x))
        spans = [(place, place) for place in range(len(x))] + words
        features = [h]
        graphs = zip(model.graphs, (containing, transition, lattice_graph), strict=True)
        for graph, linked in graphs:
            links = [
                [j for j, b in enumerate(spans) if i == j or linked(a, b) or linked(b, a)]
                for i, a in enumerate(spans)
            ]
            nodes = h + [model.project_words(vector) for vector in vectors]
            nodes = [
                torch.cat([F.elu(head) for head in sums])
                for sums in attended(graph.first, nodes, links)
            ]
            last = attended(graph.last, nodes, links)[: len(x)]
            features.append([F.elu(sum(sums) / len(sums)) for sums in last])
        # R = W_1 H + W_2 Q_1 + W_3 Q_2 + W_4 Q_3
        parts = model.output.weight.split([len(part[0]) for part in features], dim=1)
        r = [
            sum(w @ part[i] for w, part in zip(parts, features, strict=True)) for i in range(len(x))
        ]
        return torch.stack(r) + model.output.bias
