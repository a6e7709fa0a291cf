"""Virtual environments for benchmarks: one package each, so that its size can be weighed."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from benchmarks.machine import ROOT

FOLDER = ROOT / "build" / "benchmarks"


class InstallError(Exception):
    """A package that cannot be installed here; the message says why in one line."""


@cache
def make(name: str, requirement: str, python: str) -> tuple[Path, float]:
    """A virtual environment that holds `requirement`: kept for later runs, but of a source tree.

    Args:
        name: a folder name for the environment.
        requirement: the package for pip to install: `jieba==0.42.1`, or a path.
        python: the interpreter to make it with, such as `python3.11`.

    Returns:
        Its interpreter, and the size in MiB that the requirement and all it needs take up.

    Raises:
        InstallError: there is no such interpreter, or pip fails.
    """
    folder = FOLDER / name
    interpreter, stamp = folder / "bin" / "python", folder / "size"
    if not stamp.exists() or Path(requirement).is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        if shutil.which(python) is None:
            raise InstallError(f"needs {python}, which is not here")
        _run(python, "-m", "venv", str(folder))
        before = _size(folder)
        _run(str(interpreter), "-m", "pip", "install", "--quiet", requirement)
        stamp.write_text(f"{(_size(folder) - before) / 2**20:.1f}\n", encoding="utf-8")
    return interpreter, float(stamp.read_text(encoding="utf-8"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if "rror" in line]
        raise InstallError(lines[-1] if lines else f"{command[0]} exited with {done.returncode}")


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
