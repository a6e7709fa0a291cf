"""Names of standards."""

from __future__ import annotations

import pytest

from fenjie.errors import FenjieError
from fenjie.text.standards import MOST, check_standards


def test_names_that_hold() -> None:
    check_standards([])
    check_standards(["pku", "msr", "my-own_2.0", "法律"])
    check_standards([f"s{number}" for number in range(MOST)])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([""], "standard '' is no name of a standard"),
        (["a b"], "standard 'a b' is no name"),
        (["pku", "msr", "pku"], "standard 'pku' is named twice"),
        ([f"s{number}" for number in range(MOST + 1)], "found 33 of them; expected at most 32"),
    ],
)
def test_names_that_do_not(names: list[str], message: str) -> None:
    with pytest.raises(FenjieError, match=message):
        check_standards(names)
