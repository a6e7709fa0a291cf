"""What several tests share: a tiny model and the benchmark data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test depends on how fast the machine is; where CI is set, examples are the same each time.
settings.register_profile(
    "fenjie",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fenjie")

# One thread, here and in the processes that tests start, before anything loads a numerical library:
# how two threads share a sum depends on the load of the machine, and with it the last bit.
for library in ("OMP", "MKL", "OPENBLAS"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

TEXTS = [
    "商品和服务，他说的确实在理。",
    "今天天气很好！我们１２月３１日去北京。",
    "市场价格上涨12.5%，共3,000元；请看www.example.com。",
    "abc def ＡＢＣ",
]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the benchmark data."""
    if "FENJIE_DATA" not in os.environ:
        pytest.skip("FENJIE_DATA does not name the folder of the benchmark data")
    return Path(os.environ["FENJIE_DATA"])


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random SAMS over characters and bigrams, with its export.

    Tests must not change it; they copy it first.
    """
    torch = pytest.importorskip("torch", reason="needs the extra `train`")
    from safetensors.torch import save_file

    from fenjie.export import export
    from fenjie.lexicon.indexer import Indexer
    from fenjie.models.sams import Sams, SamsConfig
    from fenjie.runtime.folder import seal
    from fenjie.text.normalise import Normaliser
    from fenjie.text.vocabulary import Vocabulary, bigrams

    folder = tmp_path_factory.mktemp("models") / "tiny"
    folder.mkdir()
    texts = [Normaliser()(text).text for text in TEXTS]
    indexer = Indexer(
        Vocabulary.count("".join(texts)),
        Vocabulary.count(pair for text in texts for pair in bigrams(text)),
    )
    indexer.save(folder)
    torch.manual_seed(0)
    config = SamsConfig(dim=8, layers=2, heads=2, hidden=16, bigram_dim=4)
    model = Sams(config, indexer.sizes)
    save_file(model.state_dict(), folder / "model.safetensors")
    (folder / "config.toml").write_text(
        'format = 1\nname = "tiny"\ntask = "segment"\narchitecture = "sams"\n'
        "[text]\nwidth = true\n"
        "[model]\ndim = 8\nlayers = 2\nheads = 2\nhidden = 16\nbigram_dim = 4\n",
        encoding="utf-8",
    )
    (folder / "labels.txt").write_text("W\n", encoding="utf-8")
    (folder / "README.md").write_text("# tiny\n", encoding="utf-8")
    seal(folder)
    export(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_ner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random FLAT for LOC, ORG and PER, with its export.

    Tests must not change it; they copy it first.
    """
    torch = pytest.importorskip("torch", reason="needs the extra `train`")
    import numpy as np
    from safetensors.torch import save_file

    from fenjie.export import export
    from fenjie.lexicon.indexer import Indexer
    from fenjie.lexicon.units import UnitVectors
    from fenjie.lexicon.word_vectors import WordVectors
    from fenjie.models.flat import Flat, FlatConfig
    from fenjie.models.tagger import TaggerSizes
    from fenjie.runtime.folder import TRANSITIONS, seal
    from fenjie.text.normalise import Normaliser
    from fenjie.text.tags import TagSet
    from fenjie.text.vocabulary import Vocabulary, bigrams

    folder = tmp_path_factory.mktemp("models") / "tiny-ner"
    folder.mkdir()
    texts = [Normaliser()(text).text for text in TEXTS]
    indexer = Indexer(
        Vocabulary.count("".join(texts)),
        Vocabulary.count(pair for text in texts for pair in bigrams(text)),
    )
    indexer.save(folder)
    words = ["商", "品", "商品", "和服", "服务", "确实", "实在", "北京", "今天天气", "市场", "价格"]
    vectors = np.random.default_rng(0).normal(size=(len(words), 6))
    WordVectors(UnitVectors.build(words, [1] * len(words), vectors)).save(folder)
    tags = TagSet(["LOC", "ORG", "PER"])
    characters, pairs = (indexer.sizes.characters, 0, 6), (indexer.sizes.bigrams, 0, 6)
    torch.manual_seed(0)
    config = FlatConfig(dim=8, heads=2, hidden=16)
    model = Flat(config, TaggerSizes(characters, pairs, (2, 0, 6), tags))
    with torch.no_grad():
        model.output.weight.mul_(3)
    save_file(model.state_dict(), folder / "model.safetensors")
    np.save(folder / TRANSITIONS, model.crf.table().numpy())
    (folder / "config.toml").write_text(
        'format = 1\nname = "tiny-ner"\ntask = "ner"\narchitecture = "flat"\n'
        f"[input]\ncharacters = {list(characters)}\nbigrams = {list(pairs)}\nwords = [2, 0, 6]\n"
        "[model]\ndim = 8\nheads = 2\nhidden = 16\n",
        encoding="utf-8",
    )
    (folder / "labels.txt").write_text("LOC\nORG\nPER\n", encoding="utf-8")
    (folder / "README.md").write_text("# tiny-ner\n", encoding="utf-8")
    seal(folder)
    export(folder)
    return folder
