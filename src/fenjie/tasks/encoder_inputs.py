"""The pretrained encoder of a recipe: where it comes from, and what of it a model folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError
from fenjie.nn.encoders.hugging_face import Encoder, open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.recipe.recipe import locate
from fenjie.runtime.model_files import ENCODER, TOKENIZER


class EncoderInputs:
    """An encoder and what cuts texts into its pieces.

    Attributes:
        pieces: cuts texts.
        module: the encoder, as a part of a model.
    """

    def __init__(self, encoder: Encoder, config: PretrainedConfig) -> None:
        """Take an encoder; see `Pretrained`."""
        self.pieces = encoder.pieces
        self.module = Pretrained(encoder.model, config)
        if config.frozen:
            self.module.read_once()
        self._encoder = encoder

    @classmethod
    def make(cls, config: PretrainedConfig) -> EncoderInputs | None:
        """Load the encoder that a recipe names; None where it names none.

        A folder is looked for where the data are; what is no folder is a name on the hub.

        Raises:
            FenjieError: as `fenjie.nn.encoders.hugging_face.open_encoder` does.
        """
        if not config.name:
            return None
        folder = encoder_folder(config)
        return cls(open_encoder(config.name if folder is None else str(folder)), config)

    def write(self, folder: Path) -> dict[str, Any]:
        """Write settings and tokenizer into a model folder.

        Returns:
            What its table `[input]` says of them.
        """
        encoder = self._encoder
        for name, text in ((ENCODER, encoder.settings), (TOKENIZER, encoder.tokenizer)):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        return {"room": encoder.max_positions}


def encoder_folder(config: PretrainedConfig) -> Path | None:
    """What a recipe names as its encoder, if it is a place here; None for a name on the hub."""
    if not config.name:
        return None
    try:
        return locate(config.name)
    except FenjieError:
        return None
