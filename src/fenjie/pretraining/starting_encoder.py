"""The encoder that a pre-training run starts from: one that an earlier run has written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from fenjie.errors import FileError
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.pretraining.encoder_folder import WEIGHTS
from fenjie.pretraining.language_models import LanguageModels
from fenjie.pretraining.settings import EncoderSizes


@dataclass(frozen=True)
class Start:
    """What a run takes over.

    Attributes:
        folder: of the encoder.
        characters: its vocabulary, which is that of the run too.
        weights: by their names in the folder, those that predict characters included.
    """

    folder: Path
    characters: tuple[str, ...]
    weights: dict[str, Tensor]

    def give(self, models: LanguageModels) -> None:
        """Put the weights into language models of the same sizes.

        Raises:
            FileError: weights are missing, or of other sizes.
        """
        given = {_inside(name): weight.float() for name, weight in self.weights.items()}
        for name, weight in models.named_parameters():
            found = tuple(given[name].shape) if name in given else None
            if found != weight.shape:
                raise FileError(
                    self.folder / WEIGHTS,
                    f"{name.removeprefix('model.')} does not fit the recipe's [encoder]",
                    expected=str(tuple(weight.shape)),
                    found=found or "none",
                )
        models.load_state_dict(given, strict=False)  # tied weights


def _inside(name: str) -> str:
    """The name of a weight in `LanguageModels`."""
    return name if name == "bias" or name.startswith("heads.") else f"model.{name}"


def read_start(folder: Path, sizes: EncoderSizes) -> Start:
    """Read the encoder that a run starts from.

    Args:
        folder: as `fenjie pretrain` writes it.
        sizes: of the recipe, which must be those of the encoder; of `characters` it may hold fewer.

    Raises:
        FileError: it is no such folder, is damaged, or has other sizes.
    """
    try:
        settings: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
        tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
        pieces: dict[str, int] = tokenizer["model"]["vocab"]
        characters = tuple(sorted(pieces, key=pieces.__getitem__)[len(SPECIAL) :])
        weights = load_file(folder / WEIGHTS)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, SafetensorError) as error:
        reason = "is no encoder that `fenjie pretrain` wrote"
        raise FileError(folder, reason, found=str(error).partition("\n")[0]) from error
    expected = {
        "hidden_size": 2 * sizes.dim,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "intermediate_size": sizes.hidden,
        "max_position_embeddings": sizes.length,
    }
    for name, size in expected.items():
        if settings.get(name, size) != size:
            raise FileError(
                folder / "config.json",
                f"{name} is not that of the recipe's [encoder]",
                expected=str(size),
                found=settings[name],
            )
    if len(characters) > sizes.characters:
        raise FileError(
            folder / "tokenizer.json",
            "has more characters than the recipe's [encoder]",
            expected=f"at most {sizes.characters}",
            found=len(characters),
        )
    return Start(folder, characters, weights)
