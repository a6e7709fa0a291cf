"""`fenjie models`: the models that are here, and what they can do."""

from __future__ import annotations

import shutil
from pathlib import Path

import fenjie
from fenjie.cli.models import f1_scores, size_of
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import shipped
from tests.command_line import fenjie as run

CARD = """\
# A model

| | sentences |
|---|---|
| train.txt | 5 |

| data | P | F1 |
|---|---:|---:|
| `dev.txt` | 90.00 | 91.25 |
| test | 90.00 | 89.50 |

Nothing | here | 12
"""


def test_the_models_that_come_with_fenjie_are_listed() -> None:
    done = run("models")
    assert done.returncode == 0, done
    # A line that begins with a space goes on with the scores of the one before.
    lines = [line for line in done.stdout.decode().splitlines()[1:] if line[0] != " "]
    listed = [line.split()[:2] for line in lines]
    assert [name for name, _ in listed] == list(shipped())
    assert {task for _, task in listed} == {"ner", "segment"}


def test_a_card_that_is_not_text_is_shown(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    (folder / "README.md").write_bytes("# modèle\n".encode("latin-1"))
    seal(folder)
    assert "# mod\ufffdle" in run("models", folder).stdout.decode()


def test_a_model_is_described(tiny_model: Path) -> None:
    out = run("models", tiny_model).stdout.decode()
    assert out.startswith(f"tiny: {tiny_model}\nsegment, sams; checksums agree\n")
    assert "model.onnx" in out
    assert out.endswith("# tiny\n")
    assert size_of(tiny_model) > (tiny_model / "model.onnx").stat().st_size


def test_an_unknown_model_is_named() -> None:
    done = run("models", "nothing")
    assert done.returncode == 2
    assert b"no model 'nothing'" in done.stderr


def test_the_scores_of_a_card(tmp_path: Path) -> None:
    assert f1_scores(tmp_path) == {}
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    assert f1_scores(tmp_path) == {"dev.txt": "91.25", "test": "89.50"}


def test_version() -> None:
    assert run("--version").stdout.decode() == f"fenjie {fenjie.__version__}\n"
