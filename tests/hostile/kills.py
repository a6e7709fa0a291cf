"""Processes that are stopped, killed or out of room: files are whole or not there, runs go on."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.builders import write_tiny_model
from tests.hostile.case import Outcome, chance
from tests.hostile.watch import HUNG, let_work, watching

STOPS, TRAININGS, DISKS = 60, 4, 30
"""Numbers of outputs and of trainings that are stopped, and of full disks."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)

FENJIE = [sys.executable, "-m", "fenjie"]


def run(outcome: Outcome, share: float, seed: int) -> None:
    """Stop outputs and trainings, and fill disks."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name, watching() as peak:
        os.chdir(name)
        try:
            Path("model").mkdir()
            write_tiny_model(Path("model"))
            for number in range(max(4, round(STOPS * share))):
                with outcome.case(f"stop {number}"):
                    _stop(chance("stop", seed, number))
            for number in range(max(2, round(DISKS * share))):
                with outcome.case(f"disk {number}"):
                    _full_disk(chance("disk", seed, number))
            _trainings(outcome, max(1, round(TRAININGS * share)), seed)
        finally:
            os.chdir(before)
    outcome.memory = peak.mib


def _stop(source: random.Random) -> None:
    """A signal at any time while a file is written over an older one."""
    folder = Path(tempfile.mkdtemp(dir="."))
    output = folder / "out.txt"
    output.write_text("older")
    process = subprocess.Popen(
        [*FENJIE, "segment", "-m", "model", "-o", str(output)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    try:
        process.stdin.write("商品和服务\n".encode() * source.randrange(1, 5000))
        process.stdin.flush()
    except BrokenPipeError:
        pass
    let_work(process, 0.1 + source.random())  # before, Python itself may print a trace
    number = source.choice(SIGNALS)
    process.send_signal(number)
    errors = process.communicate(timeout=HUNG)[1]
    assert errors == b"", errors
    assert process.returncode in (0, -number, 128 + number), process.returncode
    content = output.read_text(encoding="utf-8")
    assert content == "older" or content.endswith("\n"), "a half written file"
    if number != signal.SIGKILL:
        assert [path.name for path in folder.iterdir()] == ["out.txt"], "something is left"
    again = [*FENJIE, "segment", "-m", "model", "-o", str(output)]
    subprocess.run(again, input=b"a\n", check=True, timeout=HUNG)
    assert [path.name for path in folder.iterdir()] == ["out.txt"], "something stays for ever"


def _full_disk(source: random.Random) -> None:
    """No file may be larger than so many bytes."""
    folder = Path(tempfile.mkdtemp(dir="."))
    most, text = source.randrange(20_000), "商品和服务\n".encode() * 3000
    done = subprocess.run(
        [*FENJIE, "segment", "-m", "model", "-o", str(folder / "out.txt")],
        input=text,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        timeout=HUNG,
        check=False,
    )
    assert done.returncode == 2, done
    assert done.stderr.count(b"\n") == 1 and b"cannot be written: File too large" in done.stderr
    assert not list(folder.iterdir()), "something is left"


def _trainings(outcome: Outcome, count: int, seed: int) -> None:
    """Runs that are stopped again and again and resumed end as one that is not."""
    from tests.integration.tiny_run import assert_same, environment, prepare

    recipe = prepare(Path(), 400)
    command = [*FENJIE, "train", str(recipe)]
    settings = {"env": environment(), "capture_output": True, "timeout": HUNG}
    subprocess.run([*command, "-o", "whole"], check=True, **settings)  # type: ignore[call-overload]
    for number in range(count):
        source = chance("training", seed, number)
        output = f"out-{number}"
        resumed = [*command, "-o", output, "--resume"]
        with outcome.case(f"training {number}"):
            for _ in range(3):
                process = subprocess.Popen(
                    resumed, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                let_work(process, source.uniform(1, 8))
                process.send_signal(source.choice(SIGNALS))
                process.wait(HUNG)
            subprocess.run(resumed, check=True, **settings)  # type: ignore[call-overload]
            assert_same(Path("whole"), Path(output))
            left = {path.name for path in Path(output).glob(".*")}
            assert left == {".run.lock"}, "something is left"
