"""Recipes on dev and on folds of their training file: the folds, the sums, what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks import folds
from fenjie.corpus import write
from fenjie.errors import FenjieError
from fenjie.evaluation.entity_scores import Counts
from fenjie.text.span import Sentence, Span

RECIPE = """\
task = "ner"
architecture = "bilstm_crf"

[data]
train = ["train.jsonl"]
dev = ["dev.jsonl"]
test = ["none.jsonl"]

[model]
hidden = 8

[training]
epochs = 1
sentences = 4
schedule = "constant"
learning_rate = 0.01
"""


def sentences(number: int) -> list[Sentence]:
    return [
        Sentence(f"{i}王在", (Span(len(str(i)), len(str(i)) + 1, "PER"),)) for i in range(number)
    ]


def test_each_sentence_is_scored_once_by_a_model_that_has_not_learnt_it() -> None:
    whole = sentences(11)
    parts = folds.stretches(whole, 3)
    assert [len(dev) for _, dev in parts] == [3, 4, 4]
    assert [one for _, dev in parts for one in dev] == whole
    for train, dev in parts:
        assert [*train, *dev] == sorted([*train, *dev], key=lambda one: one in dev)
        assert {*train, *dev} == set(whole) and not {*train} & {*dev}
    for wrong in (1, 12):
        with pytest.raises(FenjieError, match=f"found {wrong} folds of 11 sentences"):
            folds.stretches(whole, wrong)


def test_counts_are_added() -> None:
    assert folds.together([Counts(3, 2, 1), Counts(5, 6, 4)]) == Counts(8, 8, 5)


@pytest.mark.slow
def test_a_recipe_is_trained_on_each_fold_and_its_scores_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    write(sentences(12), tmp_path / "train.jsonl", "jsonl")
    write(sentences(5), tmp_path / "dev.jsonl", "jsonl")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    row = folds.row_of(path, 2, tmp_path)
    assert [part.gold for part in row["parts"]] == [5, 6, 6]
    kept = sorted(tmp_path.glob("recipe-*.json"))
    assert len(kept) == 3 and all(not (tmp_path / name).exists() for name in ("run", "runs"))
    kept[0].write_text(json.dumps([6, 6, 6]), encoding="utf-8")
    again = folds.row_of(path, 2, tmp_path)
    assert again["parts"].count(Counts(6, 6, 6)) == 1 and again["f1"] >= row["f1"]


def test_recipes_of_words_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text('[data]\ntrain = ["train.txt"]\n', encoding="utf-8")
    with pytest.raises(FenjieError, match="folds are of one training file of named entities"):
        folds.row_of(path, 5, tmp_path)
