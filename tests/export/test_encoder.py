"""A model with a pretrained encoder as one ONNX program gives the scores of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import onnx
import torch

from fenjie.export import encoder as module
from fenjie.export.taggers import program
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.models import TAGGERS
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.encoders.hugging_face import Encoder, open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from fenjie.text.normalise import Normaliser
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary
from tests.tiny_encoder import CHARACTERS, FAMILIES, tiny_encoder

TEXTS = ["张三丰和李小福在北京大学说：好。", "鬱", "abc去cafe12\x00", "😀北京", CHARACTERS * 4]
WORDS = ["张三丰", "北京", "北京大学", "大学", "天气", "上海市"]
TAGS = TagSet(["LOC", "PER"])
INDEXER = Indexer(Vocabulary.count("".join(TEXTS[:2])))


def check(
    encoder: Encoder, architecture: str, path: Path, words: WordVectors | None, **settings: Any
) -> None:
    kind, config = TAGGERS[architecture], settings.pop("pretrained", PretrainedConfig("x"))
    torch.manual_seed(1)
    sizes = INDEXER.sizes.characters, 0, 6
    pretrained = Pretrained(encoder.model, config)
    model = kind(
        kind.Config(pretrained=config, **settings),
        TaggerSizes(sizes, None, (2, 0, 6), TAGS, pretrained),
    ).eval()
    onnx.save_model(program(model, None, ()), path)  # type: ignore[arg-type]
    finder = None if words is None else words.lexicon
    reader = LatticeReader(Normaliser(), INDEXER, finder, 2000, encoder.pieces)
    by_onnx, by_torch = OnnxScorer(path, words), TorchScorer(model, words)
    for texts in [*([text] for text in TEXTS), TEXTS]:
        for batch in reader.read(texts).view.batches():
            found, expected = by_onnx(batch), by_torch(batch)
            real = np.arange(found.shape[1]) < batch.lengths[:, None]
            assert np.isfinite(found).all()
            assert np.abs(found - expected)[real].max() < 2e-5
    assert not pretrained.training


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Encoder]:
    folder = tmp_path_factory.mktemp("encoders")
    return {family: open_encoder(str(tiny_encoder(folder / family, family))) for family in FAMILIES}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_families(encoders: dict[str, Encoder], family: str, tmp_path: Path) -> None:
    check(encoders[family], "bert_crf", tmp_path / "model.onnx", None)


@pytest.mark.slow
def test_settings(encoders: dict[str, Encoder], tmp_path: Path) -> None:
    several = PretrainedConfig("x", frozen=True, layers=2)
    settings = {"lstm": True, "hidden": 5, "pretrained": several}
    check(encoders["bert"], "bert_crf", tmp_path / "model.onnx", None, **settings)


@pytest.fixture(scope="module")
def traced(encoders: dict[str, Encoder]) -> Any:
    return module._traced(Pretrained(encoders["bert"].model, PretrainedConfig("x")))


SMALL = {"dim": 8, "heads": 2, "hidden": 12}


@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("flat", SMALL),
        ("atssa", SMALL),
        ("tener", SMALL),
        ("bilstm_crf", {"hidden": 6}),
        ("soft_lexicon", {}),
        ("lattice_lstm", {"hidden": 6}),
    ],
)
def test_beside_vectors_of_characters(
    encoders: dict[str, Encoder],
    architecture: str,
    settings: dict[str, Any],
    traced: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    words = WordVectors(UnitVectors.build(WORDS, [1] * len(WORDS), vectors))
    if TAGGERS[architecture].Config().words == "none":
        words = None
    monkeypatch.setattr(module, "_traced", lambda pretrained: traced)  # the slow part, once
    check(encoders["bert"], architecture, tmp_path / "model.onnx", words, **settings)
