"""Decoding with a linear-chain CRF, in numpy: best tags, probabilities of spans.

Tables are as `fenjie.nn.decoders.crf.Crf.table` gives them, `[tags + 2, tags]`: the scores of
transitions from each tag, then of the first tag, then of the last; -inf is forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.runtime.decoding.forward_backward import (
    ForwardBackward,
    Ints,
    Rows,
    Scores,
    Steps,
    Stretches,
)
from fenjie.text.span import Span
from fenjie.text.tags import TagSet

NO_TAG = -1
"""The tag at padding; among fixed tags, that of a character whose tag is free."""

LONG = 1024
"""Scores of longer sentences are added up in float64: in float32, sums over thousands of characters
are too coarse to tell paths apart."""


def viterbi(scores: Scores, lengths: Ints, table: Scores) -> Ints:
    """The best tags of each sentence.

    Of equally good paths it is the one with the smaller tag where, seen from the end, they first
    differ.

    Args:
        scores: score of each tag, `[batch, length, tags]`; -inf is forbidden.
        lengths: characters of each sentence, `[batch]`.
        table: `[tags + 2, tags]`.

    Returns:
        `[batch, length]`, `NO_TAG` at padding.

    Raises:
        FenjieError: a sentence has no path that the scores and the table allow.
    """
    batch, length, size = scores.shape
    if not length:
        return np.empty((batch, 0), dtype=np.int64)
    rows = Rows.of(lengths, length)
    exact = np.float64 if length > LONG else scores.dtype
    table = table.astype(exact)
    pairs, begin, end = table[:-2], table[-2], table[-1]
    # (N, B, T)
    best = scores[rows.order].transpose(1, 0, 2).astype(exact, order="C")
    best[0] += begin
    # (T from, B, T to): the maximum over the first axis is the one that numpy vectorises
    each = np.ascontiguousarray(np.broadcast_to(pairs[:, None], (size, batch, size)))
    ways = np.empty(each.shape, dtype=best.dtype)
    columns = best.transpose(0, 2, 1)[..., None]
    for first, last, count in rows.stretches:
        way, pair, found = ways[:, :count], each[:, :count], np.empty((count, size), best.dtype)
        before, here = columns[first - 1 : last - 1, :, :count], best[first:last, :count]
        for column, row in zip(before, here, strict=True):
            np.add(column, pair, out=way)
            np.maximum.reduce(way, axis=0, out=found)
            np.add(row, found, out=row)
    final = best[rows.last, np.arange(batch)] + end
    lost = rows.order[(final.max(axis=1) == -np.inf) & (rows.sizes > 0)]
    if len(lost):
        raise FenjieError(f"sentence {lost.min()} of the batch has no tags that are allowed")
    # Where each tag on the path came from is found again: cheaper than to note it for all tags.
    came_from = np.ascontiguousarray(pairs.T)
    path = np.full((length, batch), NO_TAG, dtype=np.int64)
    path[rows.last, np.arange(batch)] = np.where(rows.sizes > 0, final.argmax(axis=1), NO_TAG)
    for first, last, count in reversed(rows.stretches):
        if count == 1:
            ways_to, tag = list(came_from), path[last - 1, 0]
            for t in range(last - 2, first - 2, -1):
                tag = path[t, 0] = (best[t, 0] + ways_to[tag]).argmax()
            continue
        for t in range(last - 2, first - 2, -1):
            way = best[t, :count] + came_from.take(path[t + 1, :count], axis=0)
            way.argmax(axis=1, out=path[t, :count])
    tags = np.empty((batch, length), dtype=np.int64)
    tags[rows.order] = path.T
    return tags


def likeliest(
    scores: Scores, lengths: Ints, table: Scores, sums: ForwardBackward, forbidden: bool = True
) -> Ints:
    """`viterbi`, where the probabilities are known anyway.

    The tags that are each the likeliest of their character are the best path if that has more than
    half of the probability, as no other can have so much. Of a trained model, that is nearly always
    so; only the other sentences are left to `viterbi`. Another path differs from this one at some
    character: so it has more than half if what all characters leave to other tags is less.

    Args:
        scores: `[batch, length, tags]`; length at least 1.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
        sums: those of the sentences.
        forbidden: whether scores may be -inf.

    Returns:
        `[batch, length]`, `NO_TAG` at padding.
    """
    order, joint = sums.rows.order, sums.joint
    tags = joint.argmax(axis=-1)
    with np.errstate(invalid="ignore"):
        left = 1.0 - joint.max(axis=-1) / sums.total
    if sums.rows.uneven:
        padding = np.arange(len(tags))[:, None] >= sums.rows.sizes
        left[padding], tags[padding] = 0.0, NO_TAG
    path = np.empty((len(lengths), len(tags)), dtype=np.int64)
    path[order] = tags.T
    doubt = ~(left.sum(axis=0) < 1.0 - MOST)
    doubtful = order[doubt]
    if len(doubtful):
        whole = Stretches.of(doubtful, np.zeros_like(doubtful), lengths[doubtful])
        doubtful = doubtful[~(sums.probability(whole, path[whole.row, whole.at]) >= MOST)]
    if forbidden:
        # A forbidden score counts as very low in the sums: it may be half of nothing.
        rows = np.arange(len(path))[:, None], np.arange(len(tags))
        refused = ((scores[(*rows, path)] == -np.inf) & (path != NO_TAG)).any(axis=1)
        doubtful = np.union1d(doubtful, np.flatnonzero(refused))
    if len(doubtful):
        longest = int(lengths[doubtful].max(initial=0))
        path[doubtful, :longest] = viterbi(scores[doubtful, :longest], lengths[doubtful], table)
    return path


MOST = 0.5 + 1e-6
"""A path with this probability is the best one, whatever the rounding."""


def confidence(
    scores: Scores,
    lengths: Ints,
    table: Scores,
    tags: TagSet,
    spans: Sequence[Sequence[Span]],
) -> list[NDArray[np.float64]]:
    """The probability that exactly this span with this label stands there: the sum over all paths.

    The paths are those with the tags that `TagSet.encode` writes for the span.

    Args:
        scores: `[batch, length, tags]`.
        lengths: `[batch]`.
        table: `[tags + 2, tags]`.
        tags: the tags that are scored.
        spans: any spans inside of each sentence; they may overlap.

    Returns:
        For each sentence an array of as many probabilities as it has spans.

    Raises:
        FenjieError: a label is not among those of the tags.
    """
    counts = [len(each) for each in spans]
    places = [(row, span) for row, each in enumerate(spans) for span in each]
    paths = [tags.path(span.label, span.end - span.start) for _, span in places]
    row = np.repeat(np.arange(len(spans)), counts)
    start = np.array([span.start for _, span in places], dtype=np.int64)
    sizes = np.array([len(path) for path in paths], dtype=np.int64)
    tag = np.concatenate([*paths, np.empty(0, dtype=np.int64)])
    sums = ForwardBackward(scores, lengths, Steps.of(table))
    found = sums.probability(Stretches.of(row, start, start + sizes), tag)
    return np.split(found, np.cumsum(counts)[:-1])
