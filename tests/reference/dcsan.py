"""DCSAN as its equations stand, one sentence, head and character at a time.

It reads the parameters of a `fenjie.models.dcsan.Dcsan` in evaluation mode. The sets of words are
those of SoftLexicon, the self-lattice attention is that of TENER: both have oracles of their own,
which are used here.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from fenjie.nn.lattice import Lattice
from tests.reference.soft_lexicon import pooled
from tests.reference.tener import encode


def mapped(linear: torch.nn.Linear, x: Tensor) -> Tensor:
    """One vector through a linear map."""
    return linear.weight @ x if linear.bias is None else linear.weight @ x + linear.bias


def cross(module: torch.nn.Module, x: list[Tensor], words: list[Tensor]) -> list[Tensor]:
    """Each character attends to the words of all characters."""
    dim = len(x[0])
    size = dim // module.heads
    keys = [mapped(module.keys, torch.relu(word)) for word in words]
    found = []
    for own in x:
        query, parts = mapped(module.query, torch.relu(own)), []
        for head in range(module.heads):
            at, value = slice(head * size, head * size + size), slice(dim, None)
            powers = torch.stack(
                [torch.exp(query[at] @ key[:dim][at] / math.sqrt(size)) for key in keys]
            )
            weights = powers / powers.sum()
            parts.append(sum(w * key[value][at] for w, key in zip(weights, keys, strict=True)))
        found.append(mapped(module.merge, torch.cat((own, *parts))))
    return found


def gated(module: torch.nn.Module, x: Tensor, word: Tensor) -> Tensor:
    """The mixture of a character and its words."""
    joint = torch.cat(
        (torch.tanh(mapped(module.first, x)), torch.tanh(mapped(module.second, word)))
    )
    gate = torch.sigmoid(mapped(module.both, joint))
    return gate * x + (1 - gate) * word


def scores(model: torch.nn.Module, lattice: Lattice) -> Tensor:
    """The scores of the tags of one sentence, `[length, tags]`."""
    embedding = model.embedding
    (length,), (many,) = lattice.lengths.tolist(), lattice.words.tolist()
    x = []
    for character, bigram in lattice.ids[0].tolist():
        own = (embedding.characters.weight[character], embedding.bigrams.weight[bigram])
        x.append(mapped(model.project_characters, torch.cat(own)))
    rows = embedding.words.weight[lattice.word[0, :many]]
    places = (part[0, :many].tolist() for part in (lattice.start, lattice.end))
    seen = lattice.counts[0, :many].tolist()
    sets = pooled(length, list(zip(*places, rows, seen, strict=True)), model.sets.none)
    words = [mapped(model.project_words, row) for row in sets]
    crossed = cross(model.cross, x, words)
    y = torch.stack([gated(model.gate, *pair) for pair in zip(crossed, words, strict=True)])
    y = encode(model, "encoder.", model.config, y)
    return torch.stack([mapped(model.output, row) for row in y])
