"""Where output goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fenjie.scale.outputs import whole_file


def test_an_output_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with pytest.raises(RuntimeError), whole_file(path) as output:
        output.write(b"half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())
    with whole_file(path) as output:
        output.write(b"whole")
        output.done(1)
    assert path.read_bytes() == b"whole"


def doubled(written: Path, made: Path) -> None:
    """Makes a file, which it opens before it reads the other one."""
    with open(made, "wb") as file:
        file.write(2 * written.read_bytes())


@pytest.mark.parametrize("name", ["out", "written"])
def test_a_file_made_of_another_one(tmp_path: Path, name: str) -> None:
    with whole_file(tmp_path / name, doubled) as output:
        output.write(b"ab")
    assert (tmp_path / name).read_bytes() == b"abab"
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(os.name == "nt", reason="named pipes are of POSIX")
def test_what_stands_beside_a_pipe_stays(tmp_path: Path) -> None:
    pipe, beside = tmp_path / "out", tmp_path / "written"
    os.mkfifo(pipe)
    beside.write_bytes(b"mine")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe, doubled) as output:
            output.write(b"ab")
        assert os.read(reader, 99) == b"abab"
    finally:
        os.close(reader)
    assert beside.read_bytes() == b"mine"
    assert {file.name for file in tmp_path.iterdir()} == {"out", "written"}
