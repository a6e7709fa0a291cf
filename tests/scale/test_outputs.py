"""Where output goes."""

from __future__ import annotations

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
