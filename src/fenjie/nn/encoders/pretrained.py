"""A pretrained encoder of Hugging Face as one more vector of each character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import FenjieError
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.read_once import ReadOnce
from fenjie.nn.lattice import Lattice
from fenjie.nn.layout import real_places
from fenjie.ranges import Layers, Rate


@dataclass(frozen=True)
class PretrainedConfig:
    """The encoder, and how it is used.

    Attributes:
        name: a folder, or a name on the hub of Hugging Face; empty for no encoder. A model folder
            holds its encoder: this is then only where it came from.
        frozen: whether it stays as it is; then it has no dropout of its own in training either.
        layers: number of last layers; where there are several, the vector of a piece joins theirs.
        dropout: rate on the vectors of the characters.
    """

    name: str = ""
    frozen: bool = False
    layers: Layers = 1
    dropout: Rate = 0.1


class Pretrained(nn.Module):
    """The vectors that an encoder of word pieces gives the characters.

    A character takes the vector of the piece that holds it, and the mean where several do. Long
    texts come in windows (`lexicon.word_pieces`), each of which the encoder reads for itself.

    Attributes:
        encoder: the model of `transformers`; see `fenjie.nn.encoders.hugging_face`.
        frozen: whether it never changes.
        dim: the size of a vector.
        dropout: for the vectors; whoever joins them with others applies it.
    """

    def __init__(self, encoder: Any, config: PretrainedConfig) -> None:
        """Take an encoder; raise a FenjieError where it has fewer layers than are wanted."""
        super().__init__()
        self.encoder, self.frozen, self._layers = encoder, config.frozen, config.layers
        self.dim = int(encoder.config.hidden_size) * config.layers
        there = int(encoder.config.num_hidden_layers)
        if config.layers > there:
            raise FenjieError(f"layers is {config.layers}, but the encoder has {there}")
        if self.frozen:
            encoder.requires_grad_(False)
        self.dropout = BitDropout(config.dropout)
        self._read: ReadOnce | None = None

    def read_once(self) -> None:
        """From now on keep the states of each window; a training run reads its text many times.

        Raises:
            FenjieError: the encoder is not frozen.
        """
        if not self.frozen:
            raise FenjieError("an encoder that changes has to read each window anew")
        self._read = ReadOnce()

    def train(self, mode: bool = True) -> Pretrained:
        """Switch between training and evaluation; a frozen encoder stays in evaluation."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def states(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """The vectors of pieces: `[windows, width] -> [windows, width, dim]`.

        Several layers stand side by side (Devlin et al. 2019, Table 7), at the same length.

        Args:
            pieces: their ids.
            mask: which of them are no padding, bool; the vectors of padding are anything.
        """
        several = self._layers > 1
        made = self.encoder(
            input_ids=pieces, attention_mask=mask.to(pieces.dtype), output_hidden_states=several
        )
        if several:
            layers = (_at_length(one) for one in made.hidden_states[-self._layers :])
            return torch.cat(tuple(layers), dim=-1)
        last: Tensor = made.last_hidden_state
        return last

    def forward(self, lattice: Lattice) -> Tensor:
        """The vectors of all characters one after another: `[characters, dim]`.

        Raises:
            FenjieError: the lattice holds no pieces.
        """
        pieces, lengths, piece = lattice.pieces, lattice.piece_lengths, lattice.piece
        if pieces is None or lengths is None or piece is None:
            raise FenjieError("the encoder of this model needs the word pieces of a text")
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            if self._read is None:
                states = self.states(pieces, real_places(lengths, pieces.shape[1]))
            else:
                with torch.autocast(pieces.device.type, enabled=False):
                    states = self._read(pieces, lengths, self.states)
        states = states.flatten(0, 1)  # [windows * width, dim]
        piece = lattice.of_characters(piece)
        if lattice.padded:
            # [batch, length, parts, dim] -> [batch, length, dim]; padding has no piece at all
            there = (piece >= 0).to(states.dtype)[..., None]
            vectors = (F.embedding(piece.clamp(min=0), states) * there).sum(-2)
            vectors = vectors / there.sum(-2).clamp(min=1)
        elif piece.shape[1] == 1:
            vectors = states.index_select(0, piece[:, 0])
        else:
            there = piece >= 0
            # [characters, parts, dim] -> [characters, dim]
            sums = (states[piece.clamp(min=0)] * there[..., None]).sum(dim=1)
            vectors = sums / there.sum(dim=1, keepdim=True)
        return vectors


def _at_length(states: Tensor) -> Tensor:
    """Vectors at the length that a norm of layers gives, so that no layer drowns another one."""
    normal: Tensor = F.normalize(states, dim=-1) * states.shape[-1] ** 0.5
    return normal
