"""From the scores of tags to the log-odds that something begins at a character, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fenjie.runtime.decoding.forward_backward import ForwardBackward, Ints, Scores, Steps


def log_odds(
    scores: Scores, lengths: Ints, steps: Steps, begins: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """The log-odds, under a CRF, that each character has one of some tags, against all others.

    Args:
        scores: score of each tag, `[batch, length, tags]`.
        lengths: characters of each sentence, `[batch]`.
        steps: the transitions.
        begins: which tags these are, `[tags]`.

    Returns:
        `[batch, length]`, infinite where all paths have such a tag or none has; anything at
        padding.
    """
    sums = ForwardBackward(scores, lengths, steps)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(sums.joint[..., begins].sum(-1)) - np.log(sums.joint[..., ~begins].sum(-1))
    # (N, B) by length -> (B, N) as given
    result = np.empty(scores.shape[:2], dtype=np.float32)
    result[sums.rows.order] = found.T
    return result
