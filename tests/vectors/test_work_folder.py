"""The folder of what is kept between runs: when it stays, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.vectors.work_folder import work_folder


def test_one_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    work = tmp_path / "file" / "work"
    with pytest.raises(FileError, match=r"work: cannot be written: Not a directory$"):  # noqa: SIM117
        with work_folder(work):
            work.mkdir()


def test_a_full_disk_is_said_of_it(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with pytest.raises(FenjieError) as caught, work_folder(work):
        work.mkdir()
        (work / "a").write_text("done")
        raise OSError(28, "No space left")  # of a write, which names no file
    said = f"{work}: cannot be written: No space left ({work} keeps what is done: "
    assert str(caught.value).startswith(said)


def test_one_stays_where_something_is_in_it(tmp_path: Path) -> None:
    work = tmp_path / "work"

    def fail(content: str) -> None:
        with work_folder(work):
            work.mkdir(exist_ok=True)
            (work / "a").write_text(content)
            raise FileError("b", "is wrong")

    with pytest.raises(FileError, match=r"^b: is wrong$"):
        fail("")
    assert not work.exists()
    for content in ("done", ""):  # as it was there before, it is not removed
        with pytest.raises(FenjieError, match=r"^b: is wrong"):
            fail(content)
        assert work.exists()
