"""What a long run says when it is stopped."""

from __future__ import annotations

import pytest

from fenjie.cli.stopped import resumable
from fenjie.errors import FenjieError


@pytest.mark.parametrize(("rank", "message"), [("0", "goes on with --resume\n"), ("1", "")])
def test_a_stop_says_how_to_go_on(
    rank: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", rank)
    with pytest.raises(SystemExit) as found, resumable():
        raise SystemExit(143)
    assert found.value.code == 143
    written = capsys.readouterr()
    assert written.err.endswith(message) and bool(written.err) == bool(message)
    assert not written.out


def test_an_error_is_no_stop(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FenjieError), resumable():
        raise FenjieError("a.toml: malformed")
    assert not capsys.readouterr().err
