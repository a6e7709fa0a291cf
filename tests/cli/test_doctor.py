"""`fenjie doctor`: what it prints, and its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fenjie.runtime import diagnosis
from fenjie.runtime.folder import shipped
from tests.command_line import fenjie


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "SECONDS", 0)


def test_an_installation_that_works() -> None:
    done = fenjie("doctor")
    assert done.returncode == 0, done
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("fenjie ") and lines[-1] == "all works"
    assert [line.split(":")[0] for line in lines if line.startswith("model ")] == [
        f"model {name}" for name in shipped()
    ]


def test_json(tiny_model: Path) -> None:
    done = fenjie("doctor", "--json", "-m", tiny_model)
    found = json.loads(done.stdout)
    assert found["ok"] is True
    assert found["models"][-1]["name"] == str(tiny_model)


def test_a_damaged_model(tiny_model: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(tiny_model, tmp_path / "damaged")
    (damaged / "config.toml").write_text("")
    done = fenjie("doctor", "-m", damaged)
    assert done.returncode == 1 and not done.stderr
    lines = done.stdout.decode().splitlines()
    assert "FAILS" in lines[-2] and lines[-1] == "something does not work"
    assert json.loads(fenjie("doctor", "-m", damaged, "--json").stdout)["ok"] is False
