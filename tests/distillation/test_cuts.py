"""What a teacher has cut, as the student reads it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fenjie.distillation import cuts
from fenjie.distillation.cuts import BREAK, OPEN, Cuts, cut_of, mixed, reading, teacher_cuts
from fenjie.distillation.distill_recipe import DistillRecipe, TextRecipe
from fenjie.errors import FenjieError
from fenjie.recipe.datasets import DataRecipe
from fenjie.text.normalise import Normaliser


def test_a_code_point_is_read_as_the_normalised_text_has_it() -> None:
    table = reading(Normaliser(width=True, digits=True, latin=True), ["機机", "\U00020000一"])
    assert [chr(table[ord(character)]) for character in "機机Ａb９"] == ["机", "机", "X", "X", "0"]
    assert {int(table[ord(character)]) for character in " \u3000\n\x85"} == {BREAK}


def test_cuts_are_steps_of_log_odds_between_two_breaks() -> None:
    table = reading(Normaliser())
    odds = np.array([np.nan, -20.0, np.inf, 0.5, -0.0625], dtype=np.float32)
    found = cut_of("商品\U0001f600务３", odds, table)
    assert found.codes.tolist() == [BREAK, BREAK, ord("商"), ord("品"), 0xFFFF, ord("务"), ord("3")]
    assert found.odds.tolist() == [OPEN, OPEN, OPEN, -127, 127, 8, -1]
    assert len(Cuts.join([found, found]).codes) == 14


def test_texts_are_mixed_line_by_line(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines = "".join(f"{name}{number:02d}\n\n" for number in range(50))
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")
    (tmp_path / "c.txt").write_text("商品 和 服务\n", encoding="utf-8")
    texts = [
        TextRecipe(str(tmp_path / "a.txt"), 60e-6),
        TextRecipe(str(tmp_path / "b.txt")),
        TextRecipe(str(tmp_path / "c.txt"), annotated=True),
    ]
    lines = mixed(texts, 1)
    assert lines == mixed(texts, 1) != mixed(texts, 2)
    assert sum(line[0] == "a" for line in lines) == 21
    assert sum(line[0] == "b" for line in lines) == 50
    assert "商品和服务" in lines
    (tmp_path / "c.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(FenjieError, match="hold no text"):
        mixed([TextRecipe(str(tmp_path / "c.txt"))], 1)


def test_the_number_of_files_is_known_before_the_teacher_cuts(
    tmp_path: Path, tiny_linear: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuts, "SHARD", 40)
    (tmp_path / "raw.txt").write_text("商品和服务，他说的。\n" * 20, encoding="utf-8")
    texts, data = (TextRecipe(str(tmp_path / "raw.txt")),), DataRecipe(train=("words.txt",))
    recipe = DistillRecipe(texts, data, str(tiny_linear))
    table = reading(Normaliser())
    for _ in range(2):  # the second time they are there already
        count, made = teacher_cuts(recipe, table, tmp_path / "cuts")
        assert count == len(list(made)) == 5
    less = replace(recipe, millions=80e-6)
    assert teacher_cuts(less, table, tmp_path / "less")[0] == 2
