"""The tagger of SAMS's encoders: batches, padding, saving, ONNX, words learnt as spans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.export import export
from fenjie.lexicon.indexer import Sizes
from fenjie.models.sams import Sams, SamsConfig
from fenjie.models.sams_tagger import SamsTagger, SamsTaggerConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.selection import SelectionConfig
from fenjie.text.tags import TagSet
from tests.integration.tiny_run import prepare, train
from tests.lattices import one, sentences, wider
from tests.reference.sams import LiteralSams, position_encoding

SIZES = TaggerSizes((50, 0, 6), (70, 0, 4), (40, 0, 5), TagSet(("PER", "LOC")))
SMALL: dict[str, Any] = {"dim": 16, "heads": 2, "hidden": 24, "layers": 2}
SETTINGS: dict[str, dict[str, Any]] = {
    "lexicon": {},
    "characters alone": {"lexicon": False},
    "thresholds": {"selection": SelectionConfig("threshold"), "gaussian": False},
    "two directions, gate": {"directions": ("center", "backward"), "fusion": "gate"},
}
every = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())


def build(settings: dict[str, Any], seed: int = 5) -> SamsTagger:
    torch.manual_seed(seed)
    return SamsTagger(SamsTaggerConfig(**SMALL, **settings), SIZES).double().eval()


@every
def test_a_batch_is_its_sentences_one_by_one(settings: dict[str, Any]) -> None:
    model, given = build(settings), sentences([9, 23, 1, 40], [6, 0, 0, 30])
    together = model(given).tags
    for row, length in enumerate(given.lengths.tolist()):
        alone = model(one(given, row)).tags
        assert torch.allclose(alone[0], together[row, :length], rtol=0, atol=1e-10)


@every
def test_padding_changes_nothing(settings: dict[str, Any]) -> None:
    model, given = build(settings), sentences([9, 23], [6, 12])
    wide = wider(given)
    expected, found = model(given).tags[given.mask], model(wide).tags[wide.mask]
    assert torch.allclose(found, expected, rtol=0, atol=1e-10)


def test_saving_and_loading_change_nothing(tmp_path: Path) -> None:
    model, other = build({}), build({}, seed=6)
    given = sentences([9, 23], [6, 12])
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    assert not torch.equal(other(given).tags, model(given).tags)
    other.load_state_dict(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(other(given).tags, model(given).tags)


def test_the_encoders_are_those_of_the_equations() -> None:
    model, given = build({"lexicon": False}), sentences([9, 23, 1], [0, 0, 0])
    config = SamsConfig(**SMALL | {"layers": 4}, highway_input=False, highway_output=False)
    sams = Sams(config, Sizes(50)).double()
    sams.front.load_state_dict(model.layers.state_dict())
    literal = LiteralSams(sams)
    x = given.pad_characters(model.project_characters(model.embedding.of_characters(given)))
    embedded = x * 4 + position_encoding(23, 16, x.dtype)
    encoded = {d: literal.encoder(embedded, "front", d, given.mask) for d in literal.order}
    both = torch.cat(literal.fuse(encoded, "fusion"), dim=-1)
    expected = both @ model.output.weight.T + model.output.bias
    assert torch.allclose(model(given).tags[given.mask], expected[given.mask], rtol=0, atol=1e-6)


RECIPE = """\
task = "ner"
architecture = "sams_tagger"
[data]
train = ["train.txt"]
dev = 0.2
test = ["test.txt"]
[model]
dim = 16
layers = 1
heads = 2
hidden = 32
lexicon = false
[training]
epochs = 2
tokens = 256
learning_rate = 0.01
schedule = "linear"
warmup = 5
"""


@pytest.mark.slow
def test_words_are_learnt_as_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    recipe = prepare(tmp_path, 60)
    recipe.write_text(RECIPE, encoding="utf-8")
    result = train(recipe, "out")
    assert 0 < result.dev.f1 <= 1
    report = export(result.model)
    assert report.difference.scores < 1e-4
    done = CliRunner().invoke(app, ["evaluate", str(result.model), "test.txt", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["f1"] == result.test["test.txt"].f1
