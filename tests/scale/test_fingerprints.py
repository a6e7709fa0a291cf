"""Fingerprints of inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.scale.fingerprints import check_unchanged, fingerprint, fingerprints, written


def test_content_makes_the_fingerprint(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a")
    two.write_bytes(b"b")
    found = fingerprints([str(one), str(two)])
    assert found["input 1"] == "one of 1 bytes, SHA-256 ca978112ca1bbdcafac231b39a23dc4d"
    assert fingerprint(one) != fingerprint(two)


@pytest.mark.parametrize("path", ["-", "/dev/null", "nowhere"])
def test_what_cannot_be_read_again(path: str) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        fingerprint(path)


def test_a_file_that_changes_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"a")
    files = [str(path), str(tmp_path / "none")]
    before = written(files)
    check_unchanged(files, before)
    path.write_bytes(b"ab")
    with pytest.raises(FileError, match="one: was changed while it was read"):
        check_unchanged(files, before)
