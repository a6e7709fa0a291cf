"""`fenjie export`: a model folder without an ONNX program gets one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import fenjie
from fenjie import export
from fenjie.errors import FenjieError
from fenjie.export import check_same, encoder_matrices, with_small_words
from fenjie.export.compare import Difference
from fenjie.lexicon.indexer import Sizes
from fenjie.models.ngrams import Ngrams, NgramsConfig
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from tests.command_line import fenjie as run

TEXTS = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "unit", "tables"),
    [
        ("tiny_ner", "entities", "int8"),
        ("tiny_ner", "entities", "float32"),
        ("tiny_ner", "entities", "float16"),
        ("tiny_model", "words", "int8"),
    ],
)
def test_export(
    model: str, unit: str, tables: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    before, folder = request.getfixturevalue(model), tmp_path / "model"
    shutil.copytree(before, folder)
    (folder / "model.onnx").unlink()
    seal(folder)
    done = run("export", folder, "--tables", tables)
    assert done.returncode == 0, done.stderr
    assert f"{folder / 'model.onnx'}: " in done.stdout.decode()
    assert f" {unit} are decided otherwise than by PyTorch" in done.stdout.decode()
    assert fenjie.load(folder)(TEXTS) == fenjie.load(before)(TEXTS)


@pytest.mark.slow
def test_words_in_four_bits(tiny_ner: Path, tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_ner, folder)
    done = run("export", folder, "--words", "int4")
    assert done.returncode == 0, done.stderr
    assert np.load(folder / "words.npy").shape[1] * 2 == np.load(tiny_ner / "words.npy").shape[1]
    assert [sentence.text for sentence in fenjie.load(folder)(TEXTS)] == TEXTS
    opened = ModelFolder.open(folder)
    assert opened.words is not None
    assert {path.name for path in folder.iterdir()} == {path.name for path in tiny_ner.iterdir()}
    small = with_small_words(ModelFolder.open(tiny_ner)).words  # those of the comparison
    assert small is not None
    ids = np.arange(len(small.lexicon))
    assert (opened.words(ids) == small(ids)).all()
    done = run("export", tiny_model, "--words", "int4")
    assert done.returncode == 2 and "the model reads no words" in done.stderr.decode()


@pytest.mark.slow
def test_an_export_that_differs_changes_nothing(
    tiny_ner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_ner, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    found = Difference(scores=1.0, changed=2, decisions=3, what="entities")
    monkeypatch.setattr(export, "compare", lambda *_: found)
    with pytest.raises(FenjieError, match="decides 2 of 3 entities otherwise; nothing was written"):
        export.export(folder, words="int4")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_ties_are_called_so() -> None:
    check_same(Path("a"), Difference(scores=1e-5, changed=0, decisions=3, what="words"))
    with pytest.raises(FenjieError, match="has the scores of PyTorch, but decides 2 of 3 words"):
        check_same(Path("a"), Difference(scores=1e-5, changed=2, decisions=3, what="words"))
    with pytest.raises(FenjieError, match="differs from PyTorch by nan"):
        check_same(Path("a"), Difference(float("nan"), changed=0, decisions=3, what="words"))


def test_a_model_without_vectors_has_no_encoder() -> None:
    assert not list(encoder_matrices(Ngrams(NgramsConfig(), Sizes(9, ngrams=16))))


def test_an_encoder_that_is_not_there(tiny_ner: Path, tiny_model: Path, tmp_path: Path) -> None:
    for model in (tiny_ner, tiny_model):
        folder = tmp_path / model.name
        shutil.copytree(model, folder)
        before = (folder / "checksums.txt").read_bytes()
        done = run("export", folder, "--encoder", "int8", "--words", "int4")
        assert done.returncode == 2
        assert "the model has no pretrained encoder to be rounded" in done.stderr.decode()
        assert (folder / "checksums.txt").read_bytes() == before
        ModelFolder.open(folder)


def test_a_shipped_model() -> None:
    done = run("export", "ner-small")
    assert done.returncode == 2
    assert "ner-small is a shipped model, exported already" in done.stderr.decode()
