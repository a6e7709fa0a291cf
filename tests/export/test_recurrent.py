"""BiLSTM-CRF, SoftLexicon and Lattice LSTM as ONNX programs give the scores of PyTorch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import onnx
import torch

from fenjie.export.lattice_lstm import lattice_lstm_program
from fenjie.export.recurrent import bilstm_crf_program
from fenjie.export.soft_lexicon import soft_lexicon_program
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import EveryWord, WordVectors
from fenjie.models import TAGGERS
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.relative_transformer import EncoderConfig
from fenjie.runtime.batching import Batch
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.scorer import OnnxScorer
from fenjie.tasks.scorer import TorchScorer
from fenjie.text.normalise import Normaliser
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

TEXTS = ["张三丰和李小福在北京大学说：好。", "北京", "和", "，，，", "南京市长江大桥" * 9]
WORDS = ["张", "三", "张三", "张三丰", "北京", "北京大学", "大学", "李小福", "市长", "江大桥" * 10]
TAGS = TagSet(["LOC", "PER"])
PROGRAMS = {
    "bilstm_crf": bilstm_crf_program,
    "soft_lexicon": soft_lexicon_program,
    "lattice_lstm": lattice_lstm_program,
}
TRANSFORMER = EncoderConfig(dim=16, heads=4, hidden=24, layers=2, scale=True)
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bilstm_crf": ("bilstm_crf", {}),
    "bilstm_crf, layers": ("bilstm_crf", {"layers": 2}),
    "soft_lexicon": ("soft_lexicon", {}),
    "soft_lexicon, transformer": (
        "soft_lexicon",
        {"encoder": "transformer", "transformer": TRANSFORMER},
    ),
    "soft_lexicon, windows": (
        "soft_lexicon",
        {
            "encoder": "transformer",
            "transformer": replace(TRANSFORMER, windows=WindowConfig(size=2, rounds=3)),
        },
    ),
    "lattice_lstm": ("lattice_lstm", {}),
}


class Both:
    """A model and its program."""

    def __init__(self, name: str, folder: Path, *, pairs: bool = True) -> None:
        architecture, settings = MODELS[name]
        made = TAGGERS[architecture]
        text = "".join(TEXTS)
        indexer = Indexer(
            Vocabulary.count(text), Vocabulary.count(bigrams(text)) if pairs else None
        )
        config = made.Config(hidden=8, **settings)
        words = finder = None
        if config.words != "none":
            vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6))
            counts = [3 * number for number in range(len(WORDS))]
            words = WordVectors(UnitVectors.build(WORDS, counts, vectors))
            finder = EveryWord(words) if config.words == "all" else words.lexicon
        self.reader = LatticeReader(Normaliser(), indexer, finder)
        torch.manual_seed(0)
        sizes = TaggerSizes(
            (20, indexer.sizes.characters - 20, 6),
            (30, indexer.sizes.bigrams - 30, 6) if pairs else None,
            (2, 0, 6),
            TAGS,
        )
        self.model = made(config, sizes).eval()
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.add_(torch.randn_like(parameter) / 4)
            for table in (self.model.embedding.characters, self.model.embedding.bigrams):
                if table is not None:
                    table.fixed.copy_(torch.randn_like(table.fixed.float()))
        path = folder / "model.onnx"
        onnx.save_model(PROGRAMS[architecture](self.model), path)
        self.by_onnx, self.by_torch = OnnxScorer(path, words), TorchScorer(self.model, words)

    def check(self, batch: Batch) -> None:
        found, expected = self.by_onnx(batch), self.by_torch(batch)
        real = np.arange(found.shape[1]) < batch.lengths[:, None]
        assert np.isfinite(found).all()
        assert np.abs(found - expected)[real].max() < 1e-4

    def batches(self, texts: list[str]) -> list[Batch]:
        return list(self.reader.read(texts).view.batches())


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_scores(name: str, pairs: bool, tmp_path: Path) -> None:
    both = Both(name, tmp_path, pairs=pairs)
    for texts in [*([text] for text in TEXTS), TEXTS, ["北京", "和"]]:
        for batch in both.batches(texts):
            both.check(batch)


@pytest.mark.parametrize("name", MODELS)
def test_the_longest_words_and_windows(name: str, tmp_path: Path) -> None:
    both = Both(name, tmp_path)
    (batch,) = both.batches(["江大桥" * 170 + "北京"])
    assert batch.ids.shape[1] == 512
    both.check(batch)


@pytest.mark.parametrize("name", MODELS)
def test_sentences_that_differ_much(name: str, tmp_path: Path) -> None:
    """All in one batch, whatever their lengths, as the reader would not put them."""
    both = Both(name, tmp_path)
    single = [both.batches([text])[0] for text in TEXTS]
    length = max(batch.ids.shape[1] for batch in single)
    words = max(batch.start.shape[1] for batch in single)

    def wide(values: np.ndarray, room: int) -> np.ndarray:
        padding = [(0, 0), (0, room - values.shape[1]), *[(0, 0)] * (values.ndim - 2)]
        return np.pad(values, padding)

    both.check(
        Batch(
            np.arange(len(single)),
            np.concatenate([wide(batch.ids, length) for batch in single]),
            np.concatenate([batch.lengths for batch in single]),
            np.concatenate([wide(batch.start, words) for batch in single]),
            np.concatenate([wide(batch.end, words) for batch in single]),
            np.concatenate([batch.words for batch in single]),
            np.concatenate([wide(batch.word, words) for batch in single]),
        )
    )


@pytest.mark.parametrize("name", MODELS)
def test_no_place_for_a_word(name: str, tmp_path: Path) -> None:
    both = Both(name, tmp_path)
    batch = both.batches(["，，，"])[0]
    none = np.zeros((1, 0), dtype=np.int64)
    found = both.by_onnx(batch._replace(start=none, end=none, word=none))
    assert np.abs(found - both.by_torch(batch)).max() < 1e-4
