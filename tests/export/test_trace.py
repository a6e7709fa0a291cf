"""Systems as ONNX programs, traced from their own `forward`, give the scores of PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.export.trace import trace
from fenjie.lexicon.indexer import Sizes, ngram_columns
from fenjie.lexicon.word_vectors import EveryWord
from fenjie.models import TAGGERS
from fenjie.models.sams import Sams, SamsConfig
from fenjie.models.tagger import TagScores
from fenjie.models.tener import Tener, TenerConfig
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.components import ComponentSizes
from fenjie.nn.encoders.relative_transformer import EncoderConfig
from fenjie.nn.lattice import Lattice
from fenjie.runtime.batching import Batch
from fenjie.runtime.lattices import LatticeReader
from fenjie.text.normalise import Normaliser
from tests.builders import indexer_of, tagger_sizes, vectors_of
from tests.exported import Exported, gap_batches, together
from tests.small_systems import with_words

pytestmark = pytest.mark.slow

TEXTS = ["张三丰和李小福在北京大学说：好。", "北京", "和", "，，，", "南京市长江大桥" * 9]
LONG = "江大桥" * 170 + "北京"
WORDS = ["张", "三", "张三", "张三丰", "北京", "北京大学", "大学", "李小福", "市长", "江大桥" * 10]
SMALL = {"dim": 16, "heads": 4, "hidden": 24}
THRESHOLD = SelectionConfig("threshold")
WINDOWS = WindowConfig(3, 2)
TRANSFORMER = EncoderConfig(dim=16, heads=4, hidden=24, scale=True, windows=WindowConfig(2, 3))
MODELS = {
    "flat": ("flat", SMALL),
    "flat, layers": (
        "flat",
        SMALL | {"layers": 2, "self_matched": False, "reach": 4, "selection": THRESHOLD},
    ),
    "flat, head": (
        "flat",
        SMALL | {"distances": "head", "lexicon": False, "selection": SelectionConfig("sparsemax")},
    ),
    "flat, windows": ("flat", SMALL | {"windows": WindowConfig(3, 2), "selection": THRESHOLD}),
    "flat, released": ("flat", SMALL | {"projection_bias": True, "shared_norm": True}),
    "tener, entmax": ("tener", SMALL | {"selection": SelectionConfig("entmax")}),
    "atssa": ("atssa", SMALL),
    "soft_lexicon": ("soft_lexicon", {"hidden": 8}),
    "soft_lexicon, windows": (
        "soft_lexicon",
        {"encoder": "transformer", "transformer": TRANSFORMER},
    ),
    "bilstm_crf": ("bilstm_crf", {"hidden": 8, "layers": 2}),
    **with_words(SMALL),
}


def build(architecture: str, settings: dict[str, Any]) -> Any:
    """A tagger with random weights, and what reads its texts."""
    kind = TAGGERS[architecture]
    config = kind.Config(**settings)
    indexer = indexer_of(TEXTS, pairs=architecture != "atssa")
    words = finder = None
    if config.words != "none":
        words = vectors_of(WORDS)
        finder = EveryWord(words) if config.words == "all" else words.lexicon
    torch.manual_seed(0)
    sizes = tagger_sizes(indexer, ("LOC", "PER"), fixed=4)
    if architecture == "mect":
        sizes = sizes._replace(components=ComponentSizes(9, 4))
    model = kind(config, sizes)
    if architecture == "mect":
        model.components.parts.copy_(torch.randint(1, 9, model.components.parts.shape))
        model.components.parts[::2, 2:] = 0
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) / 4)
        for table in (model.embedding.characters, model.embedding.bigrams):
            if table is not None:
                table.fixed.copy_(torch.randn_like(table.fixed.float()))
    return model, LatticeReader(Normaliser(), indexer, finder), words


def batches(reader: LatticeReader, texts: list[str]) -> list[Batch]:
    return list(reader.read(texts).view.batches())


@pytest.mark.parametrize(("architecture", "settings"), MODELS.values(), ids=MODELS)
def test_scores(architecture: str, settings: dict[str, Any], tmp_path: Path) -> None:
    model, reader, words = build(architecture, settings)
    exported = Exported(model, reader.indexer("一").shape[1], tmp_path, words)
    single = [batch for text in TEXTS for batch in batches(reader, [text])]
    exported.check([*single, *batches(reader, TEXTS), *batches(reader, [LONG]), together(single)])


def test_no_place_for_a_word(tmp_path: Path) -> None:
    model, reader, words = build("lattice_lstm", {"hidden": 8})
    exported, none = Exported(model, 2, tmp_path, words), np.zeros((1, 0), dtype=np.int64)
    (batch,) = batches(reader, ["，，，"])
    found = exported.by_onnx(batch._replace(start=none, end=none, word=none))
    assert np.abs(found - exported.by_torch(batch)).max() < 1e-4


@pytest.mark.parametrize(
    "settings",
    [
        {"gaussian": False, "selection": THRESHOLD},
        # With a Gaussian, entmax among keys far away that nearly tie has few digits in float32.
        {"gaussian": False, "selection": SelectionConfig("entmax"), "fusion": "gate"},
        {},
        {"directions": ("forward", "backward"), "highway_input": False, "highway_output": False},
        {"ngrams": 50},
    ],
    ids=str,
)
def test_segmenters(settings: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(1)
    own = dict(settings)
    sizes = Sizes(50, ngrams=own.pop("ngrams", 0))
    model = Sams(SamsConfig(dim=16, layers=2, heads=2, hidden=24, **own), sizes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    columns = 1 + ngram_columns(sizes)
    Exported(model, columns, tmp_path).check(gap_batches((2, 3, 9, 40, 150), columns))


@dataclass(frozen=True)
class OwnConfig(TenerConfig):
    """No settings of its own."""


class Own(Tener):
    """A system of the user's, which nobody here knows."""

    Config = OwnConfig

    def forward(self, lattice: Lattice) -> TagScores:
        scores, penalty = super().forward(lattice)
        return TagScores(scores * 2, penalty)


class Counting(Own):
    """One that asks for a number of the batch."""

    def forward(self, lattice: Lattice) -> TagScores:
        scores: Tensor = super().forward(lattice)[0]
        return TagScores(scores * int(lattice.lengths.max()))


def test_a_system_that_cannot_be_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TAGGERS, "counting", Counting)
    model, *_ = build("counting", SMALL)
    with pytest.raises(FenjieError, match=r"Counting cannot be exported.*docs/extending\.md"):
        trace(model.eval(), 2)


def test_a_system_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TAGGERS, "own", Own)
    model, reader, words = build("own", SMALL)
    Exported(model, 2, tmp_path, words).check(batches(reader, TEXTS))
