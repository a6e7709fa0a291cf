"""TENER as its equations stand: a relative position vector for each pair of characters.

It shares no code with `fenjie.nn`. It reads the parameters of a `fenjie.models.tener.Tener` and
gives the same scores, one sentence at a time, without padding (Yan et al. 2019, section 3.2).
ATSSA's context encoding layer is the same with other sinusoids and a projection of keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def sinusoid(distance: int, width: int) -> Tensor:
    """p_d, one entry after another: `[width]`."""
    entries = []
    for k in range(width // 2):
        angle = distance / 10000 ** (2 * k / width)
        entries += [math.sin(angle), math.cos(angle)]
    return torch.tensor(entries, dtype=torch.float64)


def softmax(scores: Tensor) -> Tensor:
    """Of one query, `[keys]`."""
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum()


Select = Callable[[Tensor, Tensor, int, int], Tensor]
"""From the scores of one query `[keys]`, the vectors of its sentence `[length, dim]`, the query and
the head to weights `[keys]`."""


class LiteralLayer:
    """One layer of the encoder, from its parameters by name."""

    def __init__(self, get: Callable[[str], Tensor], config: Any) -> None:
        self.get, self.config = get, config

    def relative(self, distance: int, head: int) -> Tensor:
        """R_d for one head, `[size]`."""
        size = self.config.dim // self.config.heads
        if self.config.sinusoids == "head":
            return sinusoid(distance, size)
        return sinusoid(distance, self.config.dim)[head * size : (head + 1) * size]

    def scores(self, x: Tensor, head: int) -> list[Tensor]:
        """A_ij of one head for each query i, a pair at a time."""
        config, size = self.config, self.config.dim // self.config.heads
        at = slice(head * size, (head + 1) * size)
        q = x @ self.get("attention.query.weight").T
        k = x @ self.get("attention.key.weight").T if config.key_projection else x
        q, k = q[:, at], k[:, at]
        u = self.get("attention.content_bias")[head]
        v = self.get("attention.position_bias")[head]
        rows = []
        for i in range(len(x)):
            row = []
            for j in range(len(x)):
                r = self.relative(i - j, head)
                score = q[i] @ k[j] + q[i] @ r + u @ k[j] + v @ r
                row.append(score / math.sqrt(size) if config.scale else score)
            rows.append(torch.stack(row))
        return rows

    def attention(self, x: Tensor, select: Select) -> Tensor:
        """Mixed values `[length, dim]`."""
        config, size = self.config, self.config.dim // self.config.heads
        value = x @ self.get("attention.value.weight").T
        heads = []
        for head in range(config.heads):
            own = value[:, head * size : (head + 1) * size]
            rows = self.scores(x, head)
            heads.append(torch.stack([select(row, x, i, head) @ own for i, row in enumerate(rows)]))
        joint = torch.cat(heads, dim=-1)
        if config.output_projection:
            joint = joint @ self.get("attention.merge.weight").T + self.get("attention.merge.bias")
        return joint

    def __call__(self, x: Tensor, select: Select) -> Tensor:
        """`[length, dim] -> [length, dim]`."""
        x = self.norm(x + self.attention(x, select), "attention_norm")
        wide = torch.relu(x @ self.get("widen.weight").T + self.get("widen.bias"))
        narrow = wide @ self.get("narrow.weight").T + self.get("narrow.bias")
        return self.norm(x + narrow, "feed_forward_norm")

    def norm(self, x: Tensor, name: str) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        scaled = (x - mean) / torch.sqrt(variance + 1e-5)
        return scaled * self.get(f"{name}.weight") + self.get(f"{name}.bias")


def encode(
    model: torch.nn.Module,
    name: str,
    config: Any,
    x: Tensor,
    select: Select = lambda row, x, i, head: softmax(row),
) -> Tensor:
    """The encoder on one sentence: `[length, dim] -> [length, dim]`.

    Args:
        model: what holds the parameters.
        name: where its encoder stands, with a dot behind it, or nothing.
        config: its settings.
        x: the vectors of the characters.
        select: which keys a query keeps; by default all of them.
    """
    for number in range(config.layers):
        prefix = f"{name}layers.{number}."
        layer = LiteralLayer(lambda part, prefix=prefix: model.get_parameter(prefix + part), config)
        x = layer(x, select)
    return x


def vectors(model: torch.nn.Module, ids: Tensor) -> Tensor:
    """The vectors of the characters of one sentence with their bigrams."""
    parts = [model.get_parameter("embedding.characters.weight")[ids[:, 0]]]
    if ids.shape[1] > 1:
        parts.append(model.get_parameter("embedding.bigrams.weight")[ids[:, 1]])
    return torch.cat(parts, dim=-1)


def linear(model: torch.nn.Module, name: str, x: Tensor) -> Tensor:
    """A linear map by its name."""
    return x @ model.get_parameter(f"{name}.weight").T + model.get_parameter(f"{name}.bias")


def tener(model: torch.nn.Module, ids: Tensor) -> Tensor:
    """The scores of one sentence, `[length, tags]`, from its ids `[length, columns]`."""
    x = linear(model, "project", vectors(model, ids))
    return linear(model, "output", encode(model, "encoder.", model.config, x))
