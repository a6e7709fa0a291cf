"""Two language models: one predicts each character from those before it, one from those after.

Scoring all characters of the vocabulary at every place takes longer than reading the text. In
training only those that the step's text holds are scored; the others stand in the sum of the
softmax by the chance that each of these had to be there (Yoshua Bengio and Jean-Sébastien Senécal
2008. Adaptive Importance Sampling to Accelerate Training of a Neural Probabilistic Language Model).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.errors import needing
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.pretraining.muon import Muon
from fenjie.pretraining.neighbours import neighbour_vectors
from fenjie.pretraining.packed_text import BEGIN, END, PAD, PackedText
from fenjie.pretraining.settings import EncoderSizes

VECTORS = 0.05
"""The root mean square of the numbers in the first vectors of the characters."""

TUNING = 0.1
"""The dropout that an encoder is tuned with; it reads its rows a few times at most, and learns
without."""


class LanguageModels(nn.Module):
    """The encoder, and what predicts the next character in each way of reading.

    Attributes:
        model: a `PairModel`.
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
            from fenjie.nn.encoders.directional_pair import PairConfig, PairModel
        count = len(SPECIAL) + len(text.characters)
        config = PairConfig(
            vocab_size=count,
            hidden_size=2 * sizes.dim,
            num_hidden_layers=sizes.layers,
            num_attention_heads=sizes.heads,
            intermediate_size=sizes.hidden,
            max_position_embeddings=sizes.length,
            pad_token_id=PAD,
            bos_token_id=BEGIN,
            eos_token_id=END,
        )
        config._attn_implementation = attention
        self.model = PairModel(config)
        self.heads = nn.ModuleList(
            nn.Sequential(
                nn.Linear(sizes.dim, sizes.dim, bias=False),
                nn.GELU(),
                nn.LayerNorm(sizes.dim, bias=False),
            )
            for _ in range(2)
        )
        often = np.bincount(text.ids, minlength=count) + 1.0
        often[[BEGIN, END]] += text.rows(sizes.length)
        share = torch.from_numpy(often / often.sum())
        self.bias = nn.Parameter(share.log().float())
        self.register_buffer("share", share, persistent=False)
        vectors = VECTORS * neighbour_vectors(text.ids, count, sizes.dim, seed)
        with torch.no_grad():
            self.model.vectors.weight.copy_(torch.from_numpy(vectors))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the encoder, as `config.json` holds them."""
        return {**self.model.config.to_diff_dict(), "dropout": TUNING}

    def forward(self, ids: Tensor, some: Tensor) -> Tensor:
        """Score characters as the next one after each place but the last, in each way of reading.

        Args:
            ids: rows of text, `[rows, length]`.
            some: the characters that are scored, `[some]`.

        Returns:
            The scores, `[2 * rows * (length - 1), some]`, in the order of `next_ids`.
        """
        table, bias = self.model.vectors.weight[some], self.bias[some]
        (forwards,), (backwards,) = self.model.ways(ids)
        scores = [
            F.linear(head(states.flatten(0, 1)), table, bias)
            for head, states in zip(self.heads, (forwards[:, :-1], backwards[:, 1:]), strict=True)
        ]
        return torch.cat(scores)

    def loss(self, model: nn.Module, ids: Tensor) -> Tensor:
        """The mean loss on a step's text, the softmax being over an estimate of its sum.

        Args:
            model: this one, or what `accelerate` wraps around it.
            ids: rows of text, `[rows, length]`.
        """
        gold = next_ids(ids)
        some, column = torch.unique(gold, return_inverse=True)
        column = column[:, None]
        share = self.get_buffer("share")[some]
        # The chance to be there at all, in so much text: `[some]`.
        there = torch.log1p(-((1 - share) ** ids.numel())).float()
        scores = model(ids, some).float() - there
        # The right one is there for certain.
        scores = scores.scatter_add(1, column, there[column])
        return F.cross_entropy(scores, column[:, 0])

    def exact(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """The mean loss on some text and the share of characters predicted, over all characters."""
        gold = next_ids(ids)
        every = torch.arange(len(self.bias), device=ids.device)
        scores: Tensor = self(ids, every).float()
        return F.cross_entropy(scores, gold), (scores.argmax(-1) == gold).float().mean()


def next_ids(ids: Tensor) -> Tensor:
    """The next characters of rows read forwards, then of rows read backwards, row by row.

    Args:
        ids: rows of text, `[rows, length]`.

    Returns:
        Ids, `[2 * rows * (length - 1)]`.
    """
    return torch.cat((ids[:, 1:].flatten(), ids[:, :-1].flatten()))


def make_optimizers(
    model: LanguageModels, weight_decay: float, dtype: torch.dtype
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
