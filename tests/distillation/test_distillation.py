"""A distillation from the command line, in tiny: a teacher, a text, gold words, a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import fenjie
from fenjie.distillation.distill_recipe import read_distill_recipe
from fenjie.distillation.distillation import NORMALISER
from fenjie.distillation.student_card import card
from fenjie.evaluation.word_scores import WordScores
from fenjie.lock import LOCK
from fenjie.runtime.folder import ModelFolder
from tests.command_line import fenjie as command

RECIPE = """\
teacher = "{teacher}"
millions = 0.001

[data]
train = ["words.txt"]
dev = 0.2
test = ["words.txt"]
format = "spaced"

[model]
bits = [8, 8, 8]
minimum = 1

[training]
passes = 3
batch = 256
gold_passes = 60
gold_batch = 256
gold_learning_rate = 0.05

[[texts]]
path = "raw.txt"
"""


@pytest.fixture
def folder(tmp_path: Path, tiny_linear: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    Path("words.txt").write_text("商品 和 服务\n他 说 的 确实 在理\n" * 5, encoding="utf-8")
    Path("raw.txt").write_text("商品和服务，他说的确实在理。\n" * 20, encoding="utf-8")
    Path("tiny.toml").write_text(RECIPE.format(teacher=tiny_linear), encoding="utf-8")
    return tmp_path


def test_the_student_learns_the_gold_words(folder: Path) -> None:
    done = command("distill", "tiny.toml", "-o", "run")
    assert done.returncode == 0, done.stderr.decode()
    assert "warning: cuts: only 6 steps with 320 characters" in done.stderr.decode()
    segment = fenjie.load("run/model")
    assert segment.cut("商品和服务") == ["商品", "和", "服务"]
    assert ModelFolder.open("run/model").normaliser == NORMALISER  # as the student was scored
    said = Path("run/model/README.md").read_text(encoding="utf-8")
    assert "`fenjie distill tiny.toml`" in said and "| `words.txt` | 100.00 |" in said
    assert "dev is 20% of `words.txt`, the last" in said
    first = Path("run/model/checksums.txt").read_text().splitlines()[1:]
    again = command("distill", "tiny.toml", "-o", "run")
    assert again.returncode == 2 and b"--resume" in again.stderr
    resumed = command("distill", "tiny.toml", "-o", "run", "--resume")
    assert resumed.returncode == 0, resumed.stderr.decode()
    weights = [line for line in first if ".npy" in line]
    assert set(weights) <= set(Path("run/model/checksums.txt").read_text().splitlines())
    for name in ("raw.txt", "words.txt"):
        content = Path(name).read_bytes()
        Path(name).write_bytes(content + "乾 坤\n".encode())
        other = command("distill", "tiny.toml", "-o", "run", "--resume")
        assert other.returncode == 2
        assert f"{name} has changed since the run in run began" in other.stderr.decode()
        Path(name).write_bytes(content)
    changed = Path("tiny.toml").read_text(encoding="utf-8").replace("passes = 3", "passes = 4")
    Path("tiny.toml").write_text(changed, encoding="utf-8")
    other = command("distill", "tiny.toml", "-o", "run", "--resume")
    assert other.returncode == 2
    assert b"another recipe: training.passes was 3.0, now 4.0" in other.stderr


def test_the_card_names_the_files_of_dev(folder: Path) -> None:
    recipe = read_distill_recipe(Path("tiny.toml"))
    files = replace(recipe, data=replace(recipe.data, dev=("dev.txt",)))
    scores = WordScores(1, 1, 1, 1, 1)
    text = card(Path("tiny.toml"), files, b"recipe = 1", scores, {}, 1000, 1.0)
    assert "- then `words.txt`\n- dev is `dev.txt`\n" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minimum", "minimun", "did you mean minimum"),
        ('path = "raw.txt"', 'path = "none.txt"', "none.txt: no such file"),
        ("millions = 0.001", "millions = -1", "millions"),
    ],
)
def test_a_wrong_recipe_is_one_line(folder: Path, old: str, new: str, message: str) -> None:
    Path("tiny.toml").write_text(Path("tiny.toml").read_text().replace(old, new), encoding="utf-8")
    done = command("distill", "tiny.toml", "-o", "run")
    assert done.returncode == 2 and message in done.stderr.decode()
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_run_that_fails_before_it_makes_something_leaves_nothing(folder: Path) -> None:
    Path("words.txt").write_text("", encoding="utf-8")
    assert b"holds no sentence" in command("distill", "tiny.toml").stderr
    assert not Path("runs").exists()
    Path("run").mkdir()
    assert b"holds no sentence" in command("distill", "tiny.toml", "-o", "run").stderr
    assert [path.name for path in Path("run").iterdir()] == [LOCK]


def test_a_run_that_fails_leaves_a_recipe_that_was_there(folder: Path) -> None:
    Path("tiny.toml").rename("recipe.toml")
    Path("words.txt").write_text("商品 和 服务\n", encoding="utf-8")
    before = Path("recipe.toml").read_bytes()
    done = command("distill", "recipe.toml", "-o", ".")
    assert done.returncode == 2 and b"one sentence" in done.stderr
    assert Path("recipe.toml").read_bytes() == before
    assert not Path("inputs.json").exists()


def test_a_test_file_is_looked_at_first(folder: Path) -> None:
    Path("test.txt").write_bytes(b"\xff\n")
    text = Path("tiny.toml").read_text(encoding="utf-8")
    text = text.replace('test = ["words.txt"]', 'test = ["test.txt"]')
    Path("tiny.toml").write_text(text, encoding="utf-8")
    assert b"test.txt:1: not utf-8 text" in command("distill", "tiny.toml", "-o", "run").stderr
    assert not Path("run").exists()


def test_a_run_that_made_nothing_is_no_run(folder: Path) -> None:
    right = Path("tiny.toml").read_text(encoding="utf-8")
    Path("tiny.toml").write_text(right.replace("raw.txt", "none.txt"), encoding="utf-8")
    assert command("distill", "tiny.toml", "-o", "run").returncode == 2
    assert not Path("run").exists()
    Path("tiny.toml").write_text(right, encoding="utf-8")
    done = command("distill", "tiny.toml", "-o", "run")
    assert done.returncode == 0, done.stderr.decode()
