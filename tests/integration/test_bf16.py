"""Systems learn in bfloat16: a step as the training loop takes it.

BERT-CRF, whose encoder is a folder, and `ngrams` are trained so by `tests/hostile/recipes.py`.
"""

from __future__ import annotations

import copy
import dataclasses
from contextlib import nullcontext
from typing import Any

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch
from accelerate.utils import convert_to_fp32

from fenjie.lexicon.indexer import Sizes
from fenjie.models import SEGMENTERS, TAGGERS
from fenjie.models.tagger import Tagger
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.batch import Batch
from fenjie.nn.components import ComponentSizes
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.encoders.relative_transformer import EncoderConfig
from fenjie.nn.lattice import Lattice
from fenjie.nn.layout import padding
from tests.lattices import SENTENCES, SIZES
from tests.small_sams import batch as texts
from tests.small_systems import with_words

SMALL: dict[str, Any] = {"dim": 16, "heads": 2}
WINDOWS = WindowConfig(size=2, rounds=3)
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "flat": ("flat", SMALL),
    "flat, small blocks": ("flat", SMALL | {"self_matched": False, "reach": 4, "layers": 2}),
    "flat, head": ("flat", SMALL | {"distances": "head"}),
    "flat, released": ("flat", SMALL | {"projection_bias": True, "shared_norm": True}),
    "flat, windows": ("flat", SMALL | {"windows": WINDOWS}),
    "flat, top-k": ("flat", SMALL | {"selection": SelectionConfig("top-k")}),
    "tener": ("tener", SMALL),
    "tener, windows": ("tener", SMALL | {"windows": WINDOWS}),
    "atssa": ("atssa", SMALL),
    "bilstm_crf": ("bilstm_crf", {"hidden": 8}),
    "soft_lexicon": ("soft_lexicon", {"hidden": 8}),
    "soft_lexicon, transformer": (
        "soft_lexicon",
        {"encoder": "transformer", "transformer": EncoderConfig(**SMALL, windows=WINDOWS)},
    ),
    **with_words(SMALL),
    "sams": ("sams", SMALL | {"layers": 2, "hidden": 24}),
    "sams, no Gaussian": ("sams", SMALL | {"layers": 2, "hidden": 24, "gaussian": False}),
    "stacked_bilstm": ("stacked_bilstm", {"hidden": 8}),
}


def build(name: str) -> Any:
    architecture, settings = MODELS[name]
    sizes = SIZES
    if architecture == "mect":
        sizes = sizes._replace(components=ComponentSizes(12, 4))
    torch.manual_seed(3)
    kind = {**SEGMENTERS, **TAGGERS}[architecture]
    config = kind.Config(**settings)
    off = {name: 0.0 for name in vars(config) if name.endswith("dropout")}
    return kind(dataclasses.replace(config, **off), sizes if architecture in TAGGERS else Sizes(50))


def of_words() -> tuple[Batch, torch.Tensor]:
    """Short texts, and long ones, whose keys far away count together."""
    batch = texts([9, 23, 1, 300])
    gold = torch.full((len(batch.ids), batch.mask.shape[1] - 1), IGNORED)
    gold[batch.mask[:, 1:]] = 0
    return batch, gold


def of_entities() -> tuple[Lattice, torch.Tensor]:
    ids, start, end, word = zip(*SENTENCES, strict=True)
    counts = [torch.ones(len(one)).numpy() for one in word]
    lattice = Lattice.of(ids, start, end, word=word, counts=counts)
    gold = torch.full(lattice.mask.shape, IGNORED)
    gold[lattice.mask] = 0
    return lattice, gold


def gradient(model: Any, dtype: torch.dtype) -> torch.Tensor:
    """The gradient of all parameters, as one vector."""
    batch, gold = of_entities() if isinstance(model, Tagger) else of_words()
    with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
        scores = model.train()(batch)
    model.loss(convert_to_fp32(scores), gold).backward()
    there = [part.grad.flatten() for part in model.parameters() if part.grad is not None]
    return torch.cat(there)


@pytest.mark.parametrize("within", [nullcontext, padding])
@pytest.mark.parametrize("name", MODELS)
def test_a_step_in_bf16_is_nearly_one_in_fp32(name: str, within: Any) -> None:
    """As a CPU computes it, and with padding as a GPU does."""
    model = build(name)
    other = copy.deepcopy(model)
    with within():
        exact, found = gradient(model, torch.float32), gradient(other, torch.bfloat16)
    assert torch.cosine_similarity(exact, found, dim=0) > 0.98
