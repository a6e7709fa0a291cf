"""Attention in dilated, shifted windows instead of over the whole sequence (DSWA).

Xinyu Hou, Cui Zhu and Wenjun Zhu. 2023. DSWA: A Dilated Shift Window Attention Method for Chinese
Named Entity Recognition. DMSVIVA. Section and figure numbers are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.errors import FenjieError


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
