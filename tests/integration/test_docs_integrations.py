"""The pages of integrations: all of their Python is run, and shows the results that it has."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fenjie.runtime.folder import SHIPPED
from tests.command_line import fenjie
from tests.pages import run_python, shell_commands
from tests.services import listening

for package in ("datasets", "fastapi", "huggingface_hub", "sklearn", "spacy", "tantivy"):
    pytest.importorskip(package, reason="needs the extra `all`")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "integrations"


def page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["spacy", "scikit-learn", "search"])
def test_python_of_the_page(name: str) -> None:
    assert run_python(page(name))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_what_a_page_imports_it_says_how_to_install(path: Path) -> None:
    installed = set[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("pip install "):
            installed |= set(re.findall(r"\w+", line.partition("#")[0]))
        elif imported := re.match(r"(?:import|from) (\w+)", line):
            known = {"fenjie", *sys.stdlib_module_names, *installed}
            assert imported[1] in known, f"{line}: no line before it says how to install that"


def test_every_page_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {
        *("spacy", "scikit-learn", "search", "hugging-face", "label-studio")
    }


def test_the_page_of_hugging_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is a folder here: what is uploaded is what is found in the cache."""
    cache = tmp_path / "cache"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: Hub(cache))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    shutil.copytree(SHIPPED / "ner", "model")
    Path("notes.txt").write_text("王小明在北京大学读书\n", encoding="utf-8")
    push, *others = shell_commands(page("hugging-face"))
    done = fenjie(*push)
    assert done.returncode == 0, done.stderr
    assert run_python(page("hugging-face"))
    for command in others:
        done = fenjie(*command)
        assert done.returncode == 0, done.stderr
        assert done.stdout


class Hub:
    """What `fenjie push` and `fenjie pull` call of `huggingface_hub.HfApi`."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    def create_repo(self, repo_id: str, *, private: bool, exist_ok: bool) -> None:
        assert exist_ok

    def model_info(self, repo_id: str, *, revision: str | None) -> None:
        assert (self.cache / f"models--{repo_id.replace('/', '--')}").is_dir()

    def upload_folder(
        self, *, repo_id: str, folder_path: Path, revision: str | None, commit_message: str
    ) -> Any:
        place = self.cache / f"models--{repo_id.replace('/', '--')}"
        commit = "0" * 40
        shutil.copytree(folder_path, place / "snapshots" / commit)
        (place / "refs").mkdir()
        (place / "refs" / (revision or "main")).write_text(commit)
        return SimpleNamespace(commit_url=f"https://hub/{repo_id}/commit/{commit}")


@pytest.fixture
def address() -> Iterator[str]:
    """The URL of a service that Label Studio can ask."""
    from fenjie.integrations.label_studio import LabelStudioService
    from fenjie.serve.limits import Limits
    from fenjie.serve.taggers import Models

    with listening(LabelStudioService(Models.load(["ner"]), Limits())) as found:
        yield found


def test_the_page_of_label_studio(address: str) -> None:
    from fenjie.integrations.label_studio import Interface

    text = page("label-studio")
    assert run_python(text.replace("http://localhost:9090/", address))
    (config,) = re.findall(r"```xml\n(.*?)```", text, re.DOTALL)
    labels = Interface.read(config, ["PER", "LOC", "ORG", "GPE"]).labels
    assert labels == {"PER": "人名", "LOC": "地点", "GPE": "地点", "ORG": "ORG"}


def test_the_picture_is_what_displacy_draws() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "displacy.py"))["picture"]()
    assert (ROOT / "docs" / "images" / "displacy.svg").read_text(encoding="utf-8") == written


def test_figures_are_those_of_the_script() -> None:
    path = ROOT / "benchmarks" / "results" / "integrations.json"
    speed = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    figures = json.loads(path.read_text(encoding="utf-8"))["speed_relative_to_a_list"]
    for way, ratio in figures.items():
        assert f"\n| {way} | {ratio:.2f} |\n" in speed


def test_results_that_differ_are_noticed() -> None:
    with pytest.raises(AssertionError, match="1 \\+ 1"):
        run_python("```python\n1 + 1  # 3\n```\n")
    assert run_python("```python\n1 + 1  # 2\nlen('a')  # a comment\n```\n") == 1
    assert ast.literal_eval("2") == 2
