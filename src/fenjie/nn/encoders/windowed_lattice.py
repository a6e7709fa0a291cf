"""Dilated, shifted windows over a flat lattice (FLAT with DSWA).

The tokens of a sentence stand in the order of their heads, then of their tails: a word stands
beside its characters. Windows are stretches of this order. Within them the score is that of FLAT,
eq. 11, whose R (eq. 8) is computed once for each distinct position of two spans to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.padded_spans import PaddedSpans, between, pair_products
from fenjie.nn.attention.padded_windows import Frame, padded_rounds
from fenjie.nn.attention.selection import Encoded, Penalty
from fenjie.nn.attention.span_positions import SpanPositions
from fenjie.nn.attention.window_partition import WindowConfig, Windows, partition, schedule
from fenjie.nn.encoders.windowed import WindowRounds
from fenjie.nn.lattice import Ints, Tokens
from fenjie.nn.positions import encoded_distances


class LatticeRound(NamedTuple):
    """One round over a batch.

    Attributes:
        number: which round it is.
        windows: the windows and their tokens.
        rows: which of the distinct positions of the batch occur in its windows, `[positions]`.
        pairs: which of those each pair has, `[windows, size, size]`, query by key.
    """

    number: int
    windows: Windows
    rows: Tensor
    pairs: Tensor


@dataclass(frozen=True)
class WindowPattern:
    """The windows of a batch of lattices.

    Attributes:
        query_tokens: the tokens whose vectors are wanted at the end, `[queries]`; None for all.
        rounds: the rounds that any sentence takes part in.
        offsets: of each distinct position, the head of the query minus that of the key,
            `[distinct]`.
        lengths: the length of the query, `[distinct]`.
        key_lengths: the length of the key, `[distinct]`.
        positions: R of eq. 8.
    """

    query_tokens: Tensor | None
    rounds: tuple[LatticeRound, ...]
    offsets: Ints
    lengths: Ints
    key_lengths: Ints
    positions: SpanPositions

    @classmethod
    def make(
        cls, tokens: Tokens, positions: SpanPositions, config: WindowConfig, *, word_queries: bool
    ) -> WindowPattern:
        """The pattern of a batch.

        With `word_queries` the vectors of words are wanted at the end too.
        """
        sizes, device = np.diff(tokens.sentences), tokens.order.device
        owner = np.arange(len(sizes)).repeat(sizes)
        order = np.lexsort((tokens.lengths, tokens.heads, owner))
        characters = np.bincount(owner[tokens.characters.cpu().numpy()], minlength=len(sizes))
        longest, furthest = int(tokens.lengths.max()), int(tokens.heads.max())
        found = []
        for number, step in enumerate(schedule(config.size, config.rounds)):
            windows = partition(sizes.tolist(), config.size, step, device, order, characters)
            if windows is None:
                continue
            # An empty slot counts as a token of length 1 at the head of the window's first one.
            take, real = windows.take.cpu().numpy(), windows.real.cpu().numpy()
            head = tokens.heads[take].reshape(real.shape)
            head = np.where(real, head, head[np.arange(len(head)), real.argmax(1)][:, None])
            length = np.where(real, tokens.lengths[take].reshape(real.shape), 1) - 1
            code = (head[:, :, None] - head[:, None, :] + furthest) * longest
            code = (code + length[:, :, None]) * longest + length[:, None, :]
            codes, index = np.unique(code, return_inverse=True)
            found.append((number, windows, codes, index.reshape(code.shape)))
        distinct = np.unique(np.concatenate([codes for *_, codes, _ in found]))
        rounds = tuple(
            LatticeRound(
                number,
                windows,
                torch.from_numpy(np.searchsorted(distinct, codes)).to(device),
                torch.from_numpy(index).to(device),
            )
            for number, windows, codes, index in found
        )
        rest, key_lengths = np.divmod(distinct, longest)
        offsets, lengths = np.divmod(rest, longest)
        return cls(
            None if word_queries else tokens.characters,
            rounds,
            offsets - furthest,
            lengths + 1,
            key_lengths + 1,
            positions,
        )

    def queries(self, x: Tensor) -> Tensor:
        """The vectors of the tokens that are wanted: `[tokens, dim] -> [queries, dim]`."""
        return x if self.query_tokens is None else x.index_select(0, self.query_tokens)


class LatticeWindows(WindowRounds):
    """The attentions over a lattice; each has a W_k,R of its own, or all share one."""

    def __init__(self, config: AttentionConfig) -> None:
        """Make the attentions of the rounds."""
        super().__init__(config)
        dim = config.dim
        self.position = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in self.attentions)
        for weight in self.position.parameters():
            nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor, pattern: WindowPattern | PaddedSpans) -> Encoded:
        """Mix the vectors of the tokens.

        All tokens take part in all rounds; words that are no queries are dropped only then.

        Args:
            x: the vectors of all tokens, `[tokens, dim]`; of a padded batch
                `[batch, tokens, dim]`.
            pattern: the windows, and R.

        Returns:
            `[queries, dim]`, in the order of the tokens, or `[batch, queries, dim]`.
        """
        if isinstance(pattern, PaddedSpans):
            return self._padded(x, pattern)
        encoded = pattern.positions.pairs(pattern.offsets, pattern.lengths, pattern.key_lengths, x)
        penalty: Penalty = 0.0
        for number, windows, rows, pairs in pattern.rounds:
            keys = self._project(number)(encoded.index_select(0, rows))
            x, cost = self.round(number, x, windows, keys, pairs)
            penalty = penalty + cost
        return Encoded(pattern.queries(x), penalty)

    def _project(self, number: int) -> nn.Module:
        """W_k,R of a round."""
        return self.position[0 if self.config.shared else number]

    def _padded(self, x: Tensor, pattern: PaddedSpans) -> Encoded:
        """`[batch, tokens, dim] -> [batch, queries, dim]`."""
        lattice, positions, reach = pattern.lattice, pattern.positions, pattern.reach
        heads, tails = lattice.edges
        behind = torch.full_like(heads, (reach + 1) ** 2)
        order = torch.where(lattice.token_mask, heads * (reach + 1) + tails, behind).argsort(dim=1)
        heads, tails, real = (each.gather(1, order) for each in (heads, tails, lattice.token_mask))
        edges = torch.stack((heads, tails), dim=-1)
        tables = positions.tables(encoded_distances(-reach, reach, positions.dim, x))
        x = _rows(x, order)
        scores = partial(self._position_scores, edges=edges, tables=tables)
        x, penalty = padded_rounds(self, x, real, lattice.lengths, scores)
        return Encoded(pattern.queries(_rows(x, order.argsort(dim=1))), penalty)

    def _position_scores(
        self,
        frame: Frame,
        number: int,
        position: Tensor,
        edges: Tensor,
        tables: Mapping[str, Tensor],
    ) -> Tensor:
        """Eq. 4 to 11 for the pairs of a window (see `PositionScores`).

        By heads and tails of the tokens, `[batch, tokens, 2]`, and the parts of eq. 8 by distance,
        of which 0 is in the middle, `[distances, dim]`.
        """
        ends = dict(zip("ht", frame.split(edges).unbind(-1), strict=True))
        keys = self._project(number)(between(ends, tables))
        return pair_products(position, keys, self.attention(number).heads)


def _rows(x: Tensor, order: Tensor) -> Tensor:
    """The tokens of each sentence in another order: `[batch, tokens, dim]`, `[batch, tokens]`."""
    first = torch.arange(x.shape[0], device=x.device)[:, None] * x.shape[1]
    return F.embedding(order + first, x.flatten(0, 1))
