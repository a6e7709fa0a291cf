"""Options of the scripts, the command as typed, steps in fresh processes."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError

CHILD = "--child"
"""The option by which a script runs one of its own steps; not for users."""


def parser(documentation: str | None, **counts: tuple[int, str]) -> argparse.ArgumentParser:
    """A parser of command-line options.

    Args:
        documentation: the docstring of the script; its first line is shown by `--help`.
        counts: options that are whole numbers: the default and what it counts.
    """
    made = argparse.ArgumentParser(prog=f"python -m {_module()}")
    made.description = (documentation or "").partition("\n")[0]
    for name, (default, explanation) in counts.items():
        explanation = f"{explanation} (default: {default})"
        made.add_argument(f"--{name}", type=int, default=default, help=explanation)
    made.add_argument(CHILD, nargs="+", help=argparse.SUPPRESS)
    return made


def typed() -> str:
    """The command that runs, for the results, as a shell reads it."""
    return shlex.join(["python", "-m", _module(), *sys.argv[1:]])


def child(*arguments: object) -> Any:
    """The JSON that this script prints in a fresh process, called with `CHILD` and arguments.

    Where that one fails, having said why, this one ends with its exit code.
    """
    command = [sys.executable, "-m", _module(), CHILD, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def named_runs(values: Sequence[str]) -> dict[str, Path]:
    """The folders of `NAME=RUN` arguments, by name.

    Raises:
        FenjieError: one is of another form.
    """
    pairs = [value.partition("=") for value in values]
    for value, (name, _, folder) in zip(values, pairs, strict=True):
        if not (name and folder):
            raise FenjieError(f"found {value!r}; expected NAME=RUN")
    return {name: Path(folder) for name, _, folder in pairs}


def run(main: Callable[[], None]) -> None:
    """Run a script; bad input ends it with one line."""
    try:
        main()
    except FenjieError as error:
        raise SystemExit(str(error)) from error


def _module() -> str:
    spec = sys.modules["__main__"].__spec__
    return spec.name.removesuffix(".__main__") if spec is not None else sys.argv[0]
