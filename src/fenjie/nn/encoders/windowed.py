"""Attention in dilated, shifted windows instead of over the whole sequence (DSWA).

Xinyu Hou, Cui Zhu and Wenjun Zhu. 2023. DSWA: A Dilated Shift Window Attention Method for Chinese
Named Entity Recognition. DMSVIVA. Section and figure numbers are theirs.
"""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor, nn

from fenjie.nn.attention.base import AttentionConfig
from fenjie.nn.attention.padded_windows import Frame, padded_rounds
from fenjie.nn.attention.relative import CharacterPattern
from fenjie.nn.attention.selection import Encoded, Penalty
from fenjie.nn.attention.window_partition import Round, Windows, partition, schedule
from fenjie.nn.attention.windows import WindowAttention
from fenjie.nn.layout import padded
from fenjie.nn.positions import encoded_distances


class WindowRounds(nn.Module):
    """The attentions one after another over the tokens of a batch, which are not padded."""

    def __init__(self, config: AttentionConfig) -> None:
        """Make the attentions of the rounds."""
        super().__init__()
        self.config = windows = config.windows
        self.schedule = schedule(windows.size, windows.rounds)
        self.attentions = nn.ModuleList(
            WindowAttention(config) for _ in self.schedule[: 1 if windows.shared else None]
        )
        norms = (nn.LayerNorm(config.dim) for _ in self.schedule if windows.residual)
        self.norms = nn.ModuleList(norms)

    def attention(self, number: int) -> WindowAttention:
        """The attention of a round."""
        found = self.attentions[0 if self.config.shared else number]
        assert isinstance(found, WindowAttention)
        return found

    def round(
        self, number: int, x: Tensor, windows: Windows, keys: Tensor, index: Tensor
    ) -> Encoded:
        """One round: `[tokens, dim] -> [tokens, dim]`.

        The vectors of tokens that do not take part stay as they are. The arguments are those of
        `WindowAttention`.
        """
        queries = windows.queries
        mixed, penalty = self.attention(number)(x, windows, keys, index)
        if self.config.residual:
            own = x if queries is None else x.index_select(0, queries)
            mixed = self.norms[number](own + mixed)
        return Encoded(mixed if queries is None else x.index_copy(0, queries, mixed), penalty)


class CharacterWindows(WindowRounds):
    """Dilated, shifted windows over the characters of a sentence.

    R_ij is the sinusoid of the distance i - j in characters, as in
    `fenjie.nn.attention.relative.RelativeAttention`.
    """

    def forward(self, x: Tensor, pattern: CharacterPattern) -> Encoded:
        """Mix the vectors of the characters: `[batch, length, dim]`, anything at padding."""
        mask = pattern.mask
        if padded(x):
            return padded_rounds(self, x, mask, mask.sum(1), self._position_scores)
        sizes = tuple(mask.sum(dim=1).tolist())
        packed = x[mask]
        penalty: Penalty = 0.0
        for number, windows in _rounds(sizes, self.config.size, self.schedule, x.device):
            keys, index = _distances(windows.size, windows.stride, packed)
            packed, cost = self.round(number, packed, windows, keys, index)
            penalty = penalty + cost
        return Encoded(x.new_zeros(x.shape).masked_scatter(mask[..., None], packed), penalty)

    def _position_scores(self, frame: Frame, number: int, position: Tensor) -> Tensor:
        """The scores of all distances in a window, of which each pair takes its own."""
        size, dim, heads = frame.size, position.shape[-1], self.attention(number).heads
        split, stride = (heads, dim // heads), frame.step.stride
        encoded = encoded_distances(1 - size, size - 1, dim, position, step=stride)
        # (windows, H, W, D/H) x (H, D/H, distances)
        made = position.unflatten(-1, split).transpose(1, 2)
        made = made @ encoded.unflatten(-1, split).permute(1, 2, 0)
        place = torch.arange(size, device=position.device)
        column = place[:, None] * 2 * size + size - 1 - place  # of row i, distance i - j
        found = made.flatten(2).index_select(2, column.flatten())
        result: Tensor = found.unflatten(2, (size, size))
        return result


@lru_cache(maxsize=8)
def _rounds(
    sizes: tuple[int, ...], size: int, schedule: tuple[Round, ...], device: torch.device
) -> tuple[tuple[int, Windows], ...]:
    """The windows of the rounds that any sentence takes part in, with the numbers of the rounds.

    The layers of a model ask for the same ones.
    """
    with torch.inference_mode(False):  # a later training step reads it too
        found = (
            (number, partition(sizes, size, step, device)) for number, step in enumerate(schedule)
        )
        return tuple((number, windows) for number, windows in found if windows is not None)


def _distances(size: int, stride: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """R of all distances in a window, `[2 * size - 1, dim]`, and which of them each pair has."""
    slot = torch.arange(size, device=like.device)
    index = (slot[:, None] - slot)[None] + size - 1
    return encoded_distances(1 - size, size - 1, like.shape[-1], like, step=stride), index
