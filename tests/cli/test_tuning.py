"""`fenjie search` without the extra that it needs; its work is tested in tests/tuning."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.errors import FenjieError


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("fenjie.tuning")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optuna", None)
    done = CliRunner().invoke(app, ["search", "one.toml", "space.toml", "-o", str(tmp_path)])
    assert isinstance(done.exception, FenjieError)
    assert "pip install 'fenjie[search]'" in str(done.exception)
