"""The journal of a search: draws that follow from seed and number, ends of lines, lost trials."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("optuna", reason="needs the extra `search`")
pytest.importorskip("filelock", reason="needs the extra `train`")

from fenjie.errors import FileError
from fenjie.tuning.space import Between, Space
from fenjie.tuning.study import JOURNAL, Journal

CHOICES = {
    "model.heads": (4, 8, 12),
    "model.dropout": Between(0.0, 0.9),
    "model.layers": Between(1, 6, whole=True),
    "training.learning_rate": Between(1e-6, 1.0, log=True),
}


def space(**settings: object) -> Space:
    return Space(**{"trials": 6, "choices": CHOICES, **settings})


def drawn(journal: Journal) -> list[dict[str, object]]:
    while journal.ask() is not None:
        pass
    return [dict(trial.params) for trial in journal.trials]


def test_draws_are_the_same_whoever_asks(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    alone = drawn(Journal(tmp_path / "a", space()))
    assert len(alone) == 6 and len({str(one) for one in alone}) == 6
    assert all(type(one["model.layers"]) is int for one in alone)
    assert sum(one["training.learning_rate"] < 1e-3 for one in alone) in (2, 3, 4)
    first, second = (Journal(tmp_path / "b", space()) for _ in range(2))
    for asking in (first, second, second, first, second, first):
        assert asking.ask() is not None
    assert first.ask() is None and second.ask() is None
    assert [dict(trial.params) for trial in first.trials] == alone
    assert drawn(Journal(tmp_path / "c", space(seed=2))) != alone


def test_of_equally_good_trials_the_first_is_the_best(tmp_path: Path) -> None:
    journal = Journal(tmp_path, space())
    for value in (0.4, 0.5, 0.5):
        journal.study.tell(journal.ask().number, value)
    assert journal.best.number == 1


@pytest.mark.parametrize("method", ["random", "tpe"])
def test_what_was_not_ended_is_found_again(tmp_path: Path, method: str) -> None:
    journal = Journal(tmp_path, space(method=method))
    one, other = journal.ask(), journal.ask()
    journal.study.tell(one.number, 0.5)
    again = Journal(tmp_path, space(method=method))
    assert again.abandoned() == [1]
    found = again.again(1)
    assert again.draw(found) == dict(other.params)
    found.report(0.4, 0)
    again.study.tell(1, 0.7)
    assert journal.again(1) is None and not again.abandoned()
    assert journal.best.number == 1
    assert Journal(tmp_path, space(trials=2)).ask() is None
    assert len(drawn(Journal(tmp_path, space(method=method, trials=14)))) == 14


def test_a_line_that_was_cut(tmp_path: Path) -> None:
    journal = Journal(tmp_path, space())
    journal.ask()
    path = tmp_path / JOURNAL
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines()[-1][:9])
    again = Journal(tmp_path, space())
    assert path.read_bytes().startswith(whole)
    assert all(line.startswith(b"{") for line in path.read_bytes().splitlines())
    assert again.ask().number == 1
    assert len(Journal(tmp_path, space()).trials) == 2


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    for text in ("not a journal\nat all\n", "3\n", "[]\n", "{}\n", "null\n"):
        (tmp_path / JOURNAL).write_text(text)
        with pytest.raises(FileError, match="is no journal of a search"):
            Journal(tmp_path, space())
