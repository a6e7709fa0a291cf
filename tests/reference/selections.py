"""Selections of keys as their equations stand: one sentence, query, head and key at a time.

The threshold is that of Hu et al. (2022), whose equation numbers stand beside it; sparsemax and
entmax are solved by bisection, from their definition as projections. All in float64; it shares no
code with `fenjie.nn`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def threshold(weight: Tensor, x: Tensor, query: int) -> Tensor:
    """Eq. 7 for one head: T_i = W_t [x_i; mp(x); x_i * mp(x); x_i - mp(x)].

    Args:
        weight: the row of W_t for the head, `[4 * dim]`.
        x: the real tokens of the sentence, `[tokens, dim]`.
        query: i.
    """
    mean = sum(x[token] for token in range(len(x))) / len(x)
    return weight @ torch.cat((x[query], mean, x[query] * mean, x[query] - mean))


def floored(row: Tensor, value: Tensor, keep: int) -> Tensor:
    """Eq. 8: min(topk_i, T_i), topk_i the k-th largest score, k at most the number of keys."""
    if not keep:
        return value
    order = sorted(range(len(row)), key=lambda key: -row[key].item())
    topk = row[order[min(keep, len(row)) - 1]]
    return topk if topk < value else value


def probability(score: Tensor, cut: Tensor, amplification: float) -> Tensor:
    """Eq. 9: b_ij, the approximate step."""
    return 1 / (1 + torch.exp(-amplification * (score - cut)))


def sample(b: Tensor, noise: tuple[Tensor, Tensor], temperature: float) -> Tensor:
    """Eq. 17 for k = 1: the soft z_ij, from g_0 and g_1."""
    scaled = [
        torch.exp((torch.log(part) + g) / temperature)
        for part, g in zip((1 - b, b), noise, strict=True)
    ]
    return scaled[1] / (scaled[0] + scaled[1])


def attention(row: Tensor, z: Sequence[Tensor]) -> Tensor:
    """Eq. 11 and 12 as weights in proportion to z exp(A): the softmax over the kept keys."""
    mass = [z[key] * torch.exp(row[key]) for key in range(len(row))]
    return torch.stack(mass) / sum(mass)


def trained(
    scores: Tensor,
    cuts: Tensor,
    noise: tuple[Tensor, Tensor],
    *,
    keep: int,
    amplification: float,
    temperature: float,
    soft: bool,
) -> tuple[Tensor, Tensor]:
    """Eq. 8 to 12 in training for one sentence without padding.

    Args:
        scores: A, `[heads, queries, keys]`.
        cuts: T, `[heads, queries]`.
        noise: g_0 and g_1 of eq. 17, each `[heads, queries, keys]`.
        keep: k of eq. 8.
        amplification: α of eq. 9.
        temperature: τ of eq. 17.
        soft: whether z is the soft sample; else its rounded value with its gradient.

    Returns:
        The weights and z, both `[heads, queries, keys]`.
    """
    weights, kept = torch.empty_like(scores), torch.empty_like(scores)
    for head, of_head in enumerate(scores):
        for query, row in enumerate(of_head):
            cut = floored(row, cuts[head, query], keep)
            samples = []
            for key, score in enumerate(row):
                b = probability(score, cut, amplification)
                pair = (noise[0][head, query, key], noise[1][head, query, key])
                samples.append(sample(b, pair, temperature))
            if not soft:
                chosen = [z.item() > 0.5 for z in samples]  # eq. 16 of the sample
                if not any(chosen):
                    chosen[int(row.argmax())] = True
                samples = [float(c) + z - z.detach() for c, z in zip(chosen, samples, strict=True)]
            weights[head, query] = attention(row, samples)
            kept[head, query] = torch.stack(samples)
    return weights, kept


def evaluated(scores: Tensor, cuts: Tensor, *, keep: int) -> Tensor:
    """Eq. 8, 16, 11 and 12 without noise: z = [A >= T]; `[heads, queries, keys]`."""
    weights = torch.zeros_like(scores)
    for head, of_head in enumerate(scores):
        for query, row in enumerate(of_head):
            cut = floored(row, cuts[head, query], keep)
            kept = [key for key, score in enumerate(row) if score >= cut]
            kept = kept or [int(row.argmax())]
            total = sum(math.exp(row[key]) for key in kept)
            for key in kept:
                weights[head, query, key] = math.exp(row[key]) / total
    return weights


def penalty(samples: Sequence[Tensor], lengths: Sequence[int], sparsity: float) -> Tensor:
    """Eq. 19: λ‖z‖₁ / L, the mean over the sentences; z `[heads, queries, keys]` of each.

    z is never negative: the norm is the sum, which has a gradient at z = 0 too.
    """
    total = torch.zeros((), dtype=torch.float64)
    for z, length in zip(samples, lengths, strict=True):
        for value in z.flatten():
            total = total + sparsity * value / length
    return total / len(lengths)


def best(row: Tensor, keep: int) -> Tensor:
    """Explicit top-k of one query: softmax over the scores that reach the k-th highest."""
    limit = sorted(row.tolist(), reverse=True)[min(keep, len(row)) - 1]
    kept = [float(score >= limit) for score in row.tolist()]
    return attention(row, torch.tensor(kept, dtype=row.dtype).unbind())


def projected(row: Tensor, power: float) -> Tensor:
    """Sparsemax (power 1, scores as they are) or 1.5-entmax (power 2, scores halved).

    Weights are max(score - τ, 0) to the power, with the τ that makes them sum to 1: by bisection.
    """
    row = row if power == 1 else row / 2
    low, high = row.max().item() - 1, row.max().item()
    for _ in range(100):
        middle = (low + high) / 2
        total = sum(max(score - middle, 0.0) ** power for score in row.tolist())
        low, high = (middle, high) if total > 1 else (low, middle)
    return (row - low).clamp(min=0) ** power
