"""Fixtures that the tests of the whole path share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe in the working directory, with its data."""
    from tests.integration.tiny_run import prepare

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    return Path(prepare(tmp_path, 150).name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with sentences, vectors and a recipe for a tagger."""
    from tests.integration.tiny_entities import prepare

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    prepare(tmp_path)
    return tmp_path
