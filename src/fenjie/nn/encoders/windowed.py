"""Attention in dilated, shifted windows instead of over the whole sequence (DSWA).

Xinyu Hou, Cui Zhu and Wenjun Zhu. 2023. DSWA: A Dilated Shift Window Attention Method for Chinese
Named Entity Recognition. DMSVIVA. Section and figure numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.attention.selections import SelectionConfig
from fenjie.nn.attention.window_places import Round, Windows, schedule, windows
from fenjie.nn.attention.windows import WindowAttention
from fenjie.nn.positions import encodings


@dataclass(frozen=True)
class WindowConfig:
    """The windows of an attention; by default there are none.

    Attributes:
        size: W, how many positions a window holds.
        rounds: r, how often the sequence is dilated, counting the first time, when it is as it
            stands: round t has windows of positions that are W^t apart. With 0, each position
            attends to the whole sequence.
        shared: whether all rounds have one set of projections; else each has its own.
        residual: whether each attention has a residual connection around it and a norm behind it.
    """

    size: int = 2
    rounds: int = 0
    shared: bool = False
    residual: bool = True

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            FenjieError: a model cannot have them.
        """
        if self.size < 2:
            raise FenjieError(f"size must be at least 2; found {self.size}")
        if self.rounds < 0:
            raise FenjieError(f"rounds must be at least 0; found {self.rounds}")


class WindowRounds(nn.Module):
    """The attentions one after the other over the tokens of a batch, which are not padded."""

    def __init__(
        self,
        dim: int,
        heads: int,
        config: WindowConfig,
        selection: SelectionConfig,
        *,
        scale: bool,
        key_projection: bool,
        output_projection: bool,
    ) -> None:
        """Make the attentions; `WindowAttention` says what the other settings are."""
        super().__init__()
        self.config = config
        self.schedule = schedule(config.size, config.rounds)
        self.attentions = nn.ModuleList(
            WindowAttention(
                dim,
                heads,
                selection,
                scale=scale,
                key_projection=key_projection,
                output_projection=output_projection,
            )
            for _ in self.schedule[: 1 if config.shared else None]
        )
        norms = (nn.LayerNorm(dim) for _ in self.schedule if config.residual)
        self.norms = nn.ModuleList(norms)

    def attention(self, number: int) -> WindowAttention:
        """The attention of a round."""
        found = self.attentions[0 if self.config.shared else number]
        assert isinstance(found, WindowAttention)
        return found

    def round(self, number: int, x: Tensor, places: Windows, keys: Tensor, index: Tensor) -> Tensor:
        """One round: `[tokens, dim] -> [tokens, dim]`.

        The vectors of tokens that do not take part stay as they are. The arguments are those of
        `WindowAttention`.
        """
        asking = places.asking
        mixed: Tensor = self.attention(number)(x, places, keys, index)
        if self.config.residual:
            own = x if asking is None else x.index_select(0, asking)
            mixed = self.norms[number](own + mixed)
        return mixed if asking is None else x.index_copy(0, asking, mixed)


class CharacterWindows(WindowRounds):
    """Dilated, shifted windows over the characters of a sentence.

    R_ij is the sinusoid of the distance i - j in characters, as in
    `fenjie.nn.encoders.relative_transformer.RelativeAttention`.
    """

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Mix what the characters know.

        Args:
            x: `[batch, length, dim]`.
            mask: which places hold a character, `[batch, length]`, bool; those of a sentence come
                first.

        Returns:
            `[batch, length, dim]`; 0 at padding.
        """
        sizes = tuple(mask.sum(dim=1).tolist())
        packed = x[mask]
        for number, places in _rounds(sizes, self.config.size, self.schedule, x.device):
            keys, index = _distances(
                places.size, places.stride, packed.shape[1], packed.dtype, packed.device
            )
            packed = self.round(number, packed, places, keys, index)
        return x.new_zeros(x.shape).masked_scatter(mask[..., None], packed)


@lru_cache(maxsize=8)
def _rounds(
    sizes: tuple[int, ...], size: int, schedule: tuple[Round, ...], device: torch.device
) -> tuple[tuple[int, Windows], ...]:
    """The windows of the rounds that any sentence takes part in, with the numbers of the rounds.

    The layers of a model ask for the same ones.
    """
    with torch.inference_mode(False):  # what is kept must also serve a later training step
        found = (
            (number, windows(sizes, size, step, device)) for number, step in enumerate(schedule)
        )
        return tuple((number, places) for number, places in found if places is not None)


@lru_cache(maxsize=64)
def _distances(
    size: int, stride: int, dim: int, dtype: torch.dtype, device: torch.device
) -> tuple[Tensor, Tensor]:
    """R of all distances in a window, `[2 * size - 1, dim]`, and which of them each pair has."""
    with torch.inference_mode(False):
        place = torch.arange(size, device=device)
        distance = torch.arange(1 - size, size, device=device) * stride
        index = (place[:, None] - place)[None] + size - 1
        return encodings(distance.double(), dim).to(dtype), index
