"""The state of an installation."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from fenjie import __version__
from fenjie.runtime import diagnosis
from fenjie.runtime.diagnosis import PACKAGES, diagnose


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "SECONDS", 0)


def test_models_that_work(tiny_model: Path, tiny_ner: Path) -> None:
    found = diagnose([str(tiny_model), str(tiny_ner)])
    assert found.ok and found.fenjie == __version__
    assert [model.task for model in found.models] == ["segment", "ner"]
    assert all((model.characters_per_second or 0) > 0 for model in found.models)
    assert found.packages["numpy"] and found.cores >= 1
    assert json.loads(json.dumps(found.as_dict()))["ok"] is True


def test_of_each_extra_a_package_is_shown() -> None:
    path = Path(__file__).resolve().parents[2] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    for extra, requirements in project["optional-dependencies"].items():
        names = {re.split(r"[^\w-]", one)[0] for one in requirements}
        assert extra in ("docs", "dev", "all") or names & set(PACKAGES), extra


def test_a_damaged_model_and_a_missing_one(tiny_model: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(tiny_model, tmp_path / "damaged")
    (damaged / "labels.txt").write_text("X\n")
    found = diagnose([str(tiny_model), str(damaged), str(tmp_path / "none")])
    assert not found.ok
    assert [model.fault is None for model in found.models] == [True, False, False]
    assert "truncated or altered" in (found.models[1].fault or "")
    assert not diagnose([]).ok


def test_a_model_that_onnx_cannot_run(tiny_model: Path, tmp_path: Path) -> None:
    from fenjie.runtime.checksums import seal

    broken = shutil.copytree(tiny_model, tmp_path / "broken")
    (broken / "model.onnx").write_bytes(b"nothing")
    seal(broken)
    (model,) = diagnose([str(broken)]).models
    assert model.task == "segment" and model.fault
