"""A model with a pretrained encoder as one ONNX program gives the scores of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch

from fenjie.models import TAGGERS
from fenjie.nn.encoders.hugging_face import open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.runtime.lattices import LatticeReader
from fenjie.text.normalise import Normaliser
from tests.builders import indexer_of, tagger_sizes, vectors_of
from tests.exported import Exported
from tests.tiny_encoder import CHARACTERS, FAMILIES, tiny_encoder

TEXTS = ["张三丰和李小福在北京大学说：好。", "鬱", "abc去cafe12\x00", "😀北京", CHARACTERS * 4]
WORDS = ["张三丰", "北京", "北京大学", "大学", "天气", "上海市"]
FROZEN = PretrainedConfig("x", frozen=True, layers=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "architecture", "settings", "config"),
    [
        *((family, "bert_crf", {}, PretrainedConfig("x")) for family in FAMILIES),
        ("bert", "bert_crf", {"lstm": True, "hidden": 5}, FROZEN),
        ("bert", "flat", {"dim": 8, "heads": 2, "hidden": 12}, PretrainedConfig("x")),
    ],
)
def test_scores(
    family: str,
    architecture: str,
    settings: dict[str, Any],
    config: PretrainedConfig,
    tmp_path: Path,
) -> None:
    encoder = open_encoder(str(tiny_encoder(tmp_path / family, family)))
    kind, indexer = TAGGERS[architecture], indexer_of(TEXTS[:2], pairs=False)
    torch.manual_seed(1)
    pretrained = Pretrained(encoder.model, config)
    sizes = tagger_sizes(indexer, ("LOC", "PER"))._replace(pretrained=pretrained)
    model = kind(kind.Config(pretrained=config, **settings), sizes)
    words = None if model.config.words == "none" else vectors_of(WORDS)
    finder = None if words is None else words.lexicon
    reader = LatticeReader(Normaliser(), indexer, finder, 2000, encoder.pieces)
    exported = Exported(model, 1, tmp_path, words)
    for texts in [*([text] for text in TEXTS), TEXTS]:
        exported.check(reader.read(texts).view.batches(), within=2e-5)
    assert not pretrained.training
