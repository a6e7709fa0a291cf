"""The linear model against its literal form, and its files."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FileError
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.linear import CHARACTERS, WEIGHTS, LinearGaps
from tests.reference import linear

TEXTS = [
    "",
    "商",
    "商品",
    "商品和服务，他说的确实在理。",
    "价格 3.5%\n\n元",
    "\U0001f600\ud800\uffffＡ",
]


@pytest.fixture(scope="module")
def model(tiny_linear: Path) -> LinearGaps:
    return ModelFolder.open(tiny_linear).linear


@pytest.mark.parametrize("text", TEXTS)
def test_scores_are_those_of_the_literal_form(model: LinearGaps, text: str) -> None:
    assert model.scores(model.numbers(text)).tolist() == linear.scores(model, text)


def test_what_is_saved_is_opened(model: LinearGaps, tmp_path: Path) -> None:
    model.save(tmp_path)
    again = LinearGaps.open(tmp_path, [len(table) for table in model.tables], model.unit)
    numbers = model.numbers(TEXTS[3])
    assert np.array_equal(again.numbers(TEXTS[3]), numbers)
    assert np.array_equal(again.scores(numbers), model.scores(numbers))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        (WEIGHTS, np.zeros(7, np.int8), "weights.npy.*does not fit config.toml"),
        (WEIGHTS, np.zeros(7), "weights.npy.*float64"),
        (CHARACTERS, np.zeros(7, np.uint16), "does not hold a number for each code point"),
        (CHARACTERS, np.full(1 << 16, 999, np.uint16), "found 999; expected numbers below 64"),
    ],
)
def test_files_that_do_not_fit(
    tiny_linear: Path, tmp_path: Path, name: str, array: np.ndarray, message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_linear, folder)
    np.save(folder / name, array)
    seal(folder)
    with pytest.raises(FileError, match=message):
        _ = ModelFolder.open(folder).linear


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rows = [64, 128, 128, 64]", "rows = [64, 128, 100, 64]", "4 powers of two"),
        ("rows = [64, 128, 128, 64]", "rows = [64, 128, 128, -4]", "4 powers of two"),
        ("rows = [64, 128, 128, 64]", "", "rows is missing"),
        ("unit = 0.0625", "unit = 2.0", "a share of one"),
        ("width = true", "compatibility = true", "cannot do"),
    ],
)
def test_settings_that_do_not_fit(
    tiny_linear: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_linear, folder)
    config = folder / "config.toml"
    config.write_text(config.read_text().replace(old, new))
    seal(folder)
    with pytest.raises(FileError, match=message):
        _ = ModelFolder.open(folder).linear
