"""Attention over a lattice with relative positions of spans (FLAT, eq. 11), without padding.

The tokens of a batch stand one after another. Each block of queries (of one sentence and one
length) scores all keys of its sentence. The part of the score that comes from positions is
computed for each distinct pair of positions in the sentence, one small matrix product a block;
the score of a key is then looked up there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from fenjie.nn.attention.base import AttentionConfig, RelativeBase, scaled
from fenjie.nn.attention.padded_spans import PaddedSpans
from fenjie.nn.attention.selection import Encoded, Penalty, masked_mean
from fenjie.nn.attention.selections import is_dense
from fenjie.nn.attention.span_pattern import Block, SpanPattern
from fenjie.nn.attention.span_positions import PositionKeys
from fenjie.nn.one_type import in_one_type

MOST_SAVED = 1 << 24
"""The most attention weights of a batch that are saved for its backward pass."""

MOST_SELECTED = 1 << 21
"""The most scores, padding included, for one call of the selection in inference."""


class LatticeAttention(RelativeBase):
    """Multi-head attention with the score of eq. 11."""

    def __init__(self, config: AttentionConfig) -> None:
        """Make the projections."""
        super().__init__(config, position=True)
        self.position_keys = PositionKeys(self.position)

    def forward(self, x: Tensor, pattern: SpanPattern | PaddedSpans) -> Encoded:
        """Mix the values for each query.

        Args:
            x: the vectors of all tokens, `[tokens, dim]`; of a padded batch
                `[batch, tokens, dim]`.
            pattern: masks, R and queries of the batch.

        Returns:
            `[queries, dim]`, in the order of the tokens, or `[batch, queries, dim]`.
        """
        if isinstance(pattern, PaddedSpans):
            return self._padded(x, pattern)
        # (tokens, D) -> (tokens, H, D/H)
        content, position, key, value = self.project(x, pattern.queries(x))
        relative_keys = [
            self.position_keys(pattern.positions, length, pattern.lengths, pattern.reach)
            for length in pattern.query_lengths
        ]
        if is_dense(self.selection):
            mixed: Tensor = in_one_type(
                _Attend.apply, pattern, content, position, key, value, *relative_keys
            )
            return Encoded(self.joined(mixed))
        scorer = _Scorer(pattern, content, position, key, relative_keys)
        mixed, penalty = self._select(x, pattern, scorer, value)
        return Encoded(self.joined(mixed), penalty)

    def _padded(self, x: Tensor, pattern: PaddedSpans) -> Encoded:
        """`[batch, tokens, dim] -> [batch, queries, dim]`."""
        split, queries = (self.heads, x.shape[-1] // self.heads), pattern.queries(x)
        query = F.linear(queries, *scaled(self.query, self.factor))
        content = (query + self.content_bias.flatten() * self.factor).unflatten(-1, split)
        position = query + self.position_bias.flatten() * self.factor
        key = (x if self.key is None else self.key(x)).unflatten(-1, split)
        value = self.value(x).unflatten(-1, split)
        # (B, H, Q, D/H) x (B, H, D/H, T)
        scores = content.transpose(1, 2) @ key.permute(0, 2, 3, 1)
        scores = scores + pattern.position_scores(position, self.heads, self.position)
        thresholds = self.selection.thresholds(queries, masked_mean(x, pattern.lattice.token_mask))
        kept = self.selection(scores + pattern.bias, thresholds, pattern.shares)
        mixed = (kept.weights @ value.transpose(1, 2)).transpose(1, 2)
        return Encoded(self.joined(mixed), kept.penalty)

    def _select(self, x: Tensor, pattern: SpanPattern, scorer: _Scorer, value: Tensor) -> Encoded:
        """Scores, weights of the keys that are kept and mixing, block by block."""
        sizes = [block.size for block in pattern.blocks]
        thresholds: Sequence[Tensor | None] = [None] * len(sizes)
        if (made := self.selection.thresholds(pattern.queries(x), pattern.means(x))) is not None:
            thresholds = made.split(sizes, dim=-1)
        values, mixed = pattern.by_sentence(value), []
        widest = max(pattern.sizes)
        small = self.heads * sum(sizes) * widest <= MOST_SELECTED
        if small and len(sizes) > 1 and not torch.is_grad_enabled():
            # One selection for all blocks: most of its time is that of its many small steps.
            scores = value.new_full((self.heads, sum(sizes), widest), -torch.inf)
            parts = scores.split(sizes, dim=1)
            for number, (block, part) in enumerate(zip(pattern.blocks, parts, strict=True)):
                part[..., : pattern.sizes[block.sentence]] = scorer(number, block).pairs
            weights = self.selection(scores, made).weights.split(sizes, dim=1)
            for block, part in zip(pattern.blocks, weights, strict=True):
                width = pattern.sizes[block.sentence]
                mixed.append(torch.bmm(part[..., :width], values[block.sentence]))
            return Encoded(torch.cat(mixed, dim=1).transpose(0, 1))
        shares = value.new_tensor(pattern.characters).reciprocal()
        penalty: Penalty = 0.0
        for number, block in enumerate(pattern.blocks):
            scores, _ = scorer(number, block)
            kept = self.selection(scores, thresholds[number], shares[block.sentence])
            mixed.append(torch.bmm(kept.weights, values[block.sentence]))
            penalty = penalty + kept.penalty
        return Encoded(torch.cat(mixed, dim=1).transpose(0, 1), penalty)


class _Attend(torch.autograd.Function):
    """Scores, softmax and mixing, block by block.

    Queries, keys and values are `[tokens, heads, head_dim]`, position keys `[lengths, offsets,
    dim]`. The backward pass needs the weights, which it computes anew where they would be large.
    """

    @staticmethod
    def forward(
        ctx: Any,
        pattern: SpanPattern,
        content: Tensor,
        position: Tensor,
        key: Tensor,
        value: Tensor,
        *relative_keys: Tensor,
    ) -> Tensor:
        scorer = _Scorer(pattern, content, position, key, relative_keys)
        keep = any(ctx.needs_input_grad) and content.shape[1] * pattern.pairs <= MOST_SAVED
        mixed, kept = torch.empty_like(content), []
        outputs, values = pattern.by_block(mixed), pattern.by_sentence(value)
        for number, block in enumerate(pattern.blocks):
            scored = scorer.softmax(number, block)
            outputs[number].copy_(torch.bmm(scored.pairs, values[block.sentence]))
            if keep:
                kept.append(scored)
        ctx.pattern, ctx.kept = pattern, kept
        ctx.save_for_backward(content, position, key, value, *relative_keys)
        return mixed

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        content, position, key, value, *relative_keys = ctx.saved_tensors
        pattern, kept = ctx.pattern, ctx.kept
        scorer = _Scorer(pattern, content, position, key, relative_keys)
        by_content, by_position = torch.empty_like(content), torch.zeros_like(position)
        by_key, by_value = torch.zeros_like(key), torch.zeros_like(value)
        by_relative = [torch.zeros_like(part) for part in relative_keys]
        # (lengths, offsets, D) -> (H, lengths, offsets, D/H)
        of_relative = [
            part.unflatten(-1, key.shape[1:]).permute(2, 0, 1, 3) for part in by_relative
        ]
        outer = pattern.by_block(gradient)
        of_content, of_position = pattern.by_block(by_content), pattern.by_block(by_position)
        keys, values = pattern.by_sentence(key), pattern.by_sentence(value)
        of_keys, of_values = pattern.by_sentence(by_key), pattern.by_sentence(by_value)
        for number, block in enumerate(pattern.blocks):
            weights, parts = kept[number] if kept else scorer.softmax(number, block)
            own, sentence = outer[number], block.sentence
            of_values[sentence].add_(torch.bmm(weights.mT, own))
            by_weights = torch.bmm(own, values[sentence].mT)
            by_scores = torch._softmax_backward_data(by_weights, weights, -1, weights.dtype)
            of_content[number].copy_(torch.bmm(by_scores, keys[sentence]))
            of_keys[sentence].add_(torch.bmm(by_scores.mT, scorer.content[number]))
            for part, (part_keys, index) in zip(block.parts, parts, strict=True):
                by_part = by_scores if len(parts) == 1 else by_scores[..., part.keys]
                by_ranged = by_scores.new_zeros(*by_scores.shape[:2], part_keys.shape[1])
                by_ranged.scatter_add_(2, index, by_part)
                of_position[number].add_(torch.bmm(by_ranged, part_keys))
                found = torch.bmm(by_ranged.mT, scorer.position[number])
                target = of_relative[block.kind][:, part.lengths, part.offsets]
                target.add_(found.view(target.shape))
        return None, by_content, by_position, by_key, by_value, *by_relative


class _Scored(NamedTuple):
    """The scores or weights of a block, `[heads, queries, keys]`; keys and index of each part."""

    pairs: Tensor
    parts: list[tuple[Tensor, Tensor]]


class _Scorer:
    """Scores blocks: eq. 11, and the softmax of eq. 1."""

    def __init__(
        self,
        pattern: SpanPattern,
        content: Tensor,
        position: Tensor,
        key: Tensor,
        relative_keys: Sequence[Tensor],
    ) -> None:
        self.content, self.position = pattern.by_block(content), pattern.by_block(position)
        self._keys, self._relative_keys = pattern.by_sentence(key), relative_keys
        self._heads, self._size = key.shape[1:]

    def softmax(self, number: int, block: Block) -> _Scored:
        """The weights where all keys are kept."""
        scores, parts = self(number, block)
        return _Scored(torch.softmax(scores, dim=-1), parts)

    def __call__(self, number: int, block: Block) -> _Scored:
        """The scores, -inf where a key is hidden."""
        position = self.position[number]
        scores = torch.bmm(self.content[number], self._keys[block.sentence].mT)
        parts = []
        for part in block.parts:
            part_keys = self._relative_keys[block.kind][part.lengths, part.offsets]
            part_keys = part_keys.reshape(-1, self._heads, self._size).transpose(0, 1)
            index = part.index().expand(self._heads, -1, -1)
            ranged = torch.bmm(position, part_keys.mT).gather(2, index)
            (scores if len(block.parts) == 1 else scores[..., part.keys]).add_(ranged)
            parts.append((part_keys, index))
        if block.hidden is not None:
            scores.masked_fill_(block.hidden, -torch.inf)
        return _Scored(scores, parts)
