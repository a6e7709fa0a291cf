"""The student in PyTorch and the model that runs are one."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.distillation.cuts import OPEN, Cuts, cut_of, reading
from fenjie.distillation.distill_recipe import TableSizes
from fenjie.distillation.student import Student, learn, number_characters
from fenjie.runtime.linear import LEAD, RARE, SPACE, TAIL
from fenjie.text.normalise import Normaliser

TEXT = "商品和服务他说的确实在理"
TABLE = reading(Normaliser())


@pytest.fixture
def cuts() -> Cuts:
    odds = np.full(len(TEXT), -8.0)
    odds[[2, 3, 5, 6, 7, 9, 10]] = 8.0
    odds[0] = np.nan
    return cut_of(TEXT, odds, TABLE)


@pytest.fixture
def student(cuts: Cuts) -> Student:
    return Student(number_characters(TABLE, cuts, 1), TableSizes(bits=(6, 6, 5)))


def test_characters_have_numbers(cuts: Cuts) -> None:
    numbers = number_characters(TABLE, Cuts.join([cuts, cut_of("商", np.array([0.0]), TABLE)]), 1)
    assert numbers[ord("商")] == 2 and numbers[ord("们")] == RARE
    assert {int(numbers[ord(space)]) for space in " \n\u3000"} == {SPACE}
    assert number_characters(TABLE, cuts, 2).max() == RARE


def test_scores_are_those_of_the_model_that_runs(student: Student) -> None:
    torch.manual_seed(0)
    for table in student.tables:
        table.data = torch.randint(-30, 30, table.shape) * student.unit
    model = student.rounded()
    numbers = model.numbers(TEXT)
    found = student(numbers).detach().numpy()
    assert np.array_equal(found, model.scores(numbers) * np.float32(student.unit))


def test_weights_are_bounded(student: Student) -> None:
    student.tables[0].data[:] = 100.0
    assert student.rounded().tables[0].max() == 127


def test_weights_lie_between_two_others(student: Student) -> None:
    before = [torch.full_like(table, 1.0) for table in student.tables]
    for table in student.tables:
        table.data[:] = 3.0
    student.mix(before, 0.25)
    assert all((table == 2.5).all() for table in student.tables)


def test_it_learns_what_it_is_asked(student: Student, cuts: Cuts) -> None:
    seen: list[tuple[int, int]] = []
    numbers = student.characters.take(cuts.codes)
    learn(student, cuts, numbers, 100.0, 9, 0.1, 1, lambda *step: seen.append(step[:2]))
    assert seen[-1] == (200, 200)
    padded = np.pad(numbers, (LEAD, TAIL))
    scores = student.rounded().scores(padded)
    asked = cuts.odds != OPEN
    assert np.array_equal(scores[asked] > 0, cuts.odds[asked] > 0)


def test_a_step_in_which_nothing_is_asked_changes_nothing(student: Student) -> None:
    cuts = cut_of("2003", np.full(4, np.nan), TABLE)
    told: list[float] = []
    before = [table.detach().clone() for table in student.tables]
    learn(
        student,
        cuts,
        student.characters.take(cuts.codes),
        passes=1,
        batch=64,
        rate=0.1,
        seed=1,
        report=lambda step, total, loss: told.append(loss),
    )
    assert told == [0.0]
    assert all(map(torch.equal, before, student.tables))
