"""The text of a run is made once, and anew where it would be another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.lexicon.arrays import save_array
from fenjie.pretraining import preparation
from fenjie.pretraining.preparation import TEXT, checksums, packed_text
from fenjie.pretraining.settings import PretrainRecipe


def test_a_text_of_another_encoding_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("中国人民\n" * 9, encoding="utf-8")
    recipe = PretrainRecipe((str(tmp_path / "text"),), encoding="gb18030")
    run, made = tmp_path / "run", list[str]()
    run.mkdir()

    def saving(path: Path, ids: NDArray[Any]) -> None:
        made.append(path.name)
        save_array(path, ids)

    monkeypatch.setattr(preparation, "save_array", saving)
    wrong = packed_text(recipe, checksums(recipe), run)
    right = replace(recipe, encoding="utf-8")
    for _ in range(2):
        found = packed_text(right, checksums(right), run)
        assert set(found.characters) == set("中国人民") != set(wrong.characters)
        assert len(found.ids) == 9 * 5
    assert made == [TEXT, TEXT]
