"""An encoder that is a pair of language models, one of which reads forwards and one backwards.

The vector of a piece joins what the one has read up to it with what the other has read down to it
(Matthew Peters et al. 2018. Deep contextualized word representations), as the forward and the
backward encoder of SAMS do. Each is a ModernBERT with causal attention (Orion Weller et al. 2025.
Seq vs Seq: An Open Suite of Paired Encoders and Decoders).

Needs the package `transformers`, whose classes it extends: what `fenjie pretrain` writes is a
folder in its form. `register` makes it known there.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModel,
    ModernBertDecoderConfig,
    ModernBertDecoderModel,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import BaseModelOutput

KIND = "fenjie-directional-pair"
"""The `model_type` in `config.json`."""


class PairConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """The sizes of the two models, which are alike.

    Attributes:
        vocab_size: number of pieces.
        hidden_size: size of a vector of the encoder; each model has half of it.
        num_hidden_layers: layers of each model.
        num_attention_heads: attention heads of a layer.
        intermediate_size: inner size of the gated feed-forward layers.
        max_position_embeddings: most pieces at once, the special ones included.
        dropout: rate in the models, while they are tuned.
        pad_token_id: of padding.
        bos_token_id: of the special piece at the beginning.
        eos_token_id: of the one at the end.
    """

    model_type = KIND

    vocab_size: int = 6605
    hidden_size: int = 512
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    intermediate_size: int = 680
    max_position_embeddings: int = 128
    dropout: float = 0.0
    pad_token_id: int = 0
    bos_token_id: int = 2
    eos_token_id: int = 3

    def one(self) -> ModernBertDecoderConfig:
        """The settings of one of the models."""
        made = ModernBertDecoderConfig(
            vocab_size=self.vocab_size,
            hidden_size=self.hidden_size // 2,
            num_hidden_layers=self.num_hidden_layers,
            num_attention_heads=self.num_attention_heads,
            intermediate_size=self.intermediate_size,
            max_position_embeddings=self.max_position_embeddings,
            layer_types=["full_attention"] * self.num_hidden_layers,
            embedding_dropout=self.dropout,
            mlp_dropout=self.dropout,
            attention_dropout=self.dropout,
            use_cache=False,
            pad_token_id=self.pad_token_id,
            bos_token_id=self.bos_token_id,
            cls_token_id=self.bos_token_id,
            eos_token_id=self.eos_token_id,
            sep_token_id=self.eos_token_id,
        )
        made._attn_implementation = self._attn_implementation
        return made


class PairModel(PreTrainedModel):
    """The two models, which share the vectors of the pieces.

    Attributes:
        vectors: of the pieces.
        forwards: reads from the first piece to the last.
        backwards: reads from the last piece to the first.
    """

    config_class = PairConfig
    base_model_prefix = "pair"
    _supports_sdpa = True

    def __init__(self, config: PairConfig) -> None:
        """Draw the weights."""
        super().__init__(config)
        one = config.one()
        self.vectors = nn.Embedding(one.vocab_size, one.hidden_size)
        self.forwards, self.backwards = ModernBertDecoderModel(one), ModernBertDecoderModel(one)
        for model in (self.forwards, self.backwards):
            model.set_input_embeddings(None)  # type: ignore[no-untyped-call]
        # A folder also holds what predicts characters, from which a further run can start.
        self._keys_to_ignore_on_load_unexpected = {r"^heads\.", r"^bias$"}
        self.post_init()  # type: ignore[no-untyped-call]

    def get_input_embeddings(self) -> nn.Module:
        """The table of the vectors of the pieces."""
        return self.vectors

    def ways(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, every_layer: bool = False
    ) -> list[tuple[Tensor, ...]]:
        """What each model has read at each piece, in the order of the pieces.

        Padding comes last in a row, so that nothing that is read in either way depends on it.

        Args:
            input_ids: of the pieces, `[rows, width]`.
            attention_mask: 1 for pieces, 0 for padding, in the shape of `input_ids`.
            every_layer: whether the states of all layers are wanted, or those of the last.

        Returns:
            For each model the states, each `[rows, width, dim]`.
        """
        width = input_ids.shape[1]
        place = torch.arange(width, device=input_ids.device)[None, :]
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        length = mask.to(place.dtype).sum(1, keepdim=True)
        # [rows, width]: the last piece comes first, padding stays where it is
        turned = torch.where(place < length, length - 1 - place, place)
        vectors = self.vectors(input_ids)
        later = place > place[0][:, None]
        # [1, 1, width, width]
        causal = torch.zeros_like(later, dtype=vectors.dtype).masked_fill(
            later, torch.finfo(vectors.dtype).min
        )[None, None]
        places = turned[..., None].expand_as(vectors)

        def read(model: Any, given: Tensor) -> tuple[Tensor, ...]:
            made = model(
                inputs_embeds=given, attention_mask=causal, output_hidden_states=every_layer
            )
            return tuple(made.hidden_states) if every_layer else (made.last_hidden_state,)

        backwards = read(self.backwards, vectors.gather(1, places))
        return [
            read(self.forwards, vectors),
            tuple(states.gather(1, places) for states in backwards),
        ]

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        output_hidden_states: bool = False,
        **_: Any,
    ) -> BaseModelOutput:
        """Join the states of the two models; the arguments are those of `ways`."""
        ways = self.ways(input_ids, attention_mask, output_hidden_states)
        joined = tuple(torch.cat(states, -1) for states in zip(*ways, strict=True))
        return BaseModelOutput(
            last_hidden_state=joined[-1], hidden_states=joined if output_hidden_states else None
        )


def register() -> None:
    """Let `AutoConfig` and `AutoModel` of `transformers` know the encoder; twice is as once."""
    AutoConfig.register(KIND, PairConfig, exist_ok=True)
    AutoModel.register(PairConfig, PairModel, exist_ok=True)
