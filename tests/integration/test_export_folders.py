"""Model folders of recurrent taggers are exported, loaded, and tag as they do in PyTorch.

The scores of every tagger: `tests/export/test_trace.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import torch
from safetensors.torch import save_file

import fenjie
from fenjie.export import export
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.models import TAGGERS
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.window_partition import WindowConfig
from fenjie.nn.encoders.relative_transformer import EncoderConfig
from fenjie.runtime.checksums import seal
from fenjie.runtime.model_files import TRANSITIONS
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

TEXTS = ["张三丰和李小福在北京大学说：好。", "市场价格上涨。", "和"]
WORDS = ["张", "北", "张三丰", "北京", "北京大学", "大学", "市场", "价格", "上涨"]
WINDOWS = EncoderConfig(
    dim=16, heads=2, hidden=24, scale=True, windows=WindowConfig(size=2, rounds=1)
)
MODELS: dict[str, tuple[dict[str, Any], str]] = {
    "bilstm_crf": ({}, ""),
    "lattice_lstm": ({}, ""),
    "soft_lexicon": (
        {"encoder": "transformer", "transformer": WINDOWS},
        'encoder = "transformer"\n[model.transformer]\ndim = 16\nheads = 2\nhidden = 24\n'
        "scale = true\n[model.transformer.windows]\nsize = 2\nrounds = 1\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("architecture", MODELS)
def test_a_folder(architecture: str, tmp_path: Path) -> None:
    settings, toml = MODELS[architecture]
    made = TAGGERS[architecture]
    config = made.Config(hidden=8, **settings)
    text = "".join(TEXTS)
    indexer = Indexer(Vocabulary.count(text), Vocabulary.count(bigrams(text)))
    indexer.save(tmp_path)
    if config.words != "none":
        vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6))
        counts = list(range(1, len(WORDS) + 1))
        WordVectors(UnitVectors.build(WORDS, counts, vectors)).save(tmp_path)
    tags = TagSet(["LOC", "PER"])
    characters, pairs = (indexer.sizes.characters, 0, 6), (indexer.sizes.bigrams, 0, 6)
    torch.manual_seed(0)
    model = made(config, TaggerSizes(characters, pairs, (2, 0, 6), tags))
    with torch.no_grad():
        model.output.weight.mul_(4)
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    np.save(tmp_path / TRANSITIONS, model.crf.table().numpy())
    singles = "true" if config.words == "all" else "false"
    (tmp_path / "config.toml").write_text(
        f'format = 1\nname = "tiny"\ntask = "ner"\narchitecture = "{architecture}"\n'
        f"[input]\ncharacters = {list(characters)}\nbigrams = {list(pairs)}\nwords = [2, 0, 6]\n"
        f"singles = {singles}\n[model]\nhidden = 8\n{toml}",
        encoding="utf-8",
    )
    (tmp_path / "labels.txt").write_text("LOC\nPER\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("# tiny\n", encoding="utf-8")
    seal(tmp_path)
    difference = export(tmp_path, texts=TEXTS).difference
    assert difference.scores < 1e-4
    assert difference.changed == 0
    tagger = fenjie.load(tmp_path)
    assert [sentence.text for sentence in tagger(TEXTS)] == TEXTS
    assert tagger("") == fenjie.Sentence("")
