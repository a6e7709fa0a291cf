"""The recipe of a pre-training run, a strict TOML file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from fenjie.errors import FenjieError
from fenjie.ranges import Count, Factor, Layers, Millions, Range, Rate, Size
from fenjie.recipe.derived import read_as


@dataclass(frozen=True)
class EncoderSizes:
    """The sizes of the encoder, two ModernBERTs over characters, one for each way of reading.

    Attributes:
        characters: most characters in the vocabulary, the most frequent ones of the text.
        dim: size of the hidden vectors; the two models together give a character twice as many
            numbers.
        layers: number of layers of each.
        heads: attention heads of a layer.
        hidden: inner size of the gated feed-forward layers.
        length: number of positions in a row of text, the two special ones at its ends included;
            and the most that the encoder can read at once.
    """

    characters: Annotated[int, Range(1, 65_000)] = 6600
    dim: Size = 256
    layers: Layers = 2
    heads: Size = 4
    hidden: Size = 680
    length: Annotated[int, Range(8, 8192)] = 128

    def __post_init__(self) -> None:
        """Raise a FenjieError where the heads do not share the vectors evenly."""
        if self.dim % self.heads:
            raise FenjieError(f"dim {self.dim} is not a multiple of heads {self.heads}")


@dataclass(frozen=True)
class PretrainSettings:
    """How the encoder learns.

    Attributes:
        seed: everything random follows from it.
        millions: characters to learn from, in millions; more than the text holds are several
            passes over it. A finished run goes on where this is raised.
        keep: after so many millions of characters the encoder of that moment is kept.
        rows: rows of text in a step, of all processes together.
        learning_rate: the peak; it stays after the warm-up, up to a cooldown.
        warmup: steps in which the rate rises.
        cooldown: in the last so many millions of characters the rate falls in a line to 0.
        weight_decay: decoupled (AdamW), for matrices.
        clip: the norm of the gradient is at most this.
        average: decay of the exponential moving average of the weights, which is the encoder that
            is written.
        precision: `fp32`, or `bf16` where autocast may use it (weights stay in fp32).
        evaluate_every: steps between two measurements on rows that are held out.
        held_out: number of those rows.
        checkpoint_minutes: minutes between two checkpoints.
    """

    seed: Annotated[int, Range(0, 2**63 - 1)] = 1
    millions: Millions = 200.0
    keep: tuple[Millions, ...] = (25.0, 50.0, 100.0, 200.0)
    rows: Annotated[int, Range(1, 65_536)] = 32
    learning_rate: Factor = 2e-3
    warmup: Count = 200
    cooldown: Factor = 0.0
    weight_decay: Factor = 0.01
    clip: Factor = 1.0
    average: Rate = 0.998
    precision: Literal["fp32", "bf16"] = "fp32"
    evaluate_every: Annotated[int, Range(1, 1_000_000)] = 250
    held_out: Annotated[int, Range(1, 65_536)] = 256
    checkpoint_minutes: Factor = 5.0

    def __post_init__(self) -> None:
        """Raise a FenjieError where the rate would fall before the run begins."""
        if self.cooldown > self.millions:
            raise FenjieError(f"cooldown {self.cooldown:g} is more than millions {self.millions:g}")


@dataclass(frozen=True)
class PretrainRecipe:
    """All of a pre-training run. Relative paths are looked for under FENJIE_DATA, then here.

    Attributes:
        texts: files of raw text, plain, gzip or xz, a paragraph a line.
        encoding: of the texts.
        start: a folder that an earlier run has written, whose encoder this one goes on with; empty
            for a new encoder. Sizes must be the same, and its vocabulary is used.
        encoder: its sizes.
        training: how it learns.
    """

    texts: tuple[str, ...]
    encoding: str = "utf-8"
    start: str = ""
    encoder: EncoderSizes = field(default_factory=EncoderSizes)
    training: PretrainSettings = field(default_factory=PretrainSettings)

    def __post_init__(self) -> None:
        """Raise a FenjieError where there is nothing to learn from."""
        if not self.texts:
            raise FenjieError("texts names no file")


def read_recipe(path: Path) -> PretrainRecipe:
    """Read a recipe.

    Raises:
        FileError: the file cannot be read, is not TOML, has an unknown key (the message names
            the line and the nearest known key), lacks one, or holds a wrong value.
    """
    return read_as(PretrainRecipe, path)
