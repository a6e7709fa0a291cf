"""Strict TOML: every mistake is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.recipe.recipe import loads
from fenjie.recipe.toml import Document


@pytest.mark.parametrize(
    "text",
    [
        f"a = 1{'0' * 5000}",
        f"a = {'[' * 5000}",
        f"{'a.' * 20_000}b = 1",
        f"[{'a.' * 20_000}b]",
        f"{'a.' * 500}b = 1",
        'a = "\\Uffffffff"',
    ],
)
def test_odd_toml(text: str) -> None:
    with pytest.raises(FileError, match=r"my.toml:.*not TOML"):
        loads(text, "my.toml")


def test_a_byte_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_bytes(b'\xef\xbb\xbfa = 1\nb = 2\n\xff = "c"\n')
    with pytest.raises(FileError, match=r"my\.toml:3: not UTF-8 text; expected TOML in UTF-8$"):
        Document.read(path)


def test_many_numbers_in_a_line_are_no_long_key() -> None:
    rates = [n / 1000 for n in range(300)]
    document = Document(Path("my.toml"), f"rates = [\n{', '.join(map(str, rates))}\n]")
    assert document.values == {"rates": rates}


def test_a_table_inside_keeps_the_other_defaults_of_its_field() -> None:
    text = """
task = "ner"
architecture = "atssa"
[data]
train = ["a"]
[model.selection]
keep = 0
"""
    selection = loads(text).model.selection
    assert (selection.kind, selection.keep) == ("threshold", 0)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('a = 1\nb = "x"\n', ("b",)),
        ('[t]\na = ["y", "x"]\n', ("t", "a")),
        ('[[t.u]]\na = "y"\n[[t.u]]\nb = ["x"]\n', ("t", "u", "2", "b")),
        ('a = "y"\n[t]\nb = { x = "y" }\n', ("t", "b", "x")),
        ('a = "xy"\nb = [["x"], []]\n', None),
    ],
)
def test_the_place_of_a_text(text: str, keys: tuple[str, ...] | None) -> None:
    assert Document(Path("a.toml"), text).place("x") == keys
