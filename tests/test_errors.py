"""Error messages are one short line."""

from __future__ import annotations

from fenjie import files
from fenjie.errors import FileError, shorten


def test_messages_are_one_short_line() -> None:
    error = FileError("f", "wrong", line=3, found="x\ny\ud800" * 99, expected="right")
    assert str(error).startswith("f:3: wrong; found 'x\\ny\\ud800")
    assert str(error).endswith("…; expected right")
    assert "\n" not in str(error)
    assert str(error).encode()
    assert len(shorten("a" * 1000)) == 60
    assert files.BYTE_ORDER_MARK == "\ufeff"
