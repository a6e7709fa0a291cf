"""What each test sentence adds to a run's score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.reproduce.claims import CLAIMS, by_sentences
from benchmarks.reproduce.published import find_table
from benchmarks.reproduce.records import Records
from benchmarks.reproduce.sentences import counted, packed, unpacked
from fenjie.errors import FileError
from fenjie.recipe.recipe import loads
from fenjie.runtime.folder import SHIPPED

GOLD = (
    "王 B-PER\n明 I-PER\n在 O\n北 B-LOC\n京 I-LOC\n。 O\n\n北 B-PER\n京 I-PER\n很 O\n大 O\n。 O\n"
)


def test_counts_as_text_come_back() -> None:
    counts = np.array([[3, 2, 1], [0, 0, 0], [400, 65_535, 7]])
    assert np.array_equal(unpacked(packed(counts)), counts)


def test_sentences_of_a_model_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "gold.txt"
    file.write_text(GOLD, encoding="utf-8")
    recipe = loads(
        f'task = "ner"\n[data]\ntrain = ["train.txt"]\ntest = ["{file.as_posix()}"]\n',
        "recipe.toml",
    )
    model = SHIPPED / "ner-small"
    counts = counted(model, recipe, 2 * 2 / (3 + 3))
    assert counts.tolist() == [[2, 2, 2], [1, 1, 0]]
    with pytest.raises(FileError, match="has another F1"):
        counted(model, recipe, 0.5)


def test_a_claim_is_resampled_where_all_runs_have_counts() -> None:
    claim = next(claim for claim in CLAIMS if claim.title == "FLAT over BiLSTM-CRF")
    records, table = Records(), find_table(claim.table)
    row = table.rows[claim.row]
    runs = records.runs(row.recipes["weibo"])
    base = records.runs(table.rows[row.baseline or ""].recipes["weibo"])
    for run in (*runs, *base):
        run.pop("sentences", None)
    assert by_sentences(table, claim.row, "weibo", records) is None
    good, bad = np.array([[2, 2, 2]] * 50), np.array([[2, 2, 1], [2, 2, 2]] * 25)
    for run in runs:
        run["sentences"] = packed(good)
    assert by_sentences(table, claim.row, "weibo", records) is None
    for run in base:
        run["sentences"] = packed(bad)
    found = by_sentences(table, claim.row, "weibo", records)
    assert found is not None and 0 < found[0] < 25 < found[1]
