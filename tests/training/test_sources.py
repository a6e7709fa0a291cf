"""The files by which a resumed run knows that what it reads is the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from fenjie.errors import FenjieError
from fenjie.files import sha256
from fenjie.lexicon.units import UnitVectors
from fenjie.recipe.recipe import loads
from fenjie.runtime.model_files import CHECKSUMS
from fenjie.training.sources import read_by


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    for name in ("a.txt", "list.txt", "parts.txt"):
        Path(name).write_text(name, encoding="utf-8")
    Path("vectors").mkdir()
    UnitVectors.build(["北京"], [1], np.ones((1, 2))).save(Path("vectors"), "words")
    Path("vectors", "README.md").write_text("# Vectors\n", encoding="utf-8")


def test_dictionaries_and_vectors_count() -> None:
    text = '[data]\ntrain = ["a.txt"]\n[vocabulary]\nlexicon = ["list.txt"]\nvectors = "vectors"\n'
    found = read_by(loads(text))
    tables = {f"vectors/words{end}" for end in (".npy", ".scale.npy", ".index.npy", ".txt")}
    assert found.keys() == {"a.txt", "list.txt", *tables}
    assert all(checksum == sha256(name) for name, checksum in found.items())


def test_components_and_the_model_to_start_from_count(tiny_ner: Path) -> None:
    text = (
        'task = "ner"\n[data]\ntrain = ["a.txt"]\n[vocabulary]\ncomponents = "parts.txt"\n'
        f'[training]\nstart = "{tiny_ner}"\n'
    )
    found = read_by(loads(text))
    assert found["parts.txt"] == sha256("parts.txt")
    assert found[str(tiny_ner)] == sha256(tiny_ner / CHECKSUMS)
    Path("parts.txt").unlink()
    with pytest.raises(FenjieError, match=r"parts\.txt: no such file"):
        read_by(loads(text))


def test_the_files_of_an_encoder_count(tmp_path: Path) -> None:
    text = '[data]\ntrain = ["a.txt"]\n[model.pretrained]\nname = "encoder"\n'
    recipe = loads(f'task = "ner"\narchitecture = "flat"\n{text}')
    assert read_by(recipe).keys() == {"a.txt"}  # a name on the hub
    Path("encoder").mkdir()
    for name in ("config.json", "model.safetensors", "README.md"):
        Path("encoder", name).write_text(name, encoding="utf-8")
    found = read_by(recipe)
    assert found.keys() == {"a.txt", "encoder/config.json", "encoder/model.safetensors"}
    assert found["encoder/config.json"] == sha256("encoder/config.json")
