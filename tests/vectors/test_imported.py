"""Vectors that others have trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim", reason="needs the extra `train`")

from fenjie.errors import FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.vectors.imported import import_vectors


def test_import_reports_each_line_that_it_skips(tmp_path: Path) -> None:
    characters = tmp_path / "uni.vec"
    characters.write_text("</s> 0 0 0\n北 1 -2 0\n京 x 1 0\n北 5 5 5\n", encoding="utf-8")
    words = tmp_path / "words.vec"
    words.write_text("2 3\n北京 1 2 3\n上海 4 5 6\n", encoding="utf-8")
    skipped: list[str] = []
    output = tmp_path / "vectors"
    tables = import_vectors(
        {"characters": characters, "words": words}, output, lambda one: skipped.append(str(one))
    )
    assert [line.split(": ")[0] for line in skipped] == [f"{characters}:3", f"{characters}:4"]
    assert {name: (len(one), one.dim) for name, one in tables.items()} == {
        "characters": (2, 3),
        "words": (2, 3),
    }
    found = UnitVectors.open(output, "characters")
    assert found.units.names == ["</s>", "北"]
    np.testing.assert_allclose(found(found.rows(["北"])), [[1, -2, 0]], atol=0.02)
    assert not (output / "bigrams.npy").exists()


@pytest.mark.parametrize("text", ["0 0\n", "0 50\n"])
def test_a_file_without_vectors_is_refused(text: str, tmp_path: Path) -> None:
    empty, output = tmp_path / "empty.vec", tmp_path / "vectors"
    empty.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"empty\.vec: holds no vectors$"):
        import_vectors({"words": empty}, output, lambda one: None)
    assert not output.exists()
