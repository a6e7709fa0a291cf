"""The order in which a bidirectional recurrent network reads a batch."""

from __future__ import annotations

import torch

from fenjie.nn.encoders.recurrent_rows import Rows, by_direction, unordered

# Characters by their number: sentence 0 has 0 and 1, sentence 1 has 2, 3 and 4.
LENGTHS = torch.tensor([2, 3])


def test_rows_stand_by_step_then_direction_the_longest_sentence_first() -> None:
    rows = Rows.of(LENGTHS)
    character, direction = (rows.row // 2).tolist(), (rows.row % 2).tolist()
    assert list(zip(character, direction, strict=True)) == [
        (2, 0), (0, 0), (4, 1), (1, 1),
        (3, 0), (1, 0), (3, 1), (0, 1),
        (4, 0), (2, 1),
    ]  # fmt: skip
    assert rows.rank.tolist() == [1, 0]
    assert [step.live for step in rows.steps] == [2, 2, 1]
    assert [(step.before, step.first, step.stop) for step in rows.steps] == [
        (0, 0, 4), (0, 4, 8), (4, 8, 10),
    ]  # fmt: skip


def test_each_row_knows_the_row_before_it() -> None:
    rows = Rows.of(LENGTHS)
    for at in range(4, len(rows.row)):
        here, before = int(rows.row[at]), int(rows.row[rows.before[at]])
        assert before % 2 == here % 2
        assert before // 2 - here // 2 == (1 if here % 2 else -1)


def test_no_sentence() -> None:
    assert Rows.of(torch.zeros(0, dtype=torch.int64)).steps == []


def test_helpers() -> None:
    order = torch.tensor([2, 0, 1])
    values = torch.arange(6.0).reshape(3, 2)
    assert torch.equal(unordered(values, order)[order], values)
    products = by_direction(values, values, order)
    assert torch.equal(products[0], values[:2].T @ values[:2])
    assert torch.equal(products[1], values[2:].T @ values[2:])
