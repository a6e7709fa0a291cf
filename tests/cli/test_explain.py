"""`fenjie explain`: lattices without torch, attention of models with weights."""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder
from fenjie.views.views import words_of

ROOT = Path(__file__).resolve().parents[2]


def explain(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["explain", *map(str, arguments)], env={"COLUMNS": "80"})


def test_the_lattice_in_the_reference_is_what_is_printed() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    shown = re.findall(
        r"^\$ fenjie explain lattice (\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL
    )
    assert shown
    for text, printed in shown:
        assert explain("lattice", text).stdout == printed


def test_bytes_that_are_no_text(tiny_ner: Path) -> None:
    done = explain("lattice", "我\udcff", "-m", tiny_ner)
    assert isinstance(done.exception, FenjieError)
    assert "not text in UTF-8" in str(done.exception)


def test_a_lattice_is_of_what_the_model_sees(tiny_ner: Path, tmp_path: Path) -> None:
    svg = tmp_path / "lattice.svg"
    done = explain("lattice", "商 品和服务Ａ", "-m", tiny_ner, "--svg", svg)
    assert done.stdout.splitlines() == ["商 品 和 服 务 A", "商─品 和─服", "         服─务"]
    texts = [child.text for child in ElementTree.parse(svg).getroot() if child.tag.endswith("text")]
    assert texts == [*"商品和服务A", "商品", "和服", "服务"]


def test_a_lattice_has_no_word_over_lines_or_in_a_long_run(tiny_ner: Path) -> None:
    done = explain("lattice", "商品和\n服务", "-m", tiny_ner)
    assert done.stdout.splitlines() == ["商 品 和 服 务", "商─品    服─务"]
    folder = ModelFolder.open(tiny_ner)
    assert folder.words is not None
    folder.words.lexicon.add("商商")
    assert words_of(folder, "商" * 40 + "品") == [(39, 41)]
    assert words_of(folder, "商" * 3) == [(0, 2), (1, 3)]


def test_a_model_without_words_has_no_lattice(tiny_model: Path, tiny_ner: Path) -> None:
    with pytest.raises(FenjieError, match="is a model without a lexicon"):
        raise_from(explain("lattice", "商品", "-m", tiny_model))
    with pytest.raises(FenjieError, match="nothing to show but whitespace"):
        raise_from(explain("lattice", " ", "-m", tiny_ner))


def raise_from(result: Any) -> None:
    assert result.exception is not None
    raise result.exception


def test_the_attention_of_a_head(tiny_ner: Path, tmp_path: Path) -> None:
    svg = tmp_path / "attention.svg"
    done = explain("attention", "商品和服务", "-m", tiny_ner, "--head", 2, "--svg", svg)
    lines = done.stdout.splitlines()
    # FLAT keeps all keys: five characters and three words.
    assert lines[:2] == [f"head {head} keeps 8.0 of 8 keys per query" for head in (1, 2)]
    assert lines[3] == "head 2"
    assert lines[4:6] == ["             商和服", "   商品和服务品服务"]
    rows = [re.fullmatch(r"(\S) ([ ░▒▓█]{16}) 8", line) for line in lines[6:]]
    assert [row and row[1] for row in rows] == list("商品和服务")
    squares = [child for child in ElementTree.parse(svg).getroot() if child.tag.endswith("rect")]
    assert len(squares) == 5 * 8


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("商品", ("--head", "3"), "there is no head 3; the model has 2"),
        ("商品", ("--layer", "2"), "there is no layer 2; the model has 1"),
        ("", (), "nothing to show but whitespace"),
        ("商品\n服务", (), "the text has several lines or sentences"),
        ("商" * 301, (), "the text has 301 characters; expected a sentence of up to 300"),
    ],
)
def test_what_cannot_be_drawn(
    tiny_ner: Path, text: str, options: tuple[str, ...], message: str
) -> None:
    with pytest.raises(FenjieError, match=message):
        raise_from(explain("attention", text, "-m", tiny_ner, *options))


def test_attention_needs_weights_of_a_model_of_entities(tiny_model: Path) -> None:
    with pytest.raises(FenjieError, match=r"model\.safetensors: is missing; expected the folder"):
        raise_from(explain("attention", "商品", "-m", "ner"))
    with pytest.raises(FenjieError, match=r"config\.toml: is no model of named entities"):
        raise_from(explain("attention", "商品", "-m", tiny_model))


def test_attention_needs_torch(tiny_ner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "fenjie.nn.attention.observed":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FenjieError, match="this needs torch, which is not installed"):
        raise_from(explain("attention", "商品", "-m", tiny_ner))
