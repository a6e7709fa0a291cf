"""The model that is pre-trained, a ModernBERT with a head that predicts hidden characters.

Benjamin Warner et al. 2024. Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder. Its
rotary positions are learnt sooner than the tables of positions of Devlin et al. (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fenjie.errors import needing
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.pretraining.muon import Muon
from fenjie.pretraining.neighbours import neighbour_vectors
from fenjie.pretraining.packed_text import BEGIN, END, PAD, PackedText
from fenjie.pretraining.settings import EncoderSizes

VECTORS = 0.05
"""The root mean square of the numbers in the first vectors of the characters."""

TUNING = {"embedding_dropout": 0.1, "mlp_dropout": 0.1, "attention_dropout": 0.1}
"""Settings that a model is tuned with; the encoder itself reads its rows a few times at most, and
learns without dropout."""


class MaskedModel(nn.Module):
    """A masked language model that scores the hidden places alone.

    Attributes:
        model: a `ModernBertForMaskedLM`, in which all layers see the whole row.
    """

    model: Any

    def __init__(self, sizes: EncoderSizes, text: PackedText, seed: int, attention: str) -> None:
        """Draw the weights; the vectors of the characters come from counts in the text.

        Args:
            sizes: of the encoder.
            text: to learn from.
            seed: of the weights.
            attention: how `transformers` computes it, `eager` or `sdpa`.

        Raises:
            FenjieError: `transformers` is missing.
        """
        super().__init__()
        with needing("pre-training an encoder needs", "bert"):
            from transformers import ModernBertConfig, ModernBertForMaskedLM
        count = len(SPECIAL) + len(text.characters)
        settings: dict[str, Any] = {
            "vocab_size": count,
            "hidden_size": sizes.dim,
            "num_hidden_layers": sizes.layers,
            "num_attention_heads": sizes.heads,
            "intermediate_size": sizes.hidden,
            "max_position_embeddings": sizes.length,
            "global_attn_every_n_layers": 1,
            "architectures": ["ModernBertForMaskedLM"],
            "attn_implementation": attention,
            "pad_token_id": PAD,
            "bos_token_id": BEGIN,
            "cls_token_id": BEGIN,
            "eos_token_id": END,
            "sep_token_id": END,
            **dict.fromkeys(TUNING, 0.0),
        }
        self.model = ModernBertForMaskedLM(ModernBertConfig(**settings))
        vectors = VECTORS * neighbour_vectors(text.ids, count, sizes.dim, seed)
        often = np.bincount(text.ids, minlength=count) + 1.0
        often[: len(SPECIAL)] = 1.0
        with torch.no_grad():
            self.model.get_input_embeddings().weight.copy_(torch.from_numpy(vectors))
            self.model.decoder.bias.copy_(torch.from_numpy(np.log(often / often.sum())))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the encoder, as `config.json` holds them."""
        return {**self.model.config.to_diff_dict(), **TUNING}

    def forward(self, ids: Tensor, places: Tensor) -> Tensor:
        """Score the characters at some places.

        Args:
            ids: rows of text, `[rows, length]`.
            places: counted row by row, `[places]`.

        Returns:
            The scores of all characters there, `[places, vocabulary]`.
        """
        # [rows, length, dim] -> [places, dim]
        states = self.model.model(input_ids=ids).last_hidden_state.flatten(0, 1)[places]
        scores: Tensor = self.model.decoder(self.model.head(states))
        return scores


def make_optimizers(
    model: MaskedModel, weight_decay: float, dtype: torch.dtype
) -> tuple[Muon, torch.optim.AdamW]:
    """Muon in `dtype` for the matrices of the layers, AdamW for all else; vectors do not decay."""
    named = list(model.named_parameters())
    inner = [weight for name, weight in named if weight.ndim > 1 and ".layers." in name]
    tables = [weight for name, weight in named if weight.ndim > 1 and ".layers." not in name]
    groups: list[dict[str, Any]] = [
        {"params": tables, "weight_decay": weight_decay},
        {"params": [weight for _, weight in named if weight.ndim < 2], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)
    return Muon(inner, weight_decay, dtype), adam
