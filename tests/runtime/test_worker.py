"""Messages between processes."""

from __future__ import annotations

from io import BytesIO

import pytest

from fenjie.runtime.worker import receive, send


def test_messages_are_received_as_they_are_sent() -> None:
    pipe = BytesIO()
    for message in (b"", b"one", bytes(100_000)):
        send(pipe, message)
    pipe.seek(0)
    assert [receive(pipe) for _ in range(3)] == [b"", b"one", bytes(100_000)]
    with pytest.raises(EOFError):
        receive(pipe)


@pytest.mark.parametrize("cut", [3, 9])
def test_a_message_that_is_cut_is_the_end(cut: int) -> None:
    pipe = BytesIO()
    send(pipe, b"one")
    with pytest.raises(EOFError):
        receive(BytesIO(pipe.getvalue()[:cut]))
