"""Runs: what they are given, how far they are, how they end; a stand-in does the training."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fenjie.corpus import write
from fenjie.errors import FenjieError
from fenjie.recipe.recipe import load as load_recipe
from fenjie.serve import trainer as module
from fenjie.serve.limits import RefusedError
from fenjie.serve.taggers import Model, Models
from fenjie.serve.trainer import Progress, Trainer
from fenjie.text.span import Sentence, Span

SENTENCES = [Sentence("王小明用飞天", (Span(0, 3, "PER"), Span(4, 6, "GOODS"))), Sentence("好")]

PYTHON = sys.executable  # as it is before a stand-in takes its place

STUB = """#!{python}
import json, pathlib, shutil, sys, time
command, *rest = sys.argv[3:]
if command == "train":
    run = pathlib.Path(rest[2])
    run.mkdir()
    with open(run / "log.jsonl", "w") as log:
        for step in (20, 40):
            log.write(json.dumps({{"step": step, "steps": 1200, "loss": 1 / step}}) + "\\n")
        log.write(json.dumps({{"step": 40, "best": True, "dev": {{"f1": 0.5}}}}) + "\\n{{")
    {then}
    shutil.copytree({model!r}, run / "model")
"""

MakeTrainer = Callable[[str], Trainer]


@pytest.fixture
def make(tmp_path: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch) -> MakeTrainer:
    """Make a trainer whose processes are a stand-in that does something before it ends."""

    def made(then: str = "") -> Trainer:
        stub = tmp_path / "stub"
        text = STUB.format(python=PYTHON, model=str(tiny_ner), then=then)
        stub.write_text(text, encoding="utf-8")
        stub.chmod(0o755)
        monkeypatch.setattr(module.sys, "executable", str(stub))
        return Trainer(tmp_path / "models", Models([Model.load(str(tiny_ner), "first")]))

    return made


def over(trainer: Trainer) -> Progress:
    """Wait for the end of a run."""
    while trainer.progress is None or trainer.progress.phase in ("training", "exporting"):
        time.sleep(0.02)
    return trainer.progress


def test_a_model_is_trained_and_served(make: MakeTrainer, tmp_path: Path, tiny_ner: Path) -> None:
    trainer = make("")
    assert trainer.progress is None and trainer.starts == ["first"]
    trainer.start("mine", SENTENCES, "first")
    end = over(trainer)
    assert end[:7] == ("mine", "done", 40, 1200, 0.025, 0.5, True)
    assert trainer.starts == ["first", "mine"]
    recipe = load_recipe(tmp_path / "models" / "mine" / "mine.toml")
    assert recipe.training.start == str(tiny_ner)
    lines = (tmp_path / "models" / "mine" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[0] == '{"text": "王小明用飞天", "spans": [[0, 3, "PER"], [4, 6, "GOODS"]]}'
    with pytest.raises(RefusedError, match="there is a model named mine already"):
        trainer.start("mine", SENTENCES, None)
    again = Trainer(tmp_path / "models", Models([Model.load(str(tiny_ner), "other")]))
    assert again.starts == ["other", "mine"]  # a later service has it, too


def test_a_run_that_fails_says_why_and_may_be_repeated(make: MakeTrainer, tmp_path: Path) -> None:
    trainer = make("print('no such luck in', run); sys.exit(2)")
    trainer.start("mine", SENTENCES, None)
    end = over(trainer)
    assert end.phase == "failed" and end.message is not None
    assert end.message.endswith("no such luck in mine/run")  # not where that is
    make("")
    trainer.start("mine", SENTENCES, None)
    assert over(trainer).phase == "done"


def test_a_run_that_fails_does_not_say_where_folders_are(
    make: MakeTrainer, tmp_path: Path, tiny_ner: Path
) -> None:
    then = f"print({str(tiny_ner)!r} + '/weights: damaged', run, run.parents[1]); sys.exit(2)"
    trainer = make(then)
    trainer.start("mine", SENTENCES, "first")
    message = over(trainer).message
    assert message is not None and message.endswith("first/weights: damaged mine/run models")
    assert str(tmp_path) not in message


def test_a_run_that_fails_without_its_output_ends(make: MakeTrainer) -> None:
    trainer = make("os.remove(os.path.join(run, '..', 'output.txt')); sys.exit(2)")
    trainer.start("mine", SENTENCES, None)
    assert over(trainer).phase == "failed"


def test_a_start_that_is_cut_short_may_be_repeated(
    make: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make("")

    def cut_short(*given: Any) -> None:
        write(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "write", cut_short)
        with pytest.raises(KeyboardInterrupt):
            trainer.start("mine", SENTENCES, None)
    assert not list(trainer.folder.iterdir())
    trainer.start("mine", SENTENCES, None)
    assert over(trainer).phase == "done"


def test_a_folder_that_is_gone(make: MakeTrainer) -> None:
    trainer = make("")
    trainer.folder.rmdir()
    with pytest.raises(RefusedError, match=r"^mine cannot be written: No such file") as caught:
        trainer.start("mine", SENTENCES, None)
    assert caught.value.status == 503 and trainer.progress is None


def test_a_model_that_is_no_model_ends_the_run(
    make: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make("")

    def fail(path: str, *_: object) -> None:
        raise RuntimeError(f"no session: {path}")

    monkeypatch.setattr(module.Model, "load", fail)
    trainer.start("mine", SENTENCES, None)
    end = over(trainer)
    assert (end.phase, end.message) == ("failed", "RuntimeError: no session: mine/run/model")


def test_one_at_a_time_until_it_is_stopped(make: MakeTrainer) -> None:
    trainer = make("time.sleep(60)")
    trainer.start("mine", SENTENCES, None)
    while trainer.progress is None or not trainer.progress.step:  # the log is written
        time.sleep(0.02)
    with pytest.raises(RefusedError, match="mine is being trained; one at a time") as caught:
        trainer.start("other", SENTENCES, None)
    assert caught.value.status == 409
    trainer.stop()
    assert trainer.progress[1:3] == ("stopped", 40)
    trainer.stop()


@pytest.mark.parametrize(
    ("name", "start", "message"),
    [
        ("../a", None, "name: expected"), ("", None, "name: expected"), ("a.b", None, "name"),
        ("a" * 41, None, "name: expected"), ("nul", None, "no device of Windows"),
        ("COM1", None, "no device of Windows"), ("lpt²", None, "no device of Windows"),
        ("first", None, "there is a model named first"),
        ("mine", "no", "start: no such model with weights; expected one of first"),
    ],
)  # fmt: skip
def test_what_is_refused(make: MakeTrainer, name: str, start: str | None, message: str) -> None:
    trainer = make("")
    with pytest.raises(RefusedError, match=message):
        trainer.start(name, SENTENCES, start)
    with pytest.raises(RefusedError, match="no entity is marked"):
        trainer.start("mine", SENTENCES[1:], None)
    assert not list(trainer.folder.iterdir())


@pytest.mark.parametrize("entry", ["model/weights", "run/log.jsonl", "train.jsonl"])
def test_what_is_no_run_of_the_service_stays(make: MakeTrainer, entry: str) -> None:
    trainer = make("")
    path = trainer.folder / "mine" / entry
    path.parent.mkdir(parents=True)
    path.write_text("a", encoding="utf-8")
    (trainer.folder / "link").symlink_to(trainer.folder)
    for name in ("mine", "link"):
        with pytest.raises(RefusedError, match=f"something else named {name} already") as caught:
            trainer.start(name, SENTENCES, None)
        assert caught.value.status == 409
    assert path.read_text(encoding="utf-8") == "a" and trainer.progress is None


def test_a_model_that_is_served_is_done_though_it_was_to_stop(
    make: MakeTrainer, monkeypatch: pytest.MonkeyPatch, tiny_ner: Path
) -> None:
    trainer = make("")
    model = Model.load(str(tiny_ner), "mine")

    def load(*_: object) -> Model:
        assert trainer._run is not None
        trainer._run._stopped = True  # told so while the model is loaded
        return model

    monkeypatch.setattr(module.Model, "load", load)
    trainer.start("mine", SENTENCES, None)
    assert over(trainer).phase == "done" and "mine" in trainer.starts


def test_a_process_that_does_not_listen_is_killed(
    make: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STOPPING", 0.5)
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    trainer = make(f"{deaf}; run.joinpath('deaf').touch(); time.sleep(60)")
    trainer.start("mine", SENTENCES, None)
    while not (trainer.folder / "mine" / "run" / "deaf").exists():
        time.sleep(0.02)
    trainer.stop()
    assert over(trainer).phase == "stopped"


def test_a_process_is_ended_where_processes_have_no_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WINDOWS", True)
    monkeypatch.delattr(module.os, "killpg")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        module._end_process(process)
        assert process.wait() != 0


def test_without_torch(make: MakeTrainer, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = make("")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert trainer.missing is not None
    assert trainer.missing.endswith("not installed: pip install 'fenjie[train]'")
    with pytest.raises(RefusedError, match="training needs torch"):
        trainer.start("mine", SENTENCES, None)


def test_a_model_that_is_named_and_lies_in_the_folder_is_served_once(
    tmp_path: Path,
    tiny_ner: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("tiny-ner", "other"):
        shutil.copytree(tiny_ner, tmp_path / "models" / name / "run" / "model")
    (tmp_path / "link").symlink_to(tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    models = Models.load(["link/tiny-ner/run/model"])
    Trainer(Path("models"), models)
    assert [model.name for model in models] == ["tiny-ner", "other"]
    assert not caplog.records


def test_models_without_weights_are_no_start(
    tmp_path: Path, tiny_ner: Path, tiny_model: Path
) -> None:
    models = Models([Model.load(str(tiny_ner)), Model.load(str(tiny_model))])
    assert Trainer(tmp_path / "models", models).starts == ["tiny-ner"]


def test_a_folder_that_cannot_be_made_and_a_damaged_model(
    tmp_path: Path, tiny_ner: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    models = Models([Model.load(str(tiny_ner))])
    with pytest.raises(FenjieError, match="cannot be made"):
        Trainer(tmp_path / "file" / "models", models)
    damaged = tmp_path / "models" / "damaged" / "run" / "model"
    shutil.copytree(tiny_ner, damaged)
    (damaged / "labels.txt").write_text("", encoding="utf-8")
    Trainer(tmp_path / "models", models)
    assert [model.name for model in models] == ["tiny-ner"]
    assert "damaged is not served: " in caplog.text and "labels.txt" in caplog.text
