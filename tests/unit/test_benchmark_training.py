"""The table of training runs keeps the runs that it has."""

from __future__ import annotations

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.training import Rows, add


def test_runs_are_merged_by_recipe_and_seed() -> None:
    rows: Rows = {"a": [{"seed": 1, "f1": 0.1}, {"seed": 3, "f1": 0.3}], "b": [{"seed": 1}]}
    add(rows, "a", {"seed": 2, "f1": 0.2})
    add(rows, "a", {"seed": 3, "f1": 0.4})
    add(rows, "c", {"seed": 1})
    assert [(run["seed"], run["f1"]) for run in rows["a"]] == [(1, 0.1), (2, 0.2), (3, 0.4)]
    assert rows["b"] == rows["c"] == [{"seed": 1}]
