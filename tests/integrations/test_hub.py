"""A model folder on the hub: what is uploaded, by a client that only takes notes."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("huggingface_hub", reason="needs the extra `hub`")

from huggingface_hub import HfApi

import fenjie
from fenjie.errors import FenjieError
from fenjie.integrations.hub import push
from fenjie.runtime.folder import ModelFolder


class Api:
    """What is called of `huggingface_hub.HfApi`, checked against its signatures."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.called: list[str] = []
        self.files: dict[str, bytes] = {}
        self.fault = fault

    def __getattr__(self, name: str) -> Any:
        signature = inspect.signature(getattr(HfApi, name))

        def call(*values: Any, **named: Any) -> Any:
            bound = signature.bind(self, *values, **named).arguments
            self.called.append(name)
            if self.fault:
                raise self.fault
            if name == "upload_folder":
                folder = Path(bound["folder_path"])
                self.files = {path.name: path.read_bytes() for path in folder.iterdir()}
                self.model = ModelFolder.open(folder).name
                self.message = bound["commit_message"]
            return SimpleNamespace(commit_url="https://huggingface.co/o/n/commit/1")

        return call


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Api:
    made = Api()
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: made)
    return made


def test_the_files_of_the_model_are_uploaded(tiny_ner: Path, tmp_path: Path, api: Api) -> None:
    import shutil

    folder = shutil.copytree(tiny_ner, tmp_path / "model")
    (folder / "notes.txt").write_text("private")
    assert push(folder, "o/n") == "https://huggingface.co/o/n/commit/1"
    assert api.called == ["create_repo", "upload_folder"]
    assert "notes.txt" not in api.files
    assert set(api.files) == {path.name for path in folder.iterdir()} - {"notes.txt"}
    card = api.files["README.md"].decode()
    assert card.startswith("---\nlanguage: zh\nlibrary_name: fenjie\n")
    assert card.endswith((folder / "README.md").read_text(encoding="utf-8"))
    assert api.model in api.message
    fenjie.load(folder)  # as it was


def test_a_branch_and_a_message(tiny_model: Path, api: Api) -> None:
    push(tiny_model, "o/n@dev", private=True, message="better")
    assert api.called == ["create_repo", "create_branch", "upload_folder"]
    assert api.message == "better"


def test_a_refusal_is_one_line(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api(RuntimeError("\n401 Client Error\nRequest ID: x"))
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: api)
    with pytest.raises(FenjieError, match=r"^hf:o/n cannot be uploaded: 401 Client Error$"):
        push(tiny_model, "o/n")


@pytest.mark.parametrize("name", ["n", "o/n/m", "", "o/n@", "../n/x"])
def test_a_name_that_is_none(tiny_model: Path, name: str, api: Api) -> None:
    with pytest.raises(FenjieError, match="expected hf:owner/name"):
        push(tiny_model, name)
    assert not api.called
