"""Coloured text for a terminal."""

from __future__ import annotations

import pytest

from fenjie.cli import colors


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert colors.shown("a\tb\x1b[2J\x00\x7f\x9b") == "a\tb␛[2J␀␡\ufffd"
    assert colors.paint("商\x07", "1;32") == "\x1b[1;32m商␇\x1b[0m"


def test_types_have_styles_of_their_own_in_order() -> None:
    styles = colors.styles([f"T{number}" for number in range(13)])
    assert list(styles) == [f"T{number}" for number in range(13)]
    assert len({styles[f"T{number}"] for number in range(12)}) == 12
    assert styles["T12"] == styles["T0"] == f"1;{colors.TYPES[0]}"


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert colors.wanted()
    monkeypatch.setenv("NO_COLOR", "")
    assert not colors.wanted()
