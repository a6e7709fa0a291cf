"""FLAT as its equations stand: a relative position vector for each pair of tokens.

It shares no code with `fenjie.nn`. It reads the parameters of a `fenjie.models.flat.Flat` and gives
the same scores; equation numbers are those of Li et al. (2020). The released code computes in this
form: all tokens are queries in every layer, and a batch is padded to its longest lattice, with
tensors `[batch, tokens, tokens, 4 * dim]`. In evaluation mode nothing is dropped.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.lattice import Lattice


def position_encoding(distance: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    """Eq. 9 and 10: `[...] -> [..., dim]`, one column after another."""
    columns = []
    for k in range(dim // 2):
        angle = distance.double() / 10000 ** (2 * k / dim)
        columns += [angle.sin(), angle.cos()]
    return torch.stack(columns, dim=-1).to(dtype)


def layer_norm(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Layer normalisation (Ba et al. 2016)."""
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-5) * scale + shift


class LiteralFlat(torch.nn.Module):
    """The model of Figure 2, built from the parameters of a `fenjie.models.flat.Flat`."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.config = model.config
        self.model = model
        self.tables: dict[int, Tensor] = {}

    def get(self, name: str) -> Tensor:
        return self.model.get_parameter(name)

    def dropped(self, x: Tensor, rate: float) -> Tensor:
        return F.dropout(x, rate, self.model.training)

    def unknown(self, ids: Tensor) -> Tensor:
        """Word dropout: in training an id becomes 1 (unknown) now and then."""
        if not self.model.training:
            return ids
        return torch.where(torch.rand(ids.shape) < self.config.word_dropout, 1, ids)

    def encoded(self, distance: Tensor, dtype: torch.dtype) -> Tensor:
        """Eq. 9 and 10 looked up in a table, as the released code does."""
        limit = int(distance.abs().max())
        limit = next((size for size in self.tables if size >= limit), limit)
        if limit not in self.tables:
            span = torch.arange(-limit, limit + 1)
            self.tables[limit] = position_encoding(span, self.config.dim, dtype)
        return self.tables[limit][distance + limit]

    def relative_positions(self, head: Tensor, tail: Tensor, dtype: torch.dtype) -> Tensor:
        """Eq. 4 to 8 for all pairs, `[batch, tokens, tokens, dim]`."""
        pairs = {
            "hh": head[:, :, None] - head[:, None, :],
            "th": tail[:, :, None] - head[:, None, :],
            "ht": head[:, :, None] - tail[:, None, :],
            "tt": tail[:, :, None] - tail[:, None, :],
        }
        if self.config.distances == "head":
            return self.encoded(pairs["hh"], dtype)
        names = ("hh", "th", "ht", "tt") if self.config.distances == "four" else ("hh", "tt")
        joint = torch.cat([self.encoded(pairs[name], dtype) for name in names], dim=-1)
        return torch.relu(joint @ self.get("positions.weight").T)

    def hidden(self, head: Tensor, tail: Tensor, real: Tensor) -> Tensor:
        """Which keys each query does not see, `[batch, tokens, tokens]`."""
        hidden = ~real[:, None, :].expand(-1, real.shape[1], -1)
        own_head, own_tail = head[:, :, None], tail[:, :, None]
        key_head, key_tail = head[:, None, :], tail[:, None, :]
        if not self.config.self_matched:
            character, word = own_head == own_tail, key_head != key_tail
            inside = (key_head <= own_head) & (own_head <= key_tail)
            hidden = hidden | (character & word & inside)
        if self.config.reach:
            gap = torch.maximum(key_head - own_tail, own_head - key_tail).clamp(min=0)
            hidden = hidden | (gap > self.config.reach)
        # A padded query sees all, so that nothing is divided by 0; nobody reads it.
        return hidden & real[:, :, None]

    def projected(self, x: Tensor, name: str) -> Tensor:
        product = x @ self.get(f"{name}.weight").T
        return product + self.get(f"{name}.bias") if self.config.projection_bias else product

    def attention(self, x: Tensor, r: Tensor, hidden: Tensor, name: str) -> Tensor:
        """Eq. 11, then eq. 1, head by head."""
        config, size = self.config, self.config.dim // self.config.heads
        query = self.projected(x, f"{name}.query")
        key = self.projected(x, f"{name}.key") if config.key_projection else x
        value = self.projected(x, f"{name}.value")
        position = r @ self.get(f"{name}.position.weight").T
        u, v = self.get(f"{name}.content_bias"), self.get(f"{name}.position_bias")
        mixed = []
        for head in range(config.heads):
            at = slice(head * size, (head + 1) * size)
            q, k, p = query[..., at], key[..., at], position[..., at]
            scores = (
                q @ k.transpose(1, 2)
                + (q[:, :, None] * p).sum(-1)
                + (u[head] * k).sum(-1)[:, None, :]
                + (v[head] * p).sum(-1)
            )
            if config.scale:
                scores = scores / math.sqrt(size)
            weights = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1)
            mixed.append(weights @ value[..., at])
        joint = torch.cat(mixed, dim=-1)
        if config.output_projection:
            joint = joint @ self.get(f"{name}.merge.weight").T + self.get(f"{name}.merge.bias")
        return joint

    def embed(self, lattice: Lattice) -> Tensor:
        """Characters with their bigrams, then words, each through its own projection."""
        rate = self.config.embedding_dropout
        parts = [self.get("embedding.characters.weight")[self.unknown(lattice.ids[..., 0])]]
        if lattice.ids.shape[-1] > 1:
            parts.append(self.get("embedding.bigrams.weight")[self.unknown(lattice.ids[..., 1])])
        vectors = self.dropped(torch.cat(parts, dim=-1), rate)
        name = "embedding.project_characters"
        characters = vectors @ self.get(f"{name}.weight").T + self.get(f"{name}.bias")
        if not self.config.lexicon or not lattice.start.shape[1]:
            return characters
        words = lattice.vectors
        if words is None:
            words = self.get("embedding.words.weight")[self.unknown(lattice.word)]
        name, words = "embedding.project_words", self.dropped(words, rate)
        words = words @ self.get(f"{name}.weight").T + self.get(f"{name}.bias")
        return torch.cat((characters, words), dim=1)

    def spans(self, lattice: Lattice) -> tuple[Tensor, Tensor, Tensor]:
        """Head and tail of each token, and whether it is real: `[batch, tokens]` each."""
        batch, length, _ = lattice.ids.shape
        position = torch.arange(length).expand(batch, -1)
        real = position < lattice.lengths[:, None]
        if not self.config.lexicon:
            return position, position, real
        word = torch.arange(lattice.start.shape[1]) < lattice.words[:, None]
        return (
            torch.cat((position, lattice.start), dim=1),
            torch.cat((position, lattice.end), dim=1),
            torch.cat((real, word), dim=1),
        )

    def forward(self, lattice: Lattice) -> Tensor:
        """`[batch, length, tags]`; anything at padding."""
        config = self.config
        x = self.embed(lattice)
        head, tail, real = self.spans(lattice)
        r = self.relative_positions(head, tail, x.dtype)
        hidden = self.hidden(head, tail, real)
        for layer in range(config.layers):
            name = f"layers.{layer}"
            mixed = self.attention(x, r, hidden, f"{name}.attention")
            mixed = self.dropped(mixed, config.attention_dropout)
            joint = x + mixed if config.residual else mixed
            x = layer_norm(joint, *self.pair(f"{name}.attention_norm"))
            weight, bias = self.pair(f"{name}.widen")
            wide = self.dropped(torch.relu(x @ weight.T + bias), config.feed_forward_dropout)
            weight, bias = self.pair(f"{name}.narrow")
            narrow = self.dropped(wide @ weight.T + bias, config.feed_forward_dropout)
            joint = x + narrow if config.residual else narrow
            norm = "attention_norm" if config.shared_norm else "feed_forward_norm"
            x = layer_norm(joint, *self.pair(f"{name}.{norm}"))
        characters = self.dropped(x[:, : lattice.ids.shape[1]], config.output_dropout)
        weight, bias = self.pair("output")
        return characters @ weight.T + bias

    def pair(self, name: str) -> tuple[Tensor, Tensor]:
        return self.get(f"{name}.weight"), self.get(f"{name}.bias")
