"""MECT as its equations stand: one query, one head and one key at a time, a sentence alone.

It shares no code with `fenjie.nn`, and reads the parameters of a `fenjie.models.mect.Mect` in
evaluation mode.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fenjie.nn.lattice import Lattice
from tests.reference.dcsan import mapped
from tests.reference.plt import Span, norm
from tests.reference.tener import sinusoid


def radical(module: torch.nn.Module, parts: list[int]) -> Tensor:
    """The vector of a character from the ids of its components: CNN, ReLU, maximum, linear map."""
    size = module.components.embedding_dim
    around = [torch.zeros(size, dtype=torch.float64)]
    x = [*around, *(module.components.weight[part] for part in parts), *around]
    rows = []
    for place in range(1, len(parts) + 1):
        row = module.convolution.bias
        for step in range(3):
            row = row + module.convolution.weight[:, :, step] @ x[place - 1 + step]
        rows.append(torch.relu(row))
    return mapped(module.output, torch.stack(rows).max(dim=0).values)


def cross_layer(
    layer: torch.nn.Module, x: list[Tensor], spans: list[Span], queries: list[Tensor]
) -> list[Tensor]:
    """Eq. 11 to 14, for the characters as queries: `x` gives keys and values, and the residual."""
    attention, dim = layer.attention, len(x[0])
    size = dim // attention.heads
    found = []
    for i, other in enumerate(queries):
        parts = []
        for head in range(attention.heads):
            at, powers = slice(head * size, (head + 1) * size), []
            q = mapped(attention.query, other)[at]
            u, v = attention.content_bias[head], attention.position_bias[head]
            for j, (start, end) in enumerate(spans):
                both = torch.cat((sinusoid(i - start, dim), sinusoid(i - end, dim)))
                r = mapped(attention.position, torch.relu(layer.positions.weight @ both))[at]
                score = (q + u) @ x[j][at] + (q + v) @ r
                if attention.random is not None and max(i, j) < attention.random.shape[1]:
                    score = score + attention.random[head, i, j]
                powers.append(torch.exp(score))
            values = [mapped(attention.value, own)[at] for own in x]
            total = sum(powers)
            mixed = [power / total * value for power, value in zip(powers, values, strict=True)]
            parts.append(sum(mixed))
        y = norm(x[i] + torch.cat(parts), layer.attention_norm)
        wide = torch.relu(mapped(layer.widen, y))
        found.append(norm(y + mapped(layer.narrow, wide), layer.feed_forward_norm))
    return found


def scores(model: torch.nn.Module, lattice: Lattice) -> Tensor:
    """The scores of the tags of one sentence, `[length, tags]`."""
    embedding = model.embedding
    (length,), (many,) = lattice.lengths.tolist(), lattice.words.tolist()
    spans, x, radicals = [(i, i) for i in range(length)], [], []
    for character, bigram in lattice.ids[0].tolist():
        own = (embedding.characters.weight[character], embedding.bigrams.weight[bigram])
        x.append(mapped(model.project_characters, torch.cat(own)))
        parts = [part for part in model.components.parts[character].tolist() if part]
        radicals.append(mapped(model.project_components, radical(model.components, parts)))
    characters = list(x)
    columns = (lattice.start[0, :many], lattice.end[0, :many], lattice.word[0, :many])
    for start, end, word in sorted(zip(*(c.tolist() for c in columns), strict=True)):
        x.append(mapped(model.project_words, embedding.words.weight[word]))
        spans.append((start, end))
    of_lattice = cross_layer(model.lattice_layer, x, spans, radicals)
    of_radicals = cross_layer(model.radical_layer, radicals, spans[:length], characters)
    rows = [torch.cat(pair) for pair in zip(of_radicals, of_lattice, strict=True)]
    return torch.stack([mapped(model.output, row) for row in rows])
