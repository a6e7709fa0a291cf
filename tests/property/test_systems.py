"""Systems with words and without: padding, batches, saving, loss, and what they learn."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from fenjie.models import TAGGERS
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.components import ComponentSizes
from fenjie.nn.encoders.relative_transformer import EncoderConfig
from fenjie.nn.lattice import Lattice
from tests.lattices import SIZES, learn

SMALL = EncoderConfig(dim=16, heads=2, hidden=24)
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bilstm_crf": ("bilstm_crf", {}),
    "bilstm_crf, layers": ("bilstm_crf", {"layers": 2}),
    "soft_lexicon": ("soft_lexicon", {}),
    "soft_lexicon, transformer": (
        "soft_lexicon",
        {"encoder": "transformer", "transformer": SMALL},
    ),
    "soft_lexicon, windows": (
        "soft_lexicon",
        {
            "encoder": "transformer",
            "transformer": dataclasses.replace(SMALL, windows=WindowConfig(size=2, rounds=3)),
        },
    ),
    "lattice_lstm": ("lattice_lstm", {}),
    "lr_cnn": ("lr_cnn", {"layer_dropout": 0.0}),
    "lgn": ("lgn", {"heads": 2, "head_dim": 4}),
    "cgn": ("cgn", {"graph_dim": 4}),
    "plt": ("plt", {"dim": 16, "heads": 2, "layers": 2, "recurrent": 6}),
    "dcsan": ("dcsan", {"dim": 16, "heads": 2, "cross_heads": 2}),
    "mect": ("mect", {"dim": 16, "heads": 2, "random_places": 20}),
}
every = pytest.mark.parametrize("name", MODELS)

Parts = tuple[np.ndarray, ...]


def build(name: str, **more: Any) -> Any:
    torch.manual_seed(3)
    architecture, settings = MODELS[name]
    made = TAGGERS[architecture]
    sizes = SIZES._replace(components=ComponentSizes(12, 4)) if name == "mect" else SIZES
    return made(made.Config(hidden=8, **settings, **more), sizes)


def parts(name: str, length: int, words: int, seed: int) -> Parts:
    """Ids, starts, ends, rows and counts of a random sentence, words of up to five characters."""
    random = np.random.default_rng(seed)
    shortest = 0 if name.startswith(("soft", "dcsan")) else 1
    spans = [(a, b) for a in range(length) for b in range(a + shortest, min(a + 5, length))]
    chosen = np.array(spans, dtype=np.int64).reshape(-1, 2)[random.permutation(len(spans))[:words]]
    ids = random.integers(2, 50, (length, 2))
    rows, counts = random.integers(1, 40, len(chosen)), random.integers(1, 99, len(chosen))
    return ids, chosen[:, 0], chosen[:, 1], rows, counts.astype(np.float32)


def collated(*sentences: Parts) -> Lattice:
    ids, start, end, word, counts = zip(*sentences, strict=True)
    return Lattice.of(ids, start, end, word=word, counts=counts)


def some(name: str) -> list[Parts]:
    return [parts(name, *size) for size in ((9, 4, 0), (33, 40, 1), (1, 0, 2), (12, 0, 3))]


@every
def test_a_batch_is_its_sentences_one_by_one(name: str) -> None:
    model = build(name).double().eval()
    together = model(collated(*some(name))).tags
    for row, sentence in zip(together, some(name), strict=True):
        alone = model(collated(sentence)).tags[0]
        assert torch.allclose(row[: len(alone)], alone, rtol=0, atol=1e-12)
        assert (row[len(alone) :] == 0).all()


@every
def test_padding_never_counts(name: str) -> None:
    model = build(name).double().eval()
    given = collated(*some(name))
    assert given.word is not None
    assert given.counts is not None
    wide = Lattice(
        F.pad(given.ids, (0, 0, 0, 7), value=5),
        given.lengths,
        F.pad(given.start, (0, 3), value=2),
        F.pad(given.end, (0, 3), value=4),
        given.words,
        word=F.pad(given.word, (0, 3), value=6),
        counts=F.pad(given.counts, (0, 3), value=8),
    )
    scores, padded = model(given).tags, model(wide).tags
    assert torch.allclose(scores, padded[:, : scores.shape[1]], rtol=0, atol=1e-12)


@every
def test_words_matter_and_their_order_does_not(name: str) -> None:
    model = build(name).double().eval()
    sentence = parts(name, 12, 8, 5)
    scores = model(collated(sentence)).tags
    order = np.random.default_rng(0).permutation(len(sentence[1]))
    shuffled = (sentence[0], *(column[order] for column in sentence[1:]))
    assert torch.allclose(scores, model(collated(shuffled)).tags, rtol=0, atol=1e-12)
    fewer = model(collated((sentence[0], *(column[1:] for column in sentence[1:])))).tags
    assert torch.allclose(scores, fewer) == name.startswith("bilstm")


@every
def test_each_rate_of_dropout_acts_in_training_alone(name: str) -> None:
    made, given = build(name), collated(*some(name))
    rates = [field for field in vars(made.config) if field.endswith("dropout")]
    for chosen in rates:
        if chosen == "layer_dropout" and made.config.layers == 1:
            continue  # it is between layers
        config = dataclasses.replace(
            made.config, **{rate: 0.5 * (rate == chosen) for rate in rates}
        )
        model = type(made)(config, SIZES._replace(components=ComponentSizes(12, 4)))
        assert not torch.equal(model(given).tags, model(given).tags), chosen
        model.eval()
        assert torch.equal(model(given).tags, model(given).tags), chosen


@every
def test_saving_and_loading_change_nothing(name: str, tmp_path: Path) -> None:
    model, other = build(name).eval(), build(name).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    other.load_state_dict(load_file(tmp_path / "model.safetensors"))
    given = collated(*some(name))
    assert torch.equal(model(given).tags, other(given).tags)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in {"bilstm_crf", "soft_lexicon"} else pytest.mark.slow)
        for name in MODELS
    ],
)
def test_it_learns(name: str) -> None:
    model = build(name, word_dropout=0.0, embedding_dropout=0.0, output_dropout=0.0)
    _, losses = learn(model, collated(*some(name)), rate=0.02)
    assert losses[-1] < 0.15 * losses[0]


@pytest.mark.parametrize(
    "name", ["bilstm_crf", "soft_lexicon", "lattice_lstm", "lr_cnn", "lgn", "cgn"]
)
def test_half_precision(name: str) -> None:
    """Autocast computes products in bfloat16; the loops are not among them."""
    model = build(name)
    given = collated(*some(name))
    exact = model.eval()(given).tags
    with torch.autocast("cpu", torch.bfloat16):
        found = model(given).tags
        model.train()(given).tags.float().square().sum().backward()
    assert torch.allclose(found.float(), exact, rtol=0.1, atol=0.1)
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
