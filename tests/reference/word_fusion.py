"""Word fusion as its equations stand (ATSSA, eq. 13 to 15, with the score of eq. 5).

It shares no code with `fenjie.nn`. It reads the parameters of a `WordFusion` and takes
one sentence: for each character its word set, for each word of the set a score.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tests.reference.tener import sinusoid, softmax


def fuse(
    module: torch.nn.Module,
    characters: Tensor,
    words: Tensor,
    start: Sequence[int],
    end: Sequence[int],
) -> Tensor:
    """x^w of each character, `[length, dim]`.

    Args:
        module: the layer.
        characters: the vectors of the characters, `[length, dim]`.
        words: those of the words, `[words, dim]`.
        start: the first character of each word.
        end: its last character.
    """
    dim, heads = characters.shape[1], module.heads
    size = dim // heads
    query = characters @ module.get_parameter("query.weight").T
    key = words @ module.get_parameter("key.weight").T
    value = words @ module.get_parameter("value.weight").T
    rows = []
    for i in range(len(characters)):
        matched = [w for w in range(len(words)) if start[w] <= i <= end[w]]  # eq. 13
        if not matched:
            rows.append(torch.zeros(dim, dtype=characters.dtype))
            continue
        mixed = []
        for head in range(heads):
            at = slice(head * size, (head + 1) * size)
            u = module.get_parameter("content_bias")[head]
            v = module.get_parameter("position_bias")[head]
            scores = []
            for w in matched:
                both = torch.cat((sinusoid(i - start[w], dim), sinusoid(i - end[w], dim)))  # eq. 14
                r = (module.get_parameter("position.weight") @ both)[at]  # eq. 15
                q, k = query[i, at], key[w, at]
                scores.append(q @ k + q @ r + u @ k + v @ r)  # eq. 5
            weights = softmax(torch.stack(scores))
            mixed.append(sum(weights[n] * value[w, at] for n, w in enumerate(matched)))
        rows.append(torch.cat(mixed))
    return torch.stack(rows)
