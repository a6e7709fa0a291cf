"""A worker process: receives work once, then items; sends the result of each. See `workers`."""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from queue import SimpleQueue
from typing import Any, BinaryIO

LENGTH = 8
"""Bytes of a message that give the length of the rest."""


def send(file: BinaryIO, message: bytes) -> None:
    """Write a message.

    Raises:
        OSError: the other process has ended.
    """
    file.write(len(message).to_bytes(LENGTH, "little"))
    file.write(message)
    file.flush()


def receive(file: BinaryIO) -> bytes:
    """Read a message.

    Raises:
        EOFError: the other process has ended.
    """
    head = file.read(LENGTH)
    size = int.from_bytes(head, "little")
    message = file.read(size) if len(head) == LENGTH else b""
    if len(head) < LENGTH or len(message) < size:
        raise EOFError
    return message


def main() -> None:
    """Serve until the parent process ends or closes the standard input of this one.

    The first message is the work, a pickled function of one argument; the others are pickled
    arguments. Only the parent writes to this pipe. Each answer is a pair: whether it went well,
    and the result or the error.
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is none of the answers
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(messages,), daemon=True).start()
    work: Any = None
    while True:
        message = messages.get()
        try:
            given = pickle.loads(message)
            answer = pickle.dumps((True, None if work is None else work(given)), protocol=5)
            work = work or given
        except Exception as error:
            answer = _failure(error)
        try:
            send(replies, answer)
        except OSError:
            return


def _listen(messages: SimpleQueue[bytes]) -> None:
    """Receive messages, and end the process at once, whatever it does, when the parent ends."""
    with open(0, "rb", closefd=False) as requests:
        while True:
            try:
                messages.put(receive(requests))
            except (EOFError, OSError):
                os._exit(0)


def _failure(error: Exception) -> bytes:
    """The answer where the work failed; the error carries its traceback along as a note."""
    from fenjie.errors import FenjieError

    if not isinstance(error, FenjieError | MemoryError):
        error.add_note("In a worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:  # it cannot be carried over
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return answer
