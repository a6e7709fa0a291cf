"""The command line, run within the process of the tests or in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest
import typer.main

from fenjie import cli

COMMAND = [sys.executable, "-m", "fenjie"]
"""The command line in a process of its own, for tests of pipes, signals and memory."""

Done = subprocess.CompletedProcess[bytes]


def fenjie(
    *words: object,
    stdin: bytes = b"",
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Done:
    """Run a command within this process, as `python -m fenjie` does, but a second faster.

    Args:
        words: the command and its arguments.
        stdin: its standard input.
        folder: its working directory; the present one without it.
        variables: environment variables besides those that are set.

    Returns:
        The exit code and what was written to standard output and standard error.
    """
    arguments = ["fenjie", *map(str, words)]
    code: object = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(sys, "argv", arguments)
        for name, value in {"COLUMNS": "200", **(variables or {})}.items():
            patch.setenv(name, value)
        if folder is not None:
            patch.chdir(folder)
        given = stack.enter_context(tempfile.TemporaryFile())
        given.write(stdin)
        given.seek(0)
        for number, file in enumerate((given, out, err)):
            stack.enter_context(_redirected(number, file))
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            patch.setattr(sys, name, stack.enter_context(stream))
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        out.seek(0)
        err.seek(0)
        return Done(arguments, int(code or 0), out.read(), err.read())  # type: ignore[call-overload]


@contextmanager
def _redirected(number: int, file: BinaryIO) -> Iterator[None]:
    """Let a file descriptor of this process lead to a file."""
    kept = os.dup(number)
    os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


class CommandLine:
    """Runs a command of fenjie in a folder of its own, with a tiny model."""

    def __init__(self, folder: Path, command: str, model: Path | None = None) -> None:
        """Choose the command that is run where none is named.

        Args:
            folder: the working directory.
            command: the command.
            model: the model that commands are run with, where none is named.
        """
        self.folder, self.command, self.model = folder, command, model

    def __call__(self, *words: object, stdin: bytes = b"", command: str | None = None) -> Done:
        """Run the command with these arguments."""
        model = [] if self.model is None or "--model" in words else ["--model", self.model]
        return fenjie(command or self.command, *model, *words, stdin=stdin, folder=self.folder)

    def fails(
        self,
        *words: object,
        stdin: bytes = b"",
        command: str | None = None,
        leaves: tuple[str, ...] = (),
    ) -> str:
        """Run the command on bad input.

        Args:
            words: its arguments.
            stdin: its standard input.
            command: the command, where it is another than usual.
            leaves: names that are there afterwards besides those that were there before.

        Returns:
            The last line on standard error, the only one that is an error.
        """
        before = {path.name for path in self.folder.iterdir()}
        done = self(*words, stdin=stdin, command=command)
        assert done.returncode == 2, done
        *rest, message = done.stderr.decode().splitlines()
        assert message.startswith("fenjie: ")
        assert not any(line.startswith("fenjie: ") for line in rest)
        after = {path.name for path in self.folder.iterdir()}
        assert after == before | set(leaves), "something half written stayed behind"
        return message

    def file(self, name: str, content: bytes) -> Path:
        """Write a file in the folder."""
        path = self.folder / name
        path.write_bytes(content)
        return path


def misused(arguments: Sequence[str]) -> list[str]:
    """The words of a command line of `fenjie` that it does not know: a command, or options."""
    command, rest = typer.main.get_command(cli.app), list(arguments)
    while (known := getattr(command, "commands", None)) and rest and rest[0][:1] != "-":
        if rest[0] not in known:
            return [rest[0]]
        command = known[rest.pop(0)]
    options = {opt for param in command.params for opt in [*param.opts, *param.secondary_opts]}
    used = [word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"]
    return [option for option in used if option not in options and option != "--help"]
