"""`import fenjie` costs next to nothing, and offers what it says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fenjie

LIMIT = 0.2
"""Seconds."""


def test_import_time() -> None:
    code = (
        "import time; begin = time.process_time(); import fenjie; "
        "print(time.process_time() - begin)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(times) < LIMIT


def test_the_command_line_begins_without_numpy() -> None:
    code = "import fenjie.cli, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_everything_offered_is_there() -> None:
    for name in fenjie.__all__:
        assert getattr(fenjie, name) is not None
        assert name in dir(fenjie)
    assert "jieba" in dir(fenjie)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fenjie.nothing  # noqa: B018


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == fenjie.__version__
