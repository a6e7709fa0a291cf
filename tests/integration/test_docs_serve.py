"""The page of the service: its client is run, its commands are ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from fenjie.cli import app

pytest.importorskip("fastapi", reason="needs the extra `serve`")

from benchmarks.serve import table
from fenjie.serve.app import Service
from fenjie.serve.limits import Limits
from fenjie.serve.taggers import Models
from tests.services import listening

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "howto" / "serve.md").read_text(encoding="utf-8")
COMMAND = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
OPTIONS = {option for one in COMMAND.params for option in one.opts}


@pytest.fixture
def address() -> Iterator[str]:
    """The URL of a service of the shipped models."""
    with listening(Service(Models.load(["ner", "segment"]), Limits())) as found:
        yield found


def test_the_client_of_the_page(address: str) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(code.replace("http://127.0.0.1:8000/", address), names)
    shown = re.findall(r"^(ask\(.*\)) +# (.*)$", code, re.MULTILINE)
    assert shown
    for call, result in shown:
        assert repr(eval(call, names)) == result


def test_figures_are_those_of_the_script() -> None:
    path = ROOT / "benchmarks" / "results" / "serve.json"
    for row in table(json.loads(path.read_text(encoding="utf-8"))):
        assert f"\n{row}\n" in PAGE


def test_options_of_the_unit_and_the_container() -> None:
    (unit,) = re.findall(r"^ExecStart=.*/fenjie serve (.*)$", PAGE, re.MULTILINE)
    container = (ROOT / "Containerfile").read_text(encoding="utf-8")
    command = json.loads(re.findall(r"^CMD (.*)$", container, re.MULTILINE)[0])
    assert command[0] == "serve"
    for word in (*unit.split(), *command[1:]):
        assert not word.startswith("-") or word in OPTIONS


def test_options_of_the_page() -> None:
    named = set(re.findall(r"--(?:max|timeout|host|token|log)[a-z-]*", PAGE))
    assert named <= OPTIONS
