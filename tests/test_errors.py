"""Error messages are one short line."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from fenjie import files
from fenjie.errors import FenjieError, FileError, first_line, in_one_line, several, shorten


def test_messages_are_one_short_line() -> None:
    error = FileError("f", "wrong", line=3, found="x\ny\ud800" * 99, expected="right")
    assert str(error).startswith("f:3: wrong; found 'x\\ny\\ud800")
    assert str(error).endswith("…; expected right")
    assert "\n" not in str(error)
    assert str(error).encode()
    assert len(shorten("a" * 1000)) == 60
    assert shorten(np.array([["a"], ["b"]])) == "array([['a'],        ['b']], dtype='<U1')"
    assert files.BYTE_ORDER_MARK == "\ufeff"


def test_messages_of_other_libraries() -> None:
    error = RuntimeError("\n \nno such\tfile  here\nat 0x1")
    assert first_line(error) == "no such file here"
    assert in_one_line(error) == "no such file here at 0x1"
    assert first_line(RuntimeError(" ")) == "RuntimeError"
    assert len(first_line(RuntimeError("a" * 1000))) == len(in_one_line(RuntimeError("a" * 1000)))


@pytest.mark.parametrize("values", ["王小明", b"ab", None, 5])
def test_one_text_is_not_several(values: object) -> None:
    with pytest.raises(FenjieError, match="expected words, such as a list of them"):
        several(values, "words")
    assert several(["王小明"]) == ["王小明"]


@pytest.mark.parametrize("shape", [(), (2, 2)])
def test_a_table_is_no_column(shape: tuple[int, ...]) -> None:
    table = np.full(shape, "王小明")
    with pytest.raises(FenjieError, match=f"ndarray of {len(shape)} dimensions; expected texts"):
        several(table)
    assert len(several(table.ravel())) == table.size


@pytest.mark.parametrize("name", ["sklearn", "spacy"])
def test_a_missing_tool_is_named_with_its_extra(name: str) -> None:
    use = f"import sys; sys.modules[{name!r}] = None; import fenjie.integrations.{name}"
    done = subprocess.run([sys.executable, "-c", use], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert f"fenjie.integrations.{name} needs {name}" in last
    assert last.endswith(f", which is not installed: pip install 'fenjie[{name}]'")
