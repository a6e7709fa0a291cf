"""The journal of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.scale.journal import NAME, Journal

CONDITIONS = {"model": "ner 12", "--format": "jsonl"}


def test_the_last_whole_line_is_the_state(tmp_path: Path) -> None:
    journal = Journal(tmp_path, CONDITIONS)
    assert journal.state is None
    assert Journal(tmp_path, CONDITIONS).state is None
    journal.note([[0, 10, 2], 5, False])
    journal.note([[0, 20, 3], 9, False])
    assert Journal(tmp_path, CONDITIONS).state == [[0, 20, 3], 9, False]
    whole = (tmp_path / NAME).read_bytes()
    for size in range(whole.index(b"\n") + 1, len(whole)):
        (tmp_path / NAME).write_bytes(whole[:size])
        journal = Journal(tmp_path, CONDITIONS)
        assert journal.state in (None, [[0, 10, 2], 5, False])
        journal.note("next")
        assert Journal(tmp_path, CONDITIONS).state == "next"
    (tmp_path / NAME).write_bytes(whole[:5])
    assert Journal(tmp_path, CONDITIONS).state is None


def test_other_conditions_are_named(tmp_path: Path) -> None:
    Journal(tmp_path, CONDITIONS)
    message = r"begun with model ner 12 \(now ner 13\) and --words none \(now a.txt\); without this"
    with pytest.raises(FenjieError, match=message):
        Journal(tmp_path, {**CONDITIONS, "model": "ner 13", "--words": "a.txt"})


@pytest.mark.parametrize("content", [b"{\n", b"\xff\n", b"[1\n2\n"])
def test_a_damaged_journal(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(FileError, match="is damaged; expected to be removed"):
        Journal(tmp_path, CONDITIONS)
