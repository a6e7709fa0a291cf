"""`recipes/rebuild.mk` says only commands that there are, of recipes and files that there are."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import misused

ROOT = Path(__file__).parents[1]
FILE = ROOT / "recipes" / "rebuild.mk"
MODELS = ["vectors", "vectors-modern", "encoder", "segment", "segment-fast", "ner", "ner-small"]
READ = [
    "vectors-names", "vectors-ner", "vectors-ner-modern", "vectors-modern-raw",
    "vectors-modern-words", "vectors-modern-characters", "vectors-modern-bigrams",
]  # fmt: skip

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def commands(target: str) -> list[list[str]]:
    """The words of each command that makes a target, as if nothing was built."""
    command = ["make", "-nB", "-f", str(FILE), "FENJIE_DATA=/data", target]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return [shlex.split(line) for line in said.stdout.replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("target", MODELS + READ)
def test_the_commands_of_a_target_exist(target: str) -> None:
    for words in commands(target):
        if words[0] == "fenjie":
            assert not misused(words[1:]), words
        if words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), words
        for word in words:
            if word.startswith("recipes/"):
                assert (ROOT / word).is_file(), words


def test_a_target_runs_its_recipes_in_order() -> None:
    recipes = [word for words in commands("ner") for word in words if word.endswith(".toml")]
    assert recipes == [f"recipes/ner/{name}.toml" for name in ("first", "second", "third")]


def test_vectors_that_a_recipe_names_are_here_or_can_be_made() -> None:
    recipes = [path.read_text(encoding="utf-8") for path in (ROOT / "recipes").rglob("*.toml")]
    named = {name for text in recipes for name in re.findall(r'^vectors = "(.+)"$', text, re.M)}
    assert named > set(READ)
    assert all((ROOT / name / "README.md").is_file() for name in named - set(READ))


def test_without_a_target_it_says_which_there_are() -> None:
    said = subprocess.run(["make", "-f", str(FILE)], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode
    assert said.stderr.splitlines()[0] == f"name one of: {' '.join(MODELS + READ)}"


def test_without_the_data_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    command = ["make", "-n", "-f", str(FILE), "ner-small"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode and "set FENJIE_DATA to the folder of the data" in said.stderr
