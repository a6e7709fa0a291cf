"""SAMS as its equations stand, one encoder, one layer and one head after another.

It shares no code with `fenjie.nn`. It reads the parameters of a `fenjie.models.Sams` and gives
the same scores; equation numbers are those of Duan and Zhao (2020). Inference only by default;
`LiteralSams.forward` is differentiable, so that its training can be timed too.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

DIRECTIONS = ("forward", "center", "backward")


def phi(distance: Tensor, sigma: float) -> Tensor:
    """Eq. 2: sqrt(2 / (sigma^2 pi)) times the integral of exp(-x^2 / 2 sigma^2) up to -distance.

    The integral by the error function: sigma sqrt(pi / 2) (1 + erf(-d / (sigma sqrt 2))).
    """
    integral = sigma * math.sqrt(math.pi / 2) * (1 + torch.erf(-distance / (sigma * math.sqrt(2))))
    return math.sqrt(2 / (sigma**2 * math.pi)) * integral


def gaussian_matrix(length: int, direction: str, sigma: float | None, dtype: torch.dtype) -> Tensor:
    """Eq. 2 and 4, `[query, key]`: the weights, and -inf where the direction forbids to look."""
    position = torch.arange(length)
    distance = (position[:, None] - position[None, :]).abs().to(dtype)
    weights = torch.ones_like(distance) if sigma is None else phi(distance, sigma)
    forbidden = torch.zeros(length, length, dtype=torch.bool)
    if direction == "forward":
        forbidden = position[None, :] > position[:, None]
    elif direction == "backward":
        forbidden = position[None, :] < position[:, None]
    return weights.masked_fill(forbidden, -math.inf)


def attention(query: Tensor, key: Tensor, value: Tensor, weights: Tensor, real: Tensor) -> Tensor:
    """Eq. 3 for one head: `softmax(Q K^T * G / sqrt(d_k)) V`, `[batch, length, head_dim]`."""
    allowed = torch.isfinite(weights)
    scores = query @ key.transpose(-1, -2) * weights.masked_fill(~allowed, 0)
    scores = scores / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~allowed, -math.inf)
    hidden = ~real[:, None, :] & ~torch.eye(len(weights), dtype=torch.bool)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1) @ value


def layer_norm(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Layer normalisation (Ba et al. 2016)."""
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-5) * scale + shift


def position_encoding(length: int, dim: int, dtype: torch.dtype) -> Tensor:
    """Vaswani et al. (2017), 3.5, entry by entry of the dimension."""
    position = torch.arange(length, dtype=dtype)
    columns = []
    for i in range(0, dim, 2):
        angle = position * math.exp(-i * math.log(10000.0) / dim)
        columns += [angle.sin(), angle.cos()]
    return torch.stack(columns, dim=-1)


class LiteralSams(torch.nn.Module):
    """The model of Figure 1, built from the parameters of a `fenjie.models.Sams`."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.config = model.config
        self.model = model
        directions = self.config.directions
        self.order = [name for name in DIRECTIONS if name in directions]
        parameters = dict(model.named_parameters())
        self.scores_in_the_middle = self.config.highway_output
        self.parameters_of = parameters

    def encoder(self, x: Tensor, half: str, direction: str, real: Tensor) -> Tensor:
        """One half of one encoder: its layers one after another."""
        group = self.config.directions.index(direction)
        sees = direction if self.config.directional else "center"
        for layer in range(self.config.layers // 2):

            def get(name: str, at: str = f"{half}.{layer}") -> Tensor:
                return self.parameters_of[f"{at}.{name}"][group]

            sigma = self.config.sigma if self.config.gaussian else None
            weights = gaussian_matrix(x.shape[1], sees, sigma, x.dtype)
            dim, size = self.config.dim, self.config.dim // self.config.heads
            joint, joint_bias = get("attention.project.weight"), get("attention.project.bias")
            heads = []
            for head in range(self.config.heads):
                at = [slice(p * dim + head * size, p * dim + (head + 1) * size) for p in range(3)]
                query, key, value = (x @ joint[:, a] + joint_bias[:, a] for a in at)
                heads.append(attention(query, key, value, weights, real))
            mixed = torch.cat(heads, dim=-1) @ get("attention.merge.weight")
            mixed = mixed + get("attention.merge.bias")
            scale, shift = get("attention_norm.scale"), get("attention_norm.shift")
            x = layer_norm(x + mixed, scale[0], shift[0])
            wide = x @ get("feed_forward.widen.weight") + get("feed_forward.widen.bias")
            narrow = torch.relu(wide) @ get("feed_forward.narrow.weight")
            narrow = narrow + get("feed_forward.narrow.bias")
            scale, shift = get("feed_forward_norm.scale"), get("feed_forward_norm.shift")
            x = layer_norm(x + narrow, scale[0], shift[0])
        return x

    def fuse(self, encoded: dict[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
        """`v^f` and `v^b` (section 3.1): the sum with the centre, or the learned gate."""
        sides = []
        for at, side in enumerate(("forward", "backward")):
            center = encoded.get("center")
            if center is None:
                sides.append(encoded[side])
            elif self.config.fusion == "gate":
                own = encoded.get(side, center)
                weight = self.parameters_of[f"{name}.gates.weight"][at]
                bias = self.parameters_of[f"{name}.gates.bias"][at]
                gate = torch.sigmoid(torch.cat((own, center), -1) @ weight + bias)
                sides.append(gate * own + (1 - gate) * center)
            else:
                sides.append(encoded[side] + center if side in encoded else center)
        return sides[0], sides[1]

    def biaffine(self, forward: Tensor, backward: Tensor, name: str) -> Tensor:
        """Eq. 6 for each gap i, i+1, one label after another."""
        bilinear = self.parameters_of[f"{name}.bilinear"]
        linear = self.parameters_of[f"{name}.linear.weight"]
        bias = self.parameters_of[f"{name}.linear.bias"]
        left, right = forward[:, :-1], backward[:, 1:]
        scores = []
        for label in range(bilinear.shape[0]):
            joint = torch.einsum("bnd,de,bne->bn", left, bilinear[label], right)
            single = torch.cat((left, right), -1) @ linear[label]
            scores.append(joint + single + bias[label])
        return torch.stack(scores, dim=-1)

    def word_sums(self, vectors: Tensor, scores: Tensor, lengths: Tensor) -> Tensor:
        """Section 3.3, word by word: each character gets the sum over its word."""
        sums = torch.zeros_like(vectors)
        for row, length in enumerate(lengths.tolist()):
            start = 0
            for end in range(1, length + 1):
                if end == length or scores[row, end - 1, 1] > scores[row, end - 1, 0]:
                    sums[row, start:end] = vectors[row, start:end].sum(0)
                    start = end
        return sums

    def embed(self, ids: Tensor) -> Tensor:
        """The vector of each character, and its two bigrams where there are any."""
        vectors = self.parameters_of["embedding.characters.weight"][ids[..., 0]]
        if ids.shape[-1] > 1:
            table = self.parameters_of["embedding.bigrams.weight"]
            zero = torch.zeros_like(table[0])
            rows = []
            for row in ids[..., 1]:
                behind = table[row]
                before = torch.cat((zero[None], behind[:-1]))
                rows.append(torch.cat((before, behind), -1))
            vectors = vectors + torch.stack(rows) @ self.parameters_of["embedding.project.weight"].T
        return vectors * math.sqrt(self.config.dim)

    def forward(self, ids: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor | None]:
        """The scores at the end and in the middle, `[batch, length - 1, 2]` each."""
        real = torch.arange(ids.shape[1]) < lengths[:, None]
        embedded = self.embed(ids)
        embedded = embedded + position_encoding(ids.shape[1], self.config.dim, embedded.dtype)
        front = {d: self.encoder(embedded, "front", d, real) for d in self.order}
        inputs, middle = dict(front), None
        if self.config.highway_output:
            middle = self.biaffine(*self.fuse(front, "middle_fusion"), "middle_scorer")
            for direction in self.order:
                words = self.word_sums(front[direction], middle, lengths)
                inputs[direction] = inputs[direction] + words
        if self.config.highway_input:
            inputs = {direction: embedded + x for direction, x in inputs.items()}
        rear = {d: self.encoder(inputs[d], "rear", d, real) for d in self.order}
        return self.biaffine(*self.fuse(rear, "fusion"), "scorer"), middle
