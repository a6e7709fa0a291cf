"""Files that are written over several runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.scale import resumable
from fenjie.scale.resumable import OUTPUT, check_no_partial, folder_of, resumable_file

CONDITIONS = {"model": "one"}
PIECES = [b"one", b"two", b"", b"three"]


def test_an_error_of_the_input_is_not_that_of_the_lock(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match="out: cannot be written: no data yet"),
        resumable_file(tmp_path / "out", CONDITIONS),
    ):
        raise BlockingIOError(11, "no data yet")


def test_another_file_that_is_refused_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused = {
        tmp_path / "in": "in: gone$",
        folder_of(out) / OUTPUT: "out: cannot be written: gone$",
        tmp_path: "out: cannot be written: gone$",
    }
    for name, message in refused.items():
        with pytest.raises(FileError, match=message), resumable_file(out, CONDITIONS):
            raise FileNotFoundError(2, "gone", str(name))


class StoppedError(Exception):
    """Stands for a kill."""


def write(path: Path, stop: int = 99) -> None:
    """Write the pieces, from where an earlier run was stopped; stop within one of them."""
    with resumable_file(path, CONDITIONS) as output:
        if not output.complete:
            for number in range(output.place or 0, len(PIECES)):
                output.write(PIECES[number][:2])
                if number == stop:
                    raise StoppedError
                output.write(PIECES[number][2:])
                output.done(number + 1)


@pytest.mark.parametrize("interval", [0, 100])
@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("second", range(4))
def test_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: float, first: int, second: int
) -> None:
    monkeypatch.setattr(resumable, "INTERVAL", interval)
    path = tmp_path / "out"
    path.write_text("older")
    path.chmod(0o640)
    for stop in (first, second):
        if stop >= first:
            with pytest.raises(StoppedError):
                write(path, stop)
            assert path.read_text() == "older"
            assert folder_of(path).exists() == (stop > 0)
    write(path)
    assert path.read_bytes() == b"onetwothree"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_kill_loses_what_was_not_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumable.Resumable, "stop", lambda self: None)
    monkeypatch.setattr(resumable, "INTERVAL", 0)
    path = tmp_path / "out"
    with pytest.raises(StoppedError):
        write(path, 1)
    with open(folder_of(path) / OUTPUT, "ab") as file:
        file.write(b"what the journal does not know")
    write(path)
    assert path.read_bytes() == b"onetwothree"


@pytest.mark.parametrize("renamed", [False, True])
def test_a_kill_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renamed: bool) -> None:
    path = tmp_path / "out"

    def killed(folder: Path, path: Path, _: None) -> None:
        if renamed:
            (folder / OUTPUT).replace(path)
        raise StoppedError

    with monkeypatch.context() as patch, pytest.raises(StoppedError):
        patch.setattr(resumable, "_finish", killed)
        write(path)
    write(path)
    assert path.read_bytes() == b"onetwothree"
    assert not folder_of(path).exists()


def test_a_folder_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        if path == tmp_path:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(resumable, "flush", refuse)
    write(tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_an_interrupt_of_a_run_that_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(resumable, "_finish", lambda *_: 1 / 0)
        write(path)
    with pytest.raises(KeyboardInterrupt), resumable_file(path, CONDITIONS) as output:
        assert output.complete
        raise KeyboardInterrupt
    write(path)
    assert path.read_bytes() == b"onetwothree"


def test_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with pytest.raises(StoppedError):
        write(path, 2)
    os.truncate(folder_of(path) / OUTPUT, 3)
    with pytest.raises(FileError, match="is damaged; found '3 bytes'; expected at least 6"):
        write(path)


@pytest.mark.parametrize("line", ["5", '[null, "x", false]', '{"a": 1}', "[null, -5, false]"])
def test_a_damaged_journal_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "out"
    with pytest.raises(StoppedError):
        write(path, 2)
    with open(folder_of(path) / "journal.jsonl", "a") as journal:
        journal.write(line + "\n")
    with pytest.raises(FileError, match="is damaged; expected to be removed, to begin anew"):
        write(path)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with (
        resumable_file(path, CONDITIONS),
        pytest.raises(FenjieError, match="another process writes to it now"),
    ):
        write(path)
    assert path.exists()


def test_what_waits_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "out"
    check_no_partial(path)
    with pytest.raises(StoppedError):
        write(path, 2)
    with pytest.raises(FenjieError, match="holds a run that was stopped; --resume goes on"):
        check_no_partial(path)


def test_only_files_can_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be resumed"):
        write(Path("/dev/null"))
    with pytest.raises(FileError, match="cannot be written: No such file"):
        write(tmp_path / "no" / "out")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileError, match="loop: cannot be written: Too many levels of symbolic"):
        write(tmp_path / "loop")
