"""A pre-training run from end to end: stopped, resumed, extended, opened, and its mistakes."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

from fenjie.errors import FenjieError
from fenjie.nn.encoders.hugging_face import open_encoder
from fenjie.pretraining import learning
from fenjie.pretraining.pretraining import Progress
from fenjie.progress import Screen
from tests.command_line import fenjie
from tests.pretraining.tiny_run import RECIPE, run

SAME = "encoder/model.safetensors", "encoder/config.json", "encoder/tokenizer.json", "log.jsonl"


class StoppedError(BaseException):
    """Stands for a kill."""


@pytest.mark.slow
def test_stopped_resumed_and_extended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("whole")
    work, done = learning.Pretraining._learn, 0

    def stopping(self: Any) -> None:
        nonlocal done
        done += 1
        if done == 30:
            raise StoppedError
        work(self)

    with monkeypatch.context() as patch:
        patch.setattr(learning.Pretraining, "_learn", stopping)
        with pytest.raises(StoppedError):
            run("stopped")
    run("stopped", resume=True)
    for name in SAME:
        assert Path("whole", name).read_bytes() == Path("stopped", name).read_bytes(), name
    run("extended", RECIPE.replace("0.004", "0.003"))
    run("extended", resume=True)
    assert Path("whole", SAME[0]).read_bytes() == Path("extended", SAME[0]).read_bytes()
    cooled = RECIPE.replace("0.004", "0.005").replace("warmup = 5", "warmup = 5\ncooldown = 0.001")
    run("extended", cooled, resume=True)
    run("cooled", cooled)
    assert Path("cooled", SAME[0]).read_bytes() == Path("extended", SAME[0]).read_bytes()
    assert (folder / "whole/encoder-0.002M/model.safetensors").exists()
    with pytest.raises(FenjieError, match="whole holds a run already; --resume goes on"):
        run("whole")
    with pytest.raises(FenjieError, match=r"another recipe: training.rows was 4, now 5"):
        run("whole", RECIPE.replace("rows = 4", "rows = 5"), resume=True)
    with open("text.txt", "a", encoding="utf-8") as file:
        file.write("\n天地")
    with pytest.raises(FenjieError, match=r"text\.txt has changed since the run in whole began"):
        run("whole", resume=True)


@pytest.mark.slow
def test_it_learns_and_transformers_opens_it(folder: Path) -> None:
    settings = RECIPE.replace("0.004", "0.03").replace("warmup", "learning_rate = 0.01\nwarmup")
    encoder = run("out", settings.replace("checkpoint_minutes = 0.0", "average = 0.9"))
    log = [json.loads(line) for line in (folder / "out/log.jsonl").read_text("utf-8").splitlines()]
    measured = [line["held_out"] for line in log if "held_out" in line]
    assert measured[-1] < measured[0] - 0.5
    opened = open_encoder(str(encoder))
    assert opened.max_positions == 16 and opened.model.config.dropout == 0.1
    pieced = opened.pieces("北京，Ｂ [SEP]")
    assert (
        len(pieced.pieces) == 10 + 2 and pieced.pieces[3] != 1 and (pieced.pieces == 1).sum() == 7
    )
    card = (encoder / "README.md").read_text("utf-8")
    assert "`text.txt`" in card and "`fenjie pretrain recipe.toml`" in card and "| 0.0 |" in card


def test_the_rate_rises_stays_and_falls(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []

    def recording(self: learning.Pretraining) -> None:
        rates.append(self.rate(self.step) / self.settings.learning_rate)

    monkeypatch.setattr(learning.Pretraining, "_learn", recording)
    monkeypatch.setattr(learning.Pretraining, "_mean_loss", lambda self: 0.0)
    run("constant")  # 72 steps of 56 characters
    assert rates == [0.2, 0.4, 0.6, 0.8] + [1.0] * 68
    rates.clear()
    run("cooled", RECIPE.replace("warmup = 5", "warmup = 5\ncooldown = 0.001"))  # 18 steps
    fall = [place / 19 for place in range(18, 0, -1)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8] + [1.0] * 50 + fall)


@pytest.mark.parametrize("main", [True, False])
def test_of_several_processes_one_shows_the_run(main: bool) -> None:
    text = SimpleNamespace(characters="ab", ids=[1, 2, 1])
    run = SimpleNamespace(
        main=main, characters=3, text=text, folder="out", parameters=5, total=10, step=0
    )
    shown = StringIO()
    progress = Progress(Screen(file=shown, force_terminal=True), run)  # type: ignore[arg-type]
    progress.held_out(0.5)
    progress.loss(1, 0.75)
    progress.close()
    assert ("out: 3 characters of text, 2 different" in shown.getvalue()) == main
    assert ("held out 0.500" in shown.getvalue()) == main
    assert main or not shown.getvalue()


def test_mistakes_on_the_command_line(folder: Path) -> None:
    Path("recipe.toml").write_text(RECIPE, encoding="utf-8")
    Path("text.txt").write_bytes("今天\n".encode() + "好好\n".encode("gb18030"))
    done = fenjie("pretrain", "recipe.toml", "-o", "out")
    assert done.returncode == 2 and b"text.txt:2: not utf-8 text" in done.stderr
    Path("text.txt").write_text("今天很好\n", encoding="utf-8")
    done = fenjie("pretrain", "recipe.toml", "-o", "out")
    assert done.returncode == 2 and b"rows of 14 characters; expected at least 12" in done.stderr
    assert not Path("out").exists()
    Path("recipe.toml").write_text(RECIPE + "cooldown = 1\n", encoding="utf-8")
    done = fenjie("pretrain", "recipe.toml", "-o", "out")
    assert done.returncode == 2 and b"cooldown 1 is more than millions 0.004" in done.stderr
    Path("recipe.toml").write_text(RECIPE.replace("text.txt", "none.txt"), encoding="utf-8")
    done = fenjie("pretrain", "recipe.toml", "-o", "out")
    assert done.returncode == 2 and b"none.txt: no such file" in done.stderr


def test_a_damaged_checkpoint(folder: Path) -> None:
    run("out", RECIPE.replace("0.004", "0.001"))
    path = Path("out/checkpoint.safetensors")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FenjieError, match=r"checkpoint\.safetensors: is damaged"):
        run("out", resume=True)
    path.unlink()
    with pytest.raises(FenjieError, match="holds a run already"):  # its encoder is there
        run("out")
    Path("out/characters.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FenjieError, match=r"characters\.json: is damaged"):
        run("out", resume=True)
