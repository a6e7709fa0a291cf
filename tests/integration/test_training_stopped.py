"""Training runs that are stopped, killed, out of room or in two processes end as if undisturbed."""

from __future__ import annotations

import json
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from fenjie.errors import FenjieError
from fenjie.lock import LOCK
from fenjie.training import checkpoints, run_folder
from fenjie.training.loop import Run
from tests.integration.tiny_run import RECIPE, assert_same, environment, fenjie, prepare, train


class KilledError(BaseException):
    """Stands for a kill where a test needs an exact moment."""


@pytest.mark.parametrize(
    ("where", "every"),
    [
        pytest.param("_learn", 9, marks=pytest.mark.slow),
        ("_evaluate", 5),
        pytest.param("_checkpoint", 5, marks=pytest.mark.slow),
        pytest.param("_save_model", 5, marks=pytest.mark.slow),
        pytest.param("finish", 3, marks=pytest.mark.slow),
    ],
)
def test_stopped_anywhere(
    where: str, every: int, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped again and again, before and after each kind of work, the run ends the same."""
    train(recipe, "whole")
    work = getattr(Run, where)
    done = 0

    def stopping(self: Run, *arguments: object) -> object:
        nonlocal done
        done += 1
        if done % every == 1:
            raise KilledError
        result = work(self, *arguments)
        if done % every == every - 1:
            raise KilledError
        return result

    monkeypatch.setattr(Run, where, stopping)
    stops = 0
    while True:
        try:
            train(recipe, "out", resume=True)
            break
        except KilledError:
            stops += 1
        assert stops < 100
    assert stops >= 2
    assert_same(Path("whole"), Path("out"))


def test_stopped_while_a_checkpoint_is_written(
    recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(recipe, "whole")
    write, done = checkpoints.write, 0

    def half(path: Path, *arguments: object) -> None:
        nonlocal done
        done += 1
        if path.name == run_folder.CHECKPOINT and done == 6:
            rest = path.parent / ".fenjie-abc.partial"
            rest.mkdir()
            (rest / path.name).write_bytes(b"half")
            raise KilledError
        write(path, *arguments)

    monkeypatch.setattr(checkpoints, "write", half)
    with pytest.raises(KilledError):
        train(recipe, "out")
    train(recipe, "out", resume=True)
    assert_same(Path("whole"), Path("out"))
    assert [path.name for path in Path("out").glob(".*")] == [LOCK]


@pytest.mark.slow
def test_full_disk(recipe: Path) -> None:
    """No file may be larger than 20 kB, as if there were no more room."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    code, errors = fenjie("train", recipe.name, "--output", "out", limit=limit)
    assert code == 2
    assert "cannot be written: File too large" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    left = {path.name for path in Path("out").iterdir()}
    assert left <= {"recipe.toml", "log.jsonl", "tensorboard", LOCK}


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    recipe = prepare(tmp_path, 600)
    # As a command too: the number of threads must be the same, or sums are rounded otherwise.
    code, errors = fenjie("train", recipe.name, "-o", "whole")
    assert code == 0, errors
    command = [sys.executable, "-m", "fenjie", "train", recipe.name, "-o", "out", "--resume"]
    chance, kills = random.Random(0), 0
    while kills < 3:
        process = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)
        for _ in steps_of(Path("out/log.jsonl"), process):
            if chance.random() < 0.3:
                time.sleep(chance.random() / 10)
                process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break
        kills += 1
    assert kills
    code, errors = fenjie(*command[3:])
    assert code == 0, errors
    assert_same(Path("whole"), Path("out"))
    assert [path.name for path in Path("out").glob(".*")] == [LOCK]


def steps_of(log: Path, process: subprocess.Popen[bytes]) -> Iterator[int]:
    """The size of the log whenever it has changed, as long as the process lives."""
    size = log.stat().st_size if log.exists() else 0
    while process.poll() is None:
        time.sleep(0.005)
        now = log.stat().st_size if log.exists() else 0
        if now != size:
            size = now
            yield size


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def launched(*command: str) -> subprocess.CompletedProcess[str]:
    """Several processes that ended well."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done


def torchrun() -> list[str]:
    return ["torch.distributed.run", "--nproc-per-node=2", f"--master-port={free_port()}"]


@pytest.mark.slow
def test_two_processes(recipe: Path) -> None:
    """By torchrun and by accelerate; stopped and resumed; the weights are the same."""
    recipe.write_text(RECIPE.replace("epochs = 3", "epochs = 2"), encoding="utf-8")
    accelerate = ["accelerate.commands.launch", "--multi_gpu", "--num_processes=2"]
    accelerate += ["--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no"]
    accelerate += [f"--main_process_port={free_port()}"]
    for launcher, output in ((torchrun(), "one"), (accelerate, "two")):
        done = launched(*launcher, "-m", "fenjie", "train", recipe.name, "-o", output)
        assert done.stdout.count("best after step") == 1
    assert_same(Path("one"), Path("two"))
    # A step takes two batches of each process, so there are half as many.
    train(recipe, "single")
    steps = [json.loads(Path(f, "scores.json").read_text())["step"] for f in ("one", "single")]
    assert steps[0] < steps[1]
    with pytest.raises(FenjieError, match="2 processes and cannot be resumed with 1"):
        train(recipe, "one", resume=True)


LATE = """
import time
from pathlib import Path
from fenjie.training.loop import Run
from fenjie.training.run import run_training

save = Run._save_model
Run._save_model = lambda *arguments: (time.sleep(0.5), save(*arguments))
run_training(Path("tiny.toml"), Path("out"))
assert Path("out/scores.json").is_file()
"""


@pytest.mark.slow
def test_two_processes_end_together(recipe: Path) -> None:
    """None ends while another one is still scoring and saving: its launcher would stop that one."""
    Path("late.py").write_text(LATE, encoding="utf-8")
    launched(*torchrun(), "late.py")


def stop_in_the_middle(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in the folder `out` that was stopped after its first epoch."""
    checkpoint = Run._checkpoint

    def stopping(self: Run) -> None:
        checkpoint(self)
        if self.epoch:
            raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_checkpoint", stopping)
        with pytest.raises(KilledError):
            train(recipe, "out")


@pytest.mark.slow
def test_two_runs_in_one_folder(recipe: Path) -> None:
    """The second is refused by the name of the first, which ends as if undisturbed."""
    recipe.write_text(RECIPE.replace("epochs = 3", "epochs = 300"), encoding="utf-8")
    command = [sys.executable, "-m", "fenjie", "train", recipe.name, "-o", "out", "--seed", "3"]
    first = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL)
    try:
        next(steps_of(Path("out/log.jsonl"), first))
        for option in ("--seed", "--resume"):
            more = ("--seed", "9") if option == "--seed" else ("--seed", "3", "--resume")
            code, errors = fenjie("train", recipe.name, "-o", "out", *more)
            assert code == 2
            assert len(errors.splitlines()) == 1
            assert f"out is in use by the run tiny-3, seed 3, process {first.pid} on" in errors
        assert first.poll() is None
    finally:
        first.kill()
        first.wait()
    assert "seed = 3" in Path("out/recipe.toml").read_text()
    recipe.write_text(RECIPE.replace("epochs = 3", "epochs = 300"), encoding="utf-8")
    code, errors = fenjie("train", recipe.name, "-o", "out", "--seed", "9", "--resume")
    assert code == 2
    assert "holds a run of another recipe: training.seed was 3, now 9" in errors  # no longer locked


@pytest.mark.parametrize("name", ["dev.txt", "test.txt", "train.txt"])
def test_changed_files_are_noticed(
    name: str, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("dev.txt").write_text("今天  天气\n很  好\n", encoding="utf-8")
    recipe.write_text(RECIPE.replace("dev = 0.2", 'dev = ["dev.txt"]'), encoding="utf-8")
    stop_in_the_middle(recipe, monkeypatch)
    before = Path(name).read_bytes()
    Path(name).write_bytes(before + "好  的\n".encode())
    with pytest.raises(FenjieError, match=f"^{name} has changed since the run in out began$"):
        train(recipe, "out", resume=True)
    Path(name).write_bytes(before)
    train(recipe, "out", resume=True)


@pytest.mark.parametrize(
    "left", [None, *(pytest.param(left, marks=pytest.mark.slow) for left in (0, 100))]
)
def test_a_log_that_was_deleted_or_cut(
    left: int | None, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of it stays, and the run goes on with whole lines."""
    train(recipe, "whole")
    stop_in_the_middle(recipe, monkeypatch)
    log = Path("out/log.jsonl")
    content = log.read_bytes()
    if left is None:
        log.unlink()
    else:
        log.write_bytes(content[:left])
    train(recipe, "out", resume=True)
    whole = Path("whole/log.jsonl").read_bytes()
    kept = content[: content.rfind(b"\n", 0, left or 0) + 1]
    assert log.read_bytes() == kept + whole[len(content) :]


@pytest.mark.parametrize("name", [run_folder.CHECKPOINT, run_folder.BEST])
def test_a_flipped_byte_is_noticed(
    name: str, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_in_the_middle(recipe, monkeypatch)
    path = Path("out", name)
    content = bytearray(path.read_bytes())
    content[-100] ^= 4
    path.write_bytes(content)
    with pytest.raises(FenjieError, match=f"{name}: is damaged: its checksum is wrong"):
        train(recipe, "out", resume=True)
    path.unlink()
    if name == run_folder.BEST:
        with pytest.raises(FenjieError, match=f"{name}: cannot be read: No such file"):
            train(recipe, "out", resume=True)
