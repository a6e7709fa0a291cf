"""`fenjie` and `python -m fenjie`: the command line, and what is to be done before it is there."""

import _signal as early  # type: ignore[import-not-found]  # `signal` itself is long in coming
import os
import sys


def main() -> None:
    """Run the command line.

    A signal to stop ends it without a message, and without a trace of files that are half written.
    """
    interruptible = early.getsignal(early.SIGINT) is early.default_int_handler
    if interruptible:  # while modules are imported there is nothing to clean up
        early.signal(early.SIGINT, early.SIG_DFL)
    _open_streams()
    from fenjie.cli import main as command

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(early, name, None)  # there is no SIGHUP in Windows
        if number is not None and early.getsignal(number) == early.SIG_DFL:
            early.signal(number, _stop)  # one that is ignored, as by nohup, stays so
    try:
        command()
    finally:
        if interruptible:
            early.signal(early.SIGINT, early.SIG_DFL)
        if _stopped:
            sys.exit(128 + _stopped[0])


_stopped: list[int] = []
"""The signal that has stopped the command."""


def _stop(number: int, _: object) -> None:
    # A library that is being imported may catch what is raised here (onnxruntime does): the exit
    # code says so at the end, and the next signal ends the process.
    _stopped.append(number)
    early.signal(number, early.SIG_DFL)
    raise SystemExit(128 + number)


def _open_streams() -> None:
    """Open what was closed (`>&-`), so that no file takes its number and gets what it gets.

    Input and output then fail when they are used; messages go nowhere. Output in another encoding
    than UTF-8 shows `?` in a terminal for what that lacks; a file or a pipe gets UTF-8, as all that
    fenjie writes.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
            opened = open(number, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, opened)
    if sys.stdout.encoding.lower().replace("-", "") != "utf8":
        is_seen = sys.stdout.isatty()
        sys.stdout.reconfigure(encoding=None if is_seen else "utf-8", errors="replace")  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
