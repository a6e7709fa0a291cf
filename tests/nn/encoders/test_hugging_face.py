"""Encoders in folders as transformers makes them: opened, kept by their settings, refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError, FileError
from fenjie.nn.encoders.hugging_face import Encoder, empty_encoder, open_encoder
from tests.encoders import TEXTS
from tests.tiny_encoder import VOCABULARY, word_piece


def test_settings_make_the_same_encoder(encoders: dict[str, Encoder], tmp_path: Path) -> None:
    for family, encoder in encoders.items():
        path = tmp_path / f"{family}.json"
        path.write_text(encoder.settings, encoding="utf-8")
        again = empty_encoder(path)
        again.load_state_dict(encoder.model.state_dict())
        ids = torch.tensor([[2, 9, 8, 7, 3]])
        first, second = (m.eval()(input_ids=ids)[0] for m in (encoder.model, again))
        assert torch.equal(first, second)
        assert not any("pooler" in name for name in encoder.model.state_dict())
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FileError, match="not the settings of an encoder"):
        empty_encoder(path)


def test_nothing_is_printed(folders: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    open_encoder(str(folders["roberta"]))
    assert capfd.readouterr() == ("", "")


def test_files_of_an_older_tokenizer(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(altered(folders["roberta"], tmp_path / "old"))
    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    merges = "".join(f"{' '.join(pair)}\n" for pair in model["merges"])
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}", encoding="utf-8")
    one, other = (open_encoder(str(name)).pieces for name in (folders["roberta"], folder))
    for text in TEXTS:
        assert [part.tolist() for part in one(text)] == [part.tolist() for part in other(text)]


def altered(folder: Path, target: Path, **settings: Any) -> str:
    """A copy of an encoder with other settings."""
    shutil.copytree(folder, target)
    path = target / "config.json"
    values = json.loads(path.read_text(encoding="utf-8")) | settings
    path.write_text(json.dumps(values), encoding="utf-8")
    return str(target)


def test_what_is_no_encoder(folders: dict[str, Path], tmp_path: Path) -> None:
    bert = folders["bert"]
    wrong = {
        "is no encoder that learns from masked text": altered(
            bert, tmp_path / "gpt", model_type="gpt2"
        ),
        "is a decoder": altered(bert, tmp_path / "decoder", is_decoder=True),
        "is an encoder with a decoder": altered(bert, tmp_path / "bart", model_type="bart"),
        "no encoder": altered(bert, tmp_path / "none", model_type="nothing"),
        "weights of other sizes": altered(bert, tmp_path / "size", hidden_size=24),
        "has vectors for 57 pieces, but its tokenizer has 58": altered(bert, tmp_path / "more"),
        "no such folder": str(tmp_path / "nowhere"),
    }
    (tmp_path / "vocab.txt").write_text("\n".join([*VOCABULARY, "more"]), encoding="utf-8")
    (tmp_path / "more" / "tokenizer.json").write_text(word_piece(tmp_path), encoding="utf-8")
    empty = altered(bert, tmp_path / "bald")
    (tmp_path / "bald" / "config.json").unlink()
    bare = altered(bert, tmp_path / "bare")
    (tmp_path / "bare" / "tokenizer.json").unlink()
    (tmp_path / "bare" / "tokenizer_config.json").unlink(missing_ok=True)
    weightless = altered(bert, tmp_path / "weightless")
    (tmp_path / "weightless" / "model.safetensors").unlink()
    part = altered(bert, tmp_path / "part")
    tensors = load_file(tmp_path / "part" / "model.safetensors")
    kept = {name: value for name, value in tensors.items() if "layer.1" not in name}
    save_file(kept, tmp_path / "part" / "model.safetensors", {"format": "pt"})
    pickled = shutil.copytree(weightless, tmp_path / "pickled")
    torch.save(kept, pickled / "pytorch_model.bin")
    wrong |= {"no encoder '": empty, "has no tokenizer": bare}
    for message, name in [
        *wrong.items(),
        ("cannot be loaded", weightless),
        ("cannot be loaded", pickled),  # unpickling may run code
        ("lacks weights", part),
    ]:
        with pytest.raises(FenjieError) as caught:
            open_encoder(name)
        assert message in str(caught.value), caught.value
        assert "\n" not in str(caught.value)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, folders: dict[str, Path]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(FenjieError, match=r"pip install 'fenjie\[bert\]'"):
        open_encoder(str(folders["bert"]))
