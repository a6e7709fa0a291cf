"""FLAT as an ONNX program gives the scores of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import torch

from fenjie.export.flat import flat_program
from fenjie.export.rounding import round_tables
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.models.flat import Flat, FlatConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from fenjie.text.normalise import Normaliser
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

TEXTS = ["张三丰和李小福在北京大学说：好。", "北京", "和", "，，，", "南京市长江大桥" * 9]
WORDS = ["张", "三", "张三", "张三丰", "北京", "北京大学", "大学", "李小福", "市长", "江大桥" * 10]
TAGS = TagSet(["LOC", "PER"])


def lattices(*, pairs: bool = True, words: bool = True) -> tuple[LatticeReader, WordVectors | None]:
    text = "".join(TEXTS)
    indexer = Indexer(Vocabulary.count(text), Vocabulary.count(bigrams(text)) if pairs else None)
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    found = WordVectors(UnitVectors.build(WORDS, [1] * len(WORDS), vectors)) if words else None
    return LatticeReader(Normaliser(), indexer, found.lexicon if found else None), found


def model(reader: LatticeReader, **settings: Any) -> Flat:
    torch.manual_seed(0)
    sizes = reader.indexer.sizes
    tables = TaggerSizes(
        (20, sizes.characters - 20, 6), (30, sizes.bigrams - 30, 6) if sizes.bigrams else None,
        (2, 0, 6), TAGS,
    )  # fmt: skip
    made = Flat(FlatConfig(dim=16, heads=4, hidden=24, **settings), tables).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "bias" in name or "norm" in name:
                parameter.add_(torch.randn_like(parameter) / 2)
        for table in (made.embedding.characters, made.embedding.bigrams):
            if table is not None:
                table.fixed.copy_(torch.randn_like(table.fixed.float()))
    return made


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"distances": "two"},
        {"distances": "head"},
        {"self_matched": False},
        {"reach": 3},
        {"lexicon": False},
        {"scale": True, "key_projection": False, "output_projection": False, "residual": False},
        {"layers": 2},
        {"layers": 3, "distances": "head", "self_matched": False, "reach": 4},
        {"layers": 2, "distances": "two", "lexicon": False},
        {"bigrams": False},
        {"windows": WindowConfig(2, 4)},
        {"windows": WindowConfig(3, 2, shared=True), "distances": "two", "scale": True},
        {"windows": WindowConfig(8, 2, residual=False), "distances": "head", "layers": 2},
        {"windows": WindowConfig(2, 2), "lexicon": False, "key_projection": False},
        {"windows": WindowConfig(2, 4), "selection": SelectionConfig("threshold", keep=1)},
        {"windows": WindowConfig(4, 2), "selection": SelectionConfig("threshold", dynamic=False)},
        {"windows": WindowConfig(8, 2), "selection": SelectionConfig("top-k"), "layers": 2},
        {"windows": WindowConfig(8, 1), "selection": SelectionConfig("entmax")},
    ],
)
def test_scores(settings: dict[str, Any], tmp_path: Path) -> None:
    settings = dict(settings)
    lexicon = settings.get("lexicon", True)
    reader, words = lattices(pairs=settings.pop("bigrams", True), words=lexicon)
    flat = model(reader, **settings)
    path = tmp_path / "model.onnx"
    onnx.save_model(flat_program(flat), path)
    by_onnx, by_torch = OnnxScorer(path, words), TorchScorer(flat, words)
    batches = 0
    for texts in [*([text] for text in TEXTS), TEXTS, ["北京", "和"]]:
        for batch in reader.read(texts).view.batches():
            found, expected = by_onnx(batch), by_torch(batch)
            real = np.arange(found.shape[1]) < batch.lengths[:, None]
            assert np.isfinite(found).all()
            assert np.abs(found - expected)[real].max() < 2e-5
            batches += 1
    assert batches > len(TEXTS)


def test_the_longest_words_and_windows(tmp_path: Path) -> None:
    reader, words = lattices()
    flat = model(reader)
    path = tmp_path / "model.onnx"
    onnx.save_model(flat_program(flat), path)
    (batch,) = reader.read(["江大桥" * 170 + "北京"]).view.batches()
    assert (batch.end - batch.start).max() == 29
    assert batch.ids.shape[1] == 512
    apart = OnnxScorer(path, words)(batch) - TorchScorer(flat, words)(batch)
    assert np.abs(apart).max() < 2e-5


def test_only_tables_of_units_are_rounded() -> None:
    reader, _ = lattices()
    flat = model(reader)
    for table in (flat.embedding.characters, flat.embedding.bigrams):
        assert table is not None
        table.fixed = torch.randn(3000, 6).half()
    program = flat_program(flat)
    before = {value.name for value in program.graph.initializer}
    round_tables(program, "float16")
    rounded = {value.name for value in program.graph.initializer} - before
    assert len(rounded) == 2
