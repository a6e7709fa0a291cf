"""Strict TOML: tables become frozen dataclasses, and every mistake is named with its line."""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
import sys
import tomllib
import types
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from fenjie.errors import FenjieError, FileError

T = TypeVar("T")

_LONG_KEY = re.compile(r"^[^=#\"'\n,]*?(?:\.[^=#\"'\n.,]*){200}", re.MULTILINE)
"""A key that tomllib would take seconds to read: time grows with the square of the parts."""


class Document:
    """A TOML file, its values and where each key stands."""

    def __init__(self, path: Path, text: str) -> None:
        """Parse the text; raise a FileError where it is not TOML."""
        self.path = path
        self.text = text
        if long := _LONG_KEY.search(text):
            at = text.count("\n", 0, long.start()) + 1
            raise FileError(path, "not TOML: a key of too many parts", line=at)
        try:
            self.values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message, line = str(error), None
            if match := re.search(r" \(at line (\d+), column \d+\)$", message):
                message, line = message[: match.start()], int(match[1])
            elif message.endswith(end := " (at end of document)"):
                message, line = message.removesuffix(end), text.removesuffix("\n").count("\n") + 1
            raise FileError(path, f"not TOML: {message}", line=line) from error
        except (ValueError, OverflowError, RecursionError) as error:
            raise FileError(path, f"not TOML: {error}") from error

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file.

        Raises:
            FileError: it cannot be read, or is not TOML in UTF-8.
        """
        try:
            return cls(path, path.read_bytes().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise FileError(path, "not UTF-8 text", line=line, expected="TOML in UTF-8") from error
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror or error}") from error

    def line(self, keys: Sequence[str]) -> int | None:
        """The line of a key (`("training", "seed")`) or a table, counted from 1.

        The items of an array of tables are keys too, counted from 1: `("data", "corpora", "2")`.
        Of a table without a header it is the line of the first one inside of it.
        """
        wanted, table, found = list(keys), list[str](), None
        items: Counter[tuple[str, ...]] = Counter()  # of each array of tables, so far
        for number, line in enumerate(self.text.split("\n"), 1):
            if header := re.match(r"\s*(\[{1,2})\s*([^\[\]]+?)\s*\]", line):
                table = _parts(header[2])
                if header[1] == "[[":
                    items[tuple(table)] += 1
                for array, count in items.items():
                    if tuple(table[: len(array)]) == array:
                        table.insert(len(array), str(count))
                if table == wanted:
                    return number
                if wanted[: len(table)] == table or (
                    wanted and found is None and wanted == table[: len(wanted)]
                ):
                    found = number
            elif (pair := re.match(r"\s*([\w\-.\"' ]+?)\s*=", line)) and (
                wanted[: len(key := table + _parts(pair[1]))] == key
            ):
                return number
        return found

    def place(self, text: str) -> tuple[str, ...] | None:
        """The keys of the first key, value or list that is or has this text; None without one."""
        return _place(self.values, text)

    def error(self, keys: Sequence[str], message: str, **details: Any) -> FileError:
        """The error that names this file and the line of `keys`."""
        return FileError(self.path, message, line=self.line(keys), **details)

    def build(self, kind: type[T], values: Mapping[str, Any], keys: tuple[str, ...] = ()) -> T:
        """Make a dataclass of a table; keys and types must fit exactly.

        Args:
            kind: the dataclass; a key of the table is a field of it. A table inside of it that
                names some keys leaves the others as they are in the field's default.
            values: the table.
            keys: where the table stands in the file.

        Raises:
            FileError: a key is unknown or missing, a value is of a wrong type, or the dataclass
                itself refuses the values.
        """
        values = self._without_removed(kind, values, keys)
        hints = get_type_hints(kind, include_extras=True)
        fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
        self.check_keys(values, list(fields), keys)
        made = {
            name: self.convert(hints[name], _over(fields[name], value), (*keys, name))
            for name, value in values.items()
        }
        for name, field in fields.items():
            if (
                name not in values
                and field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
            ):
                raise self.error(keys, f"the key {dotted((*keys, name))} is missing")
        try:
            return kind(**made)
        except FileError:
            raise
        except FenjieError as error:
            first = str(error).partition(" ")[0]  # often the name of the key
            where = (*keys, first) if first in values else keys
            raise self.error(where, str(error)) from error

    def _without_removed(
        self, kind: type, values: Mapping[str, Any], keys: tuple[str, ...]
    ) -> Mapping[str, Any]:
        """A table without the settings that its dataclass once had.

        Its class variable `REMOVED` has their names, and the defaults that now always hold: a
        FileError says that such a setting has another value.
        """
        removed: Mapping[str, Any] = getattr(kind, "REMOVED", {})
        for name in values.keys() & removed.keys():
            if values[name] != removed[name]:
                raise self.error(
                    (*keys, name),
                    f"the setting {dotted((*keys, name))} was removed",
                    found=values[name],
                    expected=f"{json.dumps(removed[name])}, or no such key",
                )
        return {name: value for name, value in values.items() if name not in removed}

    def check_keys(
        self, values: Mapping[str, Any], known: Sequence[str], keys: tuple[str, ...] = ()
    ) -> None:
        """Refuse a key that is not known, and suggest one that is near, or name all.

        Raises:
            FileError: there is such a key.
        """
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                others = f"known are {', '.join(known)}" if known else "no keys are known here"
                hint = f"did you mean {near[0]}?" if near else others
                where = f" in [{dotted(keys)}]" if keys else ""
                raise self.error((*keys, name), f"unknown key {name}{where}; {hint}")

    def convert(self, kind: Any, value: Any, keys: tuple[str, ...]) -> Any:
        """The value as `kind`, an annotation of a dataclass field.

        Raises:
            FileError: the value is of another type.
        """
        if dataclasses.is_dataclass(kind) and isinstance(value, dict):
            return self.build(kind, value, keys)  # type: ignore[arg-type]
        item = next(iter(get_args(kind)), None)
        if get_origin(kind) is tuple and dataclasses.is_dataclass(item) and are_tables(value):
            return tuple(
                self.build(item, table, (*keys, number))  # type: ignore[arg-type]
                for number, table in numbered(value).items()
            )
        fits, made = _convert(kind, value)
        if not fits:
            raise self.error(
                keys,
                f"{dotted(keys)} has a wrong type or value",
                found=value,
                expected=describe(kind),
            )
        return made


def are_tables(value: Any) -> bool:
    """Whether a value is an array of tables, or an empty one."""
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def numbered(tables: Sequence[T]) -> dict[str, T]:
    """The tables of an array by their keys in messages and recipes, numbers from 1."""
    return {str(number): table for number, table in enumerate(tables, 1)}


def _over(field: dataclasses.Field[Any], value: Any) -> Any:
    """A table with the values of a field's default for the keys that it lacks."""
    factory = field.default_factory
    default = field.default if factory is dataclasses.MISSING else factory()
    if not (isinstance(value, dict) and dataclasses.is_dataclass(default)):
        return value
    return _toml(dataclasses.asdict(default)) | value  # type: ignore[arg-type]


def _toml(values: dict[str, Any]) -> dict[str, Any]:
    """The values of a dataclass as TOML has them: lists for tuples, no key for None."""
    kept = {name: value for name, value in values.items() if value is not None}
    return {n: list(value) if isinstance(value, tuple) else value for n, value in kept.items()}


def _convert(kind: Any, value: Any) -> tuple[bool, Any]:
    """Whether the value fits, and the value as the dataclass wants it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        for part in arguments:
            fits, made = _convert(part, value)
            if fits:
                return True, made
        return False, None
    if origin is Annotated:
        fits, made = _convert(arguments[0], value)
        return fits and all(made in part for part in arguments[1:]), made
    if origin is Literal:
        return any(value == choice and type(value) is type(choice) for choice in arguments), value
    if origin is tuple:
        if not isinstance(value, list):
            return False, None
        many = len(arguments) == 2 and arguments[1] is Ellipsis
        if not many and len(value) != len(arguments):
            return False, None
        kinds = [arguments[0]] * len(value) if many else list(arguments)
        parts = [_convert(part, item) for part, item in zip(kinds, value, strict=True)]
        return all(fits for fits, _ in parts), tuple(made for _, made in parts)
    if origin is dict:
        fits = isinstance(value, dict) and all(
            type(item) is arguments[1] for item in value.values()
        )
        return fits, value
    if kind is float and type(value) in (int, float):
        fits = abs(value) <= sys.float_info.max  # neither NaN nor infinite, nor too long an integer
        return fits, float(value) if fits else value
    return type(value) is kind, value


def describe(kind: Any) -> str:
    """An annotation in words, for messages."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(describe(part) for part in arguments if part is not type(None))
    if origin is Annotated:
        return " ".join([describe(arguments[0]), *map(str, arguments[1:])])
    if origin is Literal:
        return " or ".join(json.dumps(choice) for choice in arguments)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return f"a list of which each item is {describe(arguments[0])}"
        return f"a list of {len(arguments)}: {', '.join(map(describe, arguments))}"
    if origin is dict:
        return f"a table of which each value is {describe(arguments[1])}"
    if dataclasses.is_dataclass(kind):
        return "a table"
    names = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}
    return names.get(kind, str(kind))


def dotted(keys: Sequence[str]) -> str:
    """The name of a key with its tables, as TOML writes it."""
    return ".".join(map(_key, keys))


def _place(value: Any, text: str) -> tuple[str, ...] | None:
    if value == text or (isinstance(value, list) and text in value):
        return ()
    items: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif are_tables(value):
        items = numbered(value).items()
    for key, inner in items:
        if (keys := () if key == text else _place(inner, text)) is not None:
            return (key, *keys)
    return None


def _parts(name: str) -> list[str]:
    return [part.strip().strip("\"'") for part in name.split(".")]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def dump(tables: Mapping[str, Any]) -> str:
    """Write nested mappings as TOML; a key that holds None is left out."""
    return "\n".join(_lines(tables, ())).lstrip("\n") + "\n"


def _lines(values: Mapping[str, Any], keys: tuple[str, ...], header: str = "[{}]") -> list[str]:
    inner = {name: value for name, value in values.items() if _is_inner(value)}
    plain = {k: v for k, v in values.items() if k not in inner and v is not None}
    shown = plain or not values or header != "[{}]"
    lines = [f"\n{header.format(dotted(keys))}"] if keys and shown else []
    lines += [f"{_key(name)} = {_value(value)}" for name, value in plain.items()]
    for name, value in inner.items():
        if isinstance(value, Mapping):
            lines += _lines(value, (*keys, name))
        else:
            for item in value:
                lines += _lines(item, (*keys, name), "[[{}]]")
    return lines


def _is_inner(value: Any) -> bool:
    """Whether a value is a table or an array of tables."""
    items = value if isinstance(value, list | tuple) and value else [value]
    return all(isinstance(item, Mapping) for item in items)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"cannot be written as TOML: {value!r}")
