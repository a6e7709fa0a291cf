"""`fenjie scale`: tables by a cluster of Ray."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

import fenjie
from fenjie.cli import scale
from tests.command_line import CommandLine

pytest.importorskip("ray", reason="needs the extra `ray`")
pa = pytest.importorskip("pyarrow", reason="needs the extra `tables`")


@pytest.mark.slow
def test_a_table_becomes_a_folder(ray_cluster: None, tiny_model: Path, tmp_path: Path) -> None:
    from pyarrow import parquet

    cli = CommandLine(tmp_path, "scale")
    table = pa.table({"id": [1, 2], "body": ["商品和服务", None]})
    parquet.write_table(table, tmp_path / "in.parquet")
    own = cli.file("words.txt", "品和 force\n".encode())
    model = ("-m", tiny_model)
    done = cli("segment", "in.parquet", "-o", "out", "--column", "body", "--words", own, *model)
    assert done.returncode == 0, done.stderr  # on a busy machine Ray prints a warning to stdout
    made = parquet.read_table(tmp_path / "out")
    assert made.drop_columns("words").equals(table)
    words = fenjie.load(tiny_model, words=own)("商品和服务").words
    assert "品和" in words
    assert made.column("words").to_pylist() == [words, None]


def test_what_is_missing_is_named_with_the_extra(
    tiny_linear: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    cli = CommandLine(tmp_path, "scale")
    message = cli.fails("segment", "in.parquet", "-o", "out", "-m", tiny_linear)
    assert message.endswith("needs pyarrow, which is not installed: pip install 'fenjie[ray]'")


def test_ray_leaves_the_signal_to_stop_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(*_: object, **__: object) -> None:
        signal.signal(signal.SIGTERM, lambda *_: None)  # as `ray.init` does

    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.init", init)
    monkeypatch.setattr("ray.shutdown", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with scale._cluster(None):
            assert signal.getsignal(signal.SIGTERM) == before
    finally:
        signal.signal(signal.SIGTERM, before)


def test_tables_that_cannot_be_read(tiny_linear: Path, tmp_path: Path) -> None:
    cli = CommandLine(tmp_path, "scale")
    model = ("-m", tiny_linear)
    message = cli.fails("segment", "gone.parquet", "-o", "out", *model)
    assert "gone.parquet: cannot be read: No such file" in message
    cli.file("posts.csv", b"text\n")
    message = cli.fails("segment", "posts.csv", "-o", "out", *model)
    assert "posts.csv: is no table of Parquet; expected a name that ends in .parquet" in message
    cli.file("bad.parquet", b"PAR1 and nothing else")
    message = cli.fails("segment", "bad.parquet", "-o", "out", *model)
    assert "bad.parquet: is no file of Parquet" in message
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": [1], "text": [b"x"]}), tmp_path / "posts.parquet")
    message = cli.fails("segment", "posts.parquet", "-o", "out", "--column", "body", *model)
    assert "posts.parquet: no column 'body'; found 'id', 'text'" in message
    message = cli.fails("segment", "posts.parquet", "-o", "out", *model)
    assert "posts.parquet: column 'text' is binary; found binary; expected string" in message
    parquet.write_table(pa.table({"text": ["x"]}), tmp_path / "posts.parquet")
    (tmp_path / "out").mkdir()
    message = cli.fails("segment", "posts.parquet", "-o", "out", *model)
    assert "out: is there already; expected the name of a new folder" in message
    assert "a model for the task" in cli.fails("tag", "posts.parquet", "-o", "other", *model)
