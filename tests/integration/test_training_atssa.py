"""TENER and ATSSA from a recipe to a folder, and from the folder to ONNX."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.corpus import read
from fenjie.export import export
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from tests.integration.tiny_entities import RECIPE, train

MODELS = {
    "tener": 'architecture = "tener"\n',
    "atssa": 'architecture = "atssa"\n',
    "atssa-characters": 'architecture = "atssa"\n',
}
SETTINGS = {
    "tener": '[model.selection]\nkind = "top-k"\nkeep = 2\n',
    "atssa": '[model.selection]\nkind = "threshold"\nkeep = 2\n',
    "atssa-characters": "lexicon = false\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_trained_and_exported(name: str, folder: Path) -> None:
    head, rest = RECIPE.split("\n[data]")
    text = f"{head}{MODELS[name]}\n[data]{rest}"
    text = text.replace("\n[training]", f"{SETTINGS[name]}\n[training]")
    text = text.replace("epochs = 4", "epochs = 1").replace("sentences = 6", "sentences = 24")
    Path("recipe.toml").write_text(text, encoding="utf-8")
    result = train("out")

    opened = ModelFolder.open(result.model)
    texts = [sentence.text for sentence in read("test.jsonl")]
    before = predict(opened, texts)
    report = export(result.model, texts=texts)
    assert report.difference.scores < 1e-4 and not report.difference.changed

    done = CliRunner().invoke(app, ["evaluate", str(result.model), "test.jsonl", "--json"])
    assert done.exit_code == 0, done.output
    assert f'"f1": {result.test["test.jsonl"].f1}' in done.output
    assert predict(ModelFolder.open(result.model), texts) == before
