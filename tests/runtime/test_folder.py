"""Model folders: whole, or an error that says what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fenjie
from fenjie.errors import FenjieError, FileError
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder, find
from fenjie.text.vocabulary import code_points

CONFIG = 'format = 1\nname = "a"\ntask = "segment"\narchitecture = "sams"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.mkdir()
    (path / "config.toml").write_text(CONFIG + "[text]\nlatin = true\n[segment]\natoms = false\n")
    (path / "vocab.txt").write_text("商\n品\n", encoding="utf-8")
    (path / "model.onnx").write_bytes(b"0123456789")
    seal(path)
    return path


def test_open(folder: Path) -> None:
    model = ModelFolder.open(folder)
    assert (model.path, model.name, model.keeps_unsplittable) == (folder, "a", False)
    assert model.normaliser.latin
    assert model.indexer("品?").tolist() == [[3], [1]]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("format = [", "not TOML"),
        ("format = 2\n", "cannot read; found 'format = 2'; expected format = 1"),
        ("format = 1\n", "'name' is missing"),
        (CONFIG + "text = 1\n", r"\[text\] is not a table"),
        (CONFIG + "[text]\nwith = true\n", r"unknown key in \[text\]: 'with'"),
    ],
)
def test_a_config_that_cannot_be_read(folder: Path, config: str, message: str) -> None:
    (folder / "config.toml").write_text(config)
    seal(folder)
    with pytest.raises(FileError, match=message):
        ModelFolder.open(folder)


def test_the_folder_of_a_run_names_the_model_in_it(folder: Path) -> None:
    run = folder.parent
    with pytest.raises(FileError, match=f"{run}: is a run, not a model; expected {folder}$"):
        ModelFolder.open(run)


def test_a_model_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="no model 'nowhere'"):
        find("nowhere")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileError, match="is not a folder"):
        find(file)
    with pytest.raises(FenjieError, match=r"no model 'aaaa.*: File name too long"):
        find("a" * 5000)


def test_a_folder_without_an_export(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    seal(folder)
    with pytest.raises(FileError, match="no such file; `fenjie export` makes it"):
        ModelFolder.open(folder).file("model.onnx")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '[input]\nngrams = "x"',
            r"config\.toml: \[input\] ngrams; found 'x'; expected 0 or",
        ),
        ("[input]\nngrams = 3", "0 or a power of two"),
        ("[input]\ncharacters = 5", "found 5; expected the trained rows, the fixed rows and"),
        ("[input]\nwords = [5]", r"found \[5\]; expected the trained rows"),
        ("[input]\nroom = true", "expected a positive number"),
        ("[input]\npassage = 0", "found 0; expected a number from 1 to 340"),
        ("[text]\nwidth = []", r"\[text\] width; found \[\]; expected true or false"),
        ('[text]\nwidth = "no"', "expected true or false"),
        ("[segment]\natoms = 1", "expected true or false"),
        ("[segment]\ndoubt = -1", r"\[segment\] doubt; found -1; expected log-odds, 0 or more"),
        ("[segment]\ndoubt = inf", "expected log-odds"),
        ("[segment]\ndoubt = true", "expected log-odds"),
        ("[x]\na = " + "[" * 5000, "not TOML"),
    ],
)
def test_settings_that_are_none(folder: Path, line: str, message: str) -> None:
    (folder / "config.toml").write_text(CONFIG + line + "\n")
    seal(folder)
    with pytest.raises(FileError, match=message):
        ModelFolder.open(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.txt", "商\n\\Uffffffff\n", r"vocab\.txt:2: no such character"),
        ("variants.txt", "機机\n東\n", r"variants\.txt:2: is no variant"),
    ],
)
def test_vocabularies_that_are_none(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    seal(folder)
    with pytest.raises(FileError, match=message):
        ModelFolder.open(folder).indexer.fold(code_points("商"))


def changed(array: NDArray[Any], value: float) -> NDArray[Any]:
    array = array.copy()
    array.reshape(-1)[-1] = np.array(value).astype(array.dtype)
    return array


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("words.scale.npy", np.nan, "holds a number that is not finite"),
        ("words.index.npy", 10**6, "does not fit the table; found 1000000; expected rows below"),
        ("transitions.npy", np.nan, "holds a number that is neither finite nor -inf"),
        ("transitions.npy", np.inf, "holds a number that is neither finite nor -inf"),
    ],
)
def test_arrays_of_other_numbers(
    tiny_ner: Path, tmp_path: Path, name: str, value: float, message: str
) -> None:
    folder = copied(tiny_ner, tmp_path)
    np.save(folder / name, changed(np.load(folder / name), value))
    seal(folder)
    with pytest.raises(FileError, match=rf"{name}: {message}"):
        fenjie.load(folder)


def test_a_damaged_header_of_an_array(tiny_ner: Path, tmp_path: Path) -> None:
    folder = copied(tiny_ner, tmp_path)
    array = folder / "words.scale.npy"
    array.write_bytes(array.read_bytes().replace(b"}", b"(", 1))
    seal(folder)
    with pytest.raises(FileError, match=r"words\.scale\.npy: cannot be opened as"):
        fenjie.load(folder)


def test_a_network_and_vocabularies_of_two_models(
    tiny_model: Path, tiny_ner: Path, tmp_path: Path
) -> None:
    folder = copied(tiny_model, tmp_path)
    with (folder / "vocab.txt").open("a", encoding="utf-8") as file:
        file.writelines(f"{chr(code)}\n" for code in range(0x20000, 0x20100))
    seal(folder)
    with pytest.raises(FileError, match=r"model\.onnx: ONNX Runtime cannot run the model"):
        fenjie.load(folder)
    shutil.copy(tiny_model / "vocab.txt", folder / "vocab.txt")
    (folder / "bigrams.txt").unlink(missing_ok=True)
    shutil.copy(tiny_ner / "model.onnx", folder / "model.onnx")
    seal(folder)
    with pytest.raises(FileError, match=r"model\.onnx: "):
        fenjie.load(folder)


def copied(source: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(source, tmp_path / "copy"))
