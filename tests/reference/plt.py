"""PLT as its equations stand: one query, one head and one key at a time, a sentence alone.

It shares no code with `fenjie.nn`, and reads the parameters of a `fenjie.models.plt.Plt` in
evaluation mode.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from fenjie.nn.lattice import Lattice
from tests.reference.tener import sinusoid

NAMES = ("self", "left", "right", "includes", "included", "crosses", "before", "after")
"""The relations in the order of the model's tables."""

Span = tuple[int, int]


def relation(query: Span, key: Span, same: bool) -> str:
    """How the key lies to the query, both by their first and last characters."""
    (a, b), (c, d) = query, key
    if same:
        return "self"
    if d == a - 1:
        return "left"
    if c == b + 1:
        return "right"
    if d < a:
        return "before"
    if c > b:
        return "after"
    if c <= a and b <= d:
        return "included"
    return "includes" if a <= c and d <= b else "crosses"


def norm(x: Tensor, module: torch.nn.LayerNorm) -> Tensor:
    """Layer normalisation of one vector."""
    centred = x - x.mean()
    return centred / torch.sqrt((centred**2).mean() + 1e-5) * module.weight + module.bias


def weighted(pairs: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The mean of values, weighted by the softmax of their scores."""
    powers = [torch.exp(score) for score, _ in pairs]
    total = sum(powers)
    return sum(power / total * value for power, (_, value) in zip(powers, pairs, strict=True))


def attend(
    module: torch.nn.Module, x: list[Tensor], spans: list[Span], pivot: Tensor | None
) -> list[Tensor]:
    """The lattice-aware attention, with holes where there is a pivot: new vectors of the tokens."""
    dim, heads = len(x[0]), module.heads
    size = dim // heads
    w_q, w_k, w_v = module.project.weight.chunk(3)
    found = []
    for i, query in enumerate(spans):
        parts = []
        for head in range(heads):
            at = slice(head * size, (head + 1) * size)
            q, pairs = (w_q @ x[i])[at], []
            for j, key in enumerate(spans):
                name = relation(query, key, i == j)
                if pivot is not None and name in ("before", "after"):
                    continue
                row = NAMES.index(name)
                k = (w_k @ x[j])[at] + module.relation_keys[row]
                v = (w_v @ x[j])[at] + module.relation_values[row]
                pairs.append((q @ k / math.sqrt(size), v))
            if pivot is not None:
                p_k, p_v = module.pivot.weight.chunk(2)
                pairs.append((q @ (p_k @ pivot)[at] / math.sqrt(size), (p_v @ pivot)[at]))
            parts.append(weighted(pairs))
        found.append(module.merge.weight @ torch.cat(parts) + module.merge.bias)
    return found


def gather(module: torch.nn.Module, pivot: Tensor, x: list[Tensor]) -> Tensor:
    """What the pivot takes in: from itself and all tokens."""
    size = len(pivot) // module.heads
    w_k, w_v = module.keys.weight.chunk(2)
    parts = []
    for head in range(module.heads):
        at = slice(head * size, (head + 1) * size)
        q = (module.query.weight @ pivot)[at]
        parts.append(
            weighted([(q @ (w_k @ y)[at] / math.sqrt(size), (w_v @ y)[at]) for y in (pivot, *x)])
        )
    return module.merge.weight @ torch.cat(parts) + module.merge.bias


def gru(x: list[Tensor], module: torch.nn.GRU) -> list[Tensor]:
    """One direction of a GRU (Cho et al. 2014), as PyTorch documents it."""
    w_r, w_z, w_n = module.weight_ih_l0.chunk(3)
    u_r, u_z, u_n = module.weight_hh_l0.chunk(3)
    b_r, b_z, b_n = module.bias_ih_l0.chunk(3)
    c_r, c_z, c_n = module.bias_hh_l0.chunk(3)
    h, found = torch.zeros(module.hidden_size, dtype=torch.float64), []
    for step in x:
        r = torch.sigmoid(w_r @ step + b_r + u_r @ h + c_r)
        z = torch.sigmoid(w_z @ step + b_z + u_z @ h + c_z)
        n = torch.tanh(w_n @ step + b_n + r * (u_n @ h + c_n))
        h = (1 - z) * n + z * h
        found.append(h)
    return found


def scores(model: torch.nn.Module, lattice: Lattice) -> Tensor:
    """The scores of the tags of one sentence, `[length, tags]`."""
    config, embedding = model.config, model.embedding
    (length,) = lattice.lengths.tolist()
    count = int(lattice.words[0])
    spans = [(i, i) for i in range(length)]
    x = []
    for i, (character, bigram) in enumerate(lattice.ids[0].tolist()):
        own = torch.cat((embedding.characters.weight[character], embedding.bigrams.weight[bigram]))
        project = model.project_characters
        x.append(project.weight @ own + project.bias + sinusoid(i, config.dim))
    for k in range(count):
        start, end = int(lattice.start[0, k]), int(lattice.end[0, k])
        own, project = embedding.words.weight[lattice.word[0, k]], model.project_words
        x.append(project.weight @ own + project.bias + sinusoid(start, config.dim))
        spans.append((start, end))
    pivot = sum(x) / len(x) if config.porous else None
    for number, layer in enumerate(model.layers):
        if config.porous and number:
            between = model.pivots[number - 1]
            pivot = norm(pivot + gather(between.attention, pivot, x), between.norm)
        mixed = attend(layer.attention, x, spans, pivot)
        x = [norm(a + b, layer.attention_norm) for a, b in zip(x, mixed, strict=True)]
        for i, own in enumerate(x):
            wide = torch.relu(layer.widen.weight @ own + layer.widen.bias)
            narrow = layer.narrow.weight @ wide + layer.narrow.bias
            x[i] = norm(own + narrow, layer.feed_forward_norm)
    ahead, back = gru(x[:length], model.gru.ahead), gru(x[length - 1 :: -1], model.gru.back)[::-1]
    rows = [torch.cat(pair) for pair in zip(ahead, back, strict=True)]
    return torch.stack([model.output.weight @ row + model.output.bias for row in rows])
