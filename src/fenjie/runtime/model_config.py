"""The settings of a model: its config.toml, read and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError, FileError, shorten
from fenjie.runtime.linear import BEGINS
from fenjie.text.normalise import Normaliser
from fenjie.text.split import LONGEST_PASSAGE
from fenjie.text.standards import check_standards

FORMAT = 1
"""The version of the layout of a model folder, `format` in its config.toml."""


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number_of_ngrams(value: Any) -> bool:
    return type(value) is int and (value == 0 or (value.bit_count() == 1 and 0 < value <= 1 << 30))


def _are_standards(value: Any) -> bool:
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        return False
    try:
        check_standards(value)
    except FenjieError:
        return False
    return True


def _is_rows(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == len(BEGINS)
        and all(
            type(rows) is int and 0 < rows <= 1 << 30 and rows.bit_count() == 1 for rows in value
        )
    )


def _is_log_odds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < inf


def _are_two_sizes(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(size) is int and 0 < size <= 1 << 20 for size in value)
    )


def _is_passage(value: Any) -> bool:
    return type(value) is int and 0 < value <= LONGEST_PASSAGE


def _are_rows_and_size(value: Any) -> bool:
    return value == [] or (
        isinstance(value, list)
        and len(value) == 3
        and all(type(size) is int and 0 <= size < 1 << 31 for size in value)
    )


_SIZES = "the trained rows, the fixed rows and the size of a table"

_VALUES: tuple[tuple[str, str | None, Callable[[Any], bool], str], ...] = (
    ("text", None, _is_flag, "true or false"),
    ("segment", "atoms", _is_flag, "true or false"),
    ("segment", "doubt", _is_log_odds, "log-odds, 0 or more"),
    ("input", "singles", _is_flag, "true or false"),
    ("input", "ngrams", _is_number_of_ngrams, "0 or a power of two"),
    ("input", "standards", _are_standards, "a list of different names"),
    ("input", "rows", _is_rows, f"{len(BEGINS)} powers of two"),
    ("input", "characters", _are_rows_and_size, _SIZES),
    ("input", "bigrams", _are_rows_and_size, _SIZES),
    ("input", "words", _are_rows_and_size, _SIZES),
    ("input", "components", _are_two_sizes, "two positive numbers"),
    ("input", "passage", _is_passage, f"a number from 1 to {LONGEST_PASSAGE}"),
    ("input", "unit", lambda value: type(value) is float and 0 < value < 1, "a share of one"),
    ("input", "room", lambda value: type(value) is int and value > 0, "a positive number"),
)
"""Tables of config.toml, their keys (None for all), what fits them, and that in words."""


def read_config(path: Path) -> dict[str, Any]:
    """Read a config.toml.

    Raises:
        FileError: it is no TOML, or not that of a model that this version can read.
    """
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"not TOML: {shorten(str(error))}") from error
    if config.get("format") != FORMAT:
        raise FileError(
            path,
            "a model in a form that this version of fenjie cannot read",
            found=f"format = {config.get('format')!r}",
            expected=f"format = {FORMAT}",
        )
    for key in ("name", "task", "architecture"):
        if not isinstance(config.get(key), str):
            raise FileError(path, f"{key!r} is missing", found=config.get(key), expected="a text")
    for key in ("text", "input", "model", "segment"):
        if not isinstance(config.get(key, {}), dict):
            raise FileError(path, f"[{key}] is not a table", found=config[key])
    unknown = sorted(config.get("text", {}).keys() - {field.name for field in fields(Normaliser)})
    if unknown:
        raise FileError(path, f"unknown key in [text]: {shorten(unknown[0])}")
    for table, known, fits, form in _VALUES:
        for own, value in config.get(table, {}).items():
            if known in (own, None) and not fits(value):
                raise FileError(path, f"[{table}] {own}", found=value, expected=form)
    return config
