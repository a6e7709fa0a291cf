"""The examples of `docs/extending.md`, run as they stand there."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch

import fenjie
from fenjie.models import TAGGERS
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
*EXAMPLES, USE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(RECIPE,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def name_of(example: str) -> str:
    (found,) = re.findall(r'^TAGGERS\["(\w+)"\]', example, re.MULTILINE)
    return str(found)


def test_the_page_has_an_attention_a_decoder_and_a_fusion() -> None:
    assert list(map(name_of, EXAMPLES)) == ["distance", "labels", "mean"]
    assert all(len(example.splitlines()) < 64 for example in EXAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_trains_and_finds_entities_with_torch_and_without(
    example: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in map(name_of, EXAMPLES):
        monkeypatch.setitem(TAGGERS, name, None)  # forgotten again behind the test
    name = name_of(example)
    recipe = RECIPE.replace('architecture = "distance"', f'architecture = "{name}"')
    Path("mine.toml").write_text(recipe, encoding="utf-8")
    Path("mine.py").write_text(example, encoding="utf-8")
    runpy.run_path("mine.py", run_name="__main__")
    model = ModelFolder.open(f"runs/{name}/model")
    assert model.config["architecture"] == name
    texts = ["今天去了北京。", "王小明", ""]
    together = predict(model, texts)
    assert [sentence.text for sentence in together] == texts
    assert together == [sentence for text in texts for sentence in predict(model, [text])]
    assert predict(model, ["今天在北京。"])[0].entities
    assert fenjie.load(model.path)(texts) == together
    use = "import sys; sys.modules['torch'] = None\n" + USE.replace("distance", name)
    done = subprocess.run([sys.executable, "-c", use], capture_output=True, text=True, check=True)
    assert "北京" in done.stdout or "start=" in done.stdout
    if name == "labels":
        weights = ModelFolder.open(f"runs/{name}/model").transitions
        assert not weights[weights > -torch.inf].any()
