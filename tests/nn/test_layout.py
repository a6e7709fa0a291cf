"""Models compute the same loss and gradients with padding as without it, and wait for nothing."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from torch import Tensor  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from fenjie.lexicon.indexer import Sizes  # noqa: E402
from fenjie.lexicon.keys import LONGEST  # noqa: E402
from fenjie.models import TAGGERS  # noqa: E402
from fenjie.models.sams import Sams, SamsConfig  # noqa: E402
from fenjie.nn.attention.selection import SelectionConfig  # noqa: E402
from fenjie.nn.attention.window_partition import WindowConfig  # noqa: E402
from fenjie.nn.batch import Batch  # noqa: E402
from fenjie.nn.components import ComponentSizes  # noqa: E402
from fenjie.nn.decoders.gaps import IGNORED  # noqa: E402
from fenjie.nn.encoders.relative_transformer import EncoderConfig  # noqa: E402
from fenjie.nn.lattice import Lattice  # noqa: E402
from fenjie.nn.layout import padding  # noqa: E402
from tests.lattices import SIZES, TAGS, sentences  # noqa: E402
from tests.small_systems import with_words  # noqa: E402

SMALL = {"dim": 16, "heads": 4, "hidden": 24}
TRANSFORMER = EncoderConfig(dim=16, heads=4, hidden=24, layers=2, scale=True)
THRESHOLD = SelectionConfig("threshold", keep=2)
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "flat": ("flat", SMALL),
    "flat, two": ("flat", SMALL | {"distances": "two", "scale": True}),
    "flat, head": ("flat", SMALL | {"distances": "head", "key_projection": False}),
    "flat, msm": ("flat", SMALL | {"self_matched": False}),
    "flat, mld": ("flat", SMALL | {"reach": 3, "projection_bias": True}),
    "flat, no lexicon": ("flat", SMALL | {"lexicon": False}),
    "flat, layers": ("flat", SMALL | {"layers": 3, "self_matched": False, "reach": 4}),
    "flat, head, layers": ("flat", SMALL | {"layers": 2, "distances": "head"}),
    "flat, entmax": ("flat", SMALL | {"selection": SelectionConfig("entmax")}),
    "flat, top-k": ("flat", SMALL | {"selection": SelectionConfig("top-k"), "layers": 2}),
    "flat, released": (
        "flat",
        SMALL | {"residual": False, "output_projection": False, "shared_norm": True},
    ),
    "flat, windows": ("flat", SMALL | {"windows": WindowConfig(2, 3)}),
    "flat, wide windows": (
        "flat",
        SMALL | {"windows": WindowConfig(3, 2, shared=True), "distances": "two", "layers": 2},
    ),
    "flat, windows, top-k": (
        "flat",
        SMALL | {"windows": WindowConfig(8, 1), "selection": SelectionConfig("top-k", keep=2)},
    ),
    "tener": ("tener", SMALL),
    "tener, model": ("tener", SMALL | {"sinusoids": "model", "key_projection": True}),
    "tener, sparsemax": ("tener", SMALL | {"selection": SelectionConfig("sparsemax")}),
    "tener, windows": ("tener", SMALL | {"windows": WindowConfig(2, 3), "scale": True}),
    "atssa, dense": ("atssa", SMALL | {"selection": SelectionConfig(), "layers": 2}),
    "soft_lexicon": ("soft_lexicon", {"hidden": 8}),
    "soft_lexicon, layers": ("soft_lexicon", {"hidden": 8, "layers": 2}),
    "soft_lexicon, transformer": (
        "soft_lexicon",
        {"encoder": "transformer", "transformer": TRANSFORMER},
    ),
    "soft_lexicon, windows": (
        "soft_lexicon",
        {
            "encoder": "transformer",
            "transformer": replace(TRANSFORMER, windows=WindowConfig(2, 3)),
        },
    ),
    "bilstm_crf": ("bilstm_crf", {"hidden": 8}),
    **with_words(SMALL),
    "plt, all see all": ("plt", SMALL | {"porous": False}),
}
SAMPLED: dict[str, tuple[str, dict[str, Any]]] = {
    "flat": ("flat", SMALL | {"selection": THRESHOLD, "layers": 2}),
    "flat, windows": ("flat", SMALL | {"selection": THRESHOLD, "windows": WindowConfig(4, 2)}),
    "atssa": ("atssa", SMALL | {"selection": THRESHOLD}),
}


def build(name: str, models: dict[str, tuple[str, dict[str, Any]]] = MODELS) -> Any:
    """A model in float64, away from zeros and ones."""
    architecture, settings = models[name]
    kind = TAGGERS[architecture]
    torch.manual_seed(0)
    sizes = SIZES._replace(components=ComponentSizes(12, 4)) if architecture == "mect" else SIZES
    model = kind(kind.Config(**settings), sizes).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) / 5)
    return model


def batch(model: Any) -> tuple[Lattice, Tensor]:
    """Sentences of quite different lengths, one without words, one of a single character.

    One of the words is as long as a word may be.
    """
    lattice = sentences([9, 33, 1, 12], [4, 25, 0, 0], seed=1)
    lattice.start[1, 0], lattice.end[1, 0] = 1, LONGEST
    counts = torch.randint(0, 9, lattice.start.shape, dtype=torch.float64)
    lattice = replace(lattice, counts=counts)
    gold = torch.where(lattice.mask, 0, IGNORED)
    assert len(TAGS)
    return lattice, gold


def learnt(model: Any, lattice: Lattice, gold: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    model.zero_grad()
    loss = model.loss(model(lattice), gold)
    loss.backward()
    named = model.named_parameters()
    return loss.detach(), {n: p.grad.to_dense() for n, p in named if p.grad is not None}


@pytest.mark.parametrize("name", MODELS)
def test_loss_and_gradients_are_the_same(name: str) -> None:
    model = build(name).eval()
    lattice, gold = batch(model)
    loss, gradients = learnt(model, lattice, gold)
    with padding():
        padded_loss, padded_gradients = learnt(model, lattice, gold)
    assert torch.isfinite(loss)
    assert torch.allclose(padded_loss, loss, rtol=1e-9, atol=0)
    assert gradients.keys() == padded_gradients.keys()
    for parameter, gradient in gradients.items():
        found = padded_gradients[parameter]
        assert torch.allclose(found, gradient, rtol=1e-6, atol=1e-9), parameter


@pytest.mark.parametrize("name", SAMPLED)
def test_thresholds_without_noise_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    thresholds = "fenjie.nn.attention.thresholds.logistic"
    monkeypatch.setattr(thresholds, lambda like: torch.zeros_like(like))
    model = build(name, SAMPLED).train()
    for module in model.modules():
        if hasattr(module, "rate"):
            module.rate = 0.0
        if hasattr(module, "word_dropout"):
            module.word_dropout = 0.0
    lattice, gold = batch(model)
    loss, gradients = learnt(model, lattice, gold)
    with padding():
        padded_loss, padded_gradients = learnt(model, lattice, gold)
    assert torch.allclose(padded_loss, loss, rtol=1e-9, atol=0)
    for parameter, gradient in gradients.items():
        found = padded_gradients[parameter]
        assert torch.allclose(found, gradient, rtol=1e-6, atol=1e-8), parameter


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MODELS, *(f"sampled {name}" for name in SAMPLED)])
def test_a_step_waits_for_no_number(name: str) -> None:
    """Without the numbers themselves, whatever asked for one would fail."""
    models, name = (SAMPLED, name[8:]) if name.startswith("sampled ") else (MODELS, name)
    model = build(name, models).train()
    lattice, _ = batch(model)
    with padding():
        model(lattice)  # constants that are kept are made of numbers
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            for module in model.modules():
                for table in (module._parameters, module._buffers):
                    for key, value in list(table.items()):
                        if value is not None:
                            table[key] = mode.from_tensor(value)
            given = {field.name: getattr(lattice, field.name) for field in fields(Lattice)}
            fake = {
                key: mode.from_tensor(value) for key, value in given.items() if value is not None
            }
            scores = model(Lattice(**fake))
            scores.tags.sum().backward()
    assert tuple(scores.tags.shape) == (*lattice.ids.shape[:2], len(TAGS))


@pytest.mark.parametrize("name", ["flat", "tener", "soft_lexicon", "lattice_lstm"])
def test_dropout_is_active_with_padding(name: str) -> None:
    model = build(name).train()
    lattice, gold = batch(model)
    with padding():
        one, other = (model.loss(model(lattice), gold) for _ in range(2))
    assert torch.isfinite(one)
    assert one != other


def test_the_segmenter_is_padded_anyway() -> None:
    torch.manual_seed(0)
    model = Sams(SamsConfig(dim=16, layers=2, heads=2, hidden=24), Sizes(50)).double().eval()
    given = Batch(torch.randint(2, 50, (3, 9, 1)), torch.tensor([9, 2, 5]))
    expected = model(given).final
    with padding():
        assert torch.equal(model(given).final, expected)
