"""The lock of a run folder: it names who holds it, and goes with its process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("filelock", reason="needs the extra `train`")

from fenjie.errors import FenjieError
from fenjie.lock import LOCK, only_run

HOLD = """
import sys, time
from pathlib import Path
from fenjie.lock import only_run
with only_run(Path(sys.argv[1]), "the run first, seed 3"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_is_refused_by_name_of_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = f"{folder} is in use by the run first, seed 3, process {process.pid} on "
        for _ in range(3):  # a refusal leaves the lock as it is
            with pytest.raises(FenjieError, match=f"{re.escape(first)}.*, since 2"):  # noqa: SIM117
                with only_run(folder, "the run second, seed 9"):
                    pass
        process.send_signal(signal.SIGKILL)
    with only_run(folder, "the run second, seed 9"):
        assert f"process {os.getpid()}" in next(folder.glob(".*.txt")).read_text()
        lock = (folder / LOCK).stat().st_ino
    with only_run(folder, "the run third, seed 1"):
        assert (folder / LOCK).stat().st_ino == lock
    assert [path.name for path in folder.iterdir()] == [LOCK]


def test_within_one_process(tmp_path: Path) -> None:
    refused = []

    def second() -> None:
        try:
            with only_run(tmp_path, "b"):
                pass
        except FenjieError as error:
            refused.append(str(error))

    with only_run(tmp_path, "a"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert len(refused) == 1
