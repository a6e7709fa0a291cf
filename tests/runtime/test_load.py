"""Models are opened by name or folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder, seal
from fenjie.runtime.segmenter import Segmenter


def test_other_mistakes(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="threads must be at least 1"):
        Segmenter(ModelFolder.open(tiny_model), threads=0)
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    config = folder / "config.toml"
    config.write_text(config.read_text().replace('"segment"', '"entities"'))
    seal(folder)
    with pytest.raises(FenjieError, match="no tagger for the task 'entities'"):
        fenjie.load(folder)
