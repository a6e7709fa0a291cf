"""Dilated shift window attention as its text stands (Hou et al. 2023, section 3, figures 3 to 6).

It shares no code with `fenjie.nn`: sequences are lists of positions, windows are lists of such, and
each query scores each key of its window by itself. It reads the parameters of the fast modules, and
takes one sentence at a time, in evaluation mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Near = Callable[[int, int], Tensor]
"""What R of a pair of positions is projected to: `[dim]`."""


def sinusoid(distance: int, dim: int) -> Tensor:
    """p_d of Vaswani et al. (2017), for a distance of either sign: `[dim]`."""
    columns = []
    for k in range(dim // 2):
        angle = distance / 10000 ** (2 * k / dim)
        columns += [math.sin(angle), math.cos(angle)]
    return torch.tensor(columns, dtype=torch.float64)


def split(sequence: Sequence[int], size: int, shift: int) -> list[Sequence[int]]:
    """Figure 3 and 4: cut a sequence into windows; the first one has `shift` positions, if any."""
    windows = [sequence[:shift]] if shift else []
    rest = sequence[shift:]
    windows += [rest[at : at + size] for at in range(0, len(rest), size)]
    return windows


def dilate(sequences: Sequence[Sequence[int]], size: int) -> list[Sequence[int]]:
    """Figure 5: the first vectors of all windows make a new sequence, so do the second ones, …"""
    return [sequence[place::size] for sequence in sequences for place in range(size)]


def rounds(length: int, size: int, number: int) -> list[tuple[int, list[Sequence[int]]]]:
    """The windows of each attention over a sentence, with the number of the attention."""
    found: list[tuple[int, list[Sequence[int]]]] = []
    sequences: list[Sequence[int]] = [range(length)]
    for t in range(number):
        if t:
            sequences = dilate(sequences, size)
            if max(map(len, sequences)) < size:
                break  # no longer lengthy enough
        for shifted in (False, True):
            shift = size // 2 if shifted else 0
            windows = [w for sequence in sequences for w in split(sequence, size, shift) if w]
            found.append((2 * t + shifted, windows))
    last = [window for window in split(range(length), size, size // 2) if window]
    return [*found, (2 * number, last)]


def select(attention: torch.nn.Module, scores: Tensor, threshold: float | Tensor) -> Tensor:
    """The weights of the keys of one query in one head, `[keys]`, without noise."""
    config = attention.selection.config
    if config.kind == "dense":
        return torch.softmax(scores, dim=0)
    best = sorted(scores.tolist(), reverse=True)
    if config.kind == "top-k":
        cut = best[min(config.keep, len(best)) - 1]
    else:
        assert config.kind == "threshold"
        cut = min(best[min(max(config.keep, 1), len(best)) - 1], float(threshold))
    return torch.softmax(scores.masked_fill(scores < cut, -math.inf), dim=0)


def attend(
    attention: torch.nn.Module, x: Tensor, windows: Sequence[Sequence[int]], near: Near
) -> Tensor:
    """One attention within windows, pair by pair: `[length, dim] -> [length, dim]`."""
    dim, heads = x.shape[1], attention.heads
    size = dim // heads
    weight = attention.project.weight
    query, value = x @ weight[:dim].T, x @ weight[dim : 2 * dim].T
    key = x @ weight[2 * dim :].T if len(weight) == 3 * dim else x
    u, v = attention.content_bias, attention.position_bias
    thresholds = torch.zeros(heads, len(x))
    if attention.selection.config.kind == "threshold" and attention.selection.config.dynamic:
        mean = x.mean(dim=0)
        for i in range(len(x)):
            matched = torch.cat((x[i], mean, x[i] * mean, x[i] - mean))
            thresholds[:, i] = attention.selection.weight.detach() @ matched.detach()
    rows: list[Tensor] = [x[0]] * len(x)
    for window in windows:
        for i in window:
            mixed = []
            for head in range(heads):
                at = slice(head * size, (head + 1) * size)
                scores = []
                for j in window:
                    r = near(i, j)[at]
                    score = query[i, at] @ key[j, at] + query[i, at] @ r
                    score = score + u[head] @ key[j, at] + v[head] @ r
                    scores.append(score * attention.factor)
                weights = select(attention, torch.stack(scores), thresholds[head, i])
                mixed.append(sum(w * value[j, at] for w, j in zip(weights, window, strict=True)))
            rows[i] = torch.cat(mixed)
    joined = torch.stack(rows)
    if attention.merge is not None:
        joined = joined @ attention.merge.weight.T + attention.merge.bias
    return joined


def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
    """Layer normalisation (Ba et al. 2016)."""
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + layer.eps) * layer.weight + layer.bias


def all_rounds(module: torch.nn.Module, x: Tensor, near: Callable[[int], Near]) -> Tensor:
    """All attentions over one sentence; `near` takes the number of an attention."""
    config = module.config
    for number, windows in rounds(len(x), config.size, config.rounds):
        index = 0 if config.shared else number
        mixed = attend(module.attentions[index], x, windows, near(index))
        x = norm(x + mixed, module.norms[number]) if config.residual else mixed
    return x


def over_characters(module: torch.nn.Module, x: Tensor) -> Tensor:
    """`CharacterWindows` for one sentence: `[length, dim]` to the same."""
    return all_rounds(module, x, lambda number: lambda i, j: sinusoid(i - j, x.shape[1]))


def span_position(positions: torch.nn.Module, query: Sequence[int], key: Sequence[int]) -> Tensor:
    """R of FLAT, eq. 4 to 8, for two spans, each a head and a tail."""
    dim = positions.dim
    head, tail = query
    other_head, other_tail = key
    if positions.distances == "head":
        return sinusoid(head - other_head, dim)
    distances = [head - other_head, tail - other_tail]
    if positions.distances == "four":
        distances = [head - other_head, tail - other_head, head - other_tail, tail - other_tail]
    joint = torch.cat([sinusoid(distance, dim) for distance in distances])
    return torch.relu(positions.weight @ joint)


def over_lattice(
    module: torch.nn.Module,
    positions: torch.nn.Module,
    x: Tensor,
    spans: Sequence[tuple[int, int]],
) -> Tensor:
    """`fenjie.nn.encoders.windowed_lattice.LatticeWindows` for one sentence.

    Args:
        module: the windows.
        positions: what makes R.
        x: the tokens in any order, `[tokens, dim]`.
        spans: head and tail of each.

    Returns:
        `[tokens, dim]`, in the same order.
    """
    order = sorted(range(len(spans)), key=lambda token: spans[token])

    def near(number: int) -> Near:
        weight = module.position[number].weight

        def project(i: int, j: int) -> Tensor:
            return weight @ span_position(positions, spans[order[i]], spans[order[j]])

        return project

    mixed = all_rounds(module, x[order], near)
    back = sorted(range(len(order)), key=lambda place: order[place])
    return mixed[back]
