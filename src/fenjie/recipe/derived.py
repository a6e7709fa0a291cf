"""Recipes with a `base`: they name other files and say only what differs from them."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fenjie.errors import FileError
from fenjie.recipe.named import NAMES, find
from fenjie.recipe.toml import Document, are_tables, dotted, dump, numbered

BASE = "base"
"""The key that names the base, or several: a path from the folder of the file that has it, or a
recipe of the package."""

T = TypeVar("T")


class DerivedDocument(Document):
    """A TOML file over its bases: its keys, and those of the bases that it does not have."""

    def __init__(self, own: Document, bases: Sequence[Document]) -> None:
        """Lay documents over each other, each base over those before it, the file over all.

        Raises:
            FileError: one changes an item that a list below it does not have.
        """
        self.path, self.text, self.own, self.bases = own.path, own.text, own, bases
        self.values = {}
        for document in (*bases, own):
            changes = {name: value for name, value in document.values.items() if name != BASE}
            self.values = self._over(self.values, changes, ())

    def error(self, keys: Sequence[str], message: str, **details: Any) -> FileError:
        """The error that names this file and the line of `keys`, or of the base that has them."""
        owners = (base for base in reversed(self.bases) if _has(base.values, keys))
        if _has(self.own.values, keys) or (base := next(owners, None)) is None:
            return super().error(keys, message, **details)
        of_base = base.error(keys, message, **details)
        return FileError(self.path, f"its base is wrong: {of_base}", line=self.line((BASE,)))

    def _over(
        self, base: dict[str, Any], changes: Mapping[str, Any], keys: tuple[str, ...]
    ) -> dict[str, Any]:
        """A table with changes; tables of an array are changed by their numbers."""
        made = dict(base)
        for name, value in changes.items():
            where = (*keys, name)
            inner: Any = made.get(name)
            if isinstance(value, dict) and isinstance(inner, dict):
                made[name] = self._over(inner, value, where)
            elif isinstance(value, dict) and are_tables(inner):
                self._check_numbers(inner, value, where)
                made[name] = list(self._over(numbered(inner), value, where).values())
            else:
                made[name] = value
        return made

    def _check_numbers(
        self, tables: list[Any], changes: Mapping[str, Any], keys: tuple[str, ...]
    ) -> None:
        """Refuse tables that neither the array below has nor come right behind it."""
        new = [number for number in changes if number not in numbered(tables)]
        for place, number in enumerate(new, len(tables) + 1):
            if number != str(place):
                where = (*keys, number)
                raise self.error(
                    where,
                    f"its base has no [{dotted(where)}]",
                    expected=f"a table {dotted(keys)}.1 to {place}, of which the last is new",
                )


def read(path: Path) -> Document:
    """Read a file and its bases.

    Raises:
        FileError: one of them cannot be read or is not TOML, or a file is its own base.
    """
    found = find(path)
    if not found.exists() and (near := difflib.get_close_matches(str(path), NAMES, n=1)):
        raise FileError(path, f"no such file; did you mean {near[0]}, a recipe of the package?")
    return resolve(Document.read(found))


def read_as(kind: type[T], path: Path) -> T:
    """Read a file and its bases as a dataclass, whose fields are the keys beside `base`.

    Raises:
        FileError: as `read`; or a key is unknown (the message names the line and the nearest known
            key) or missing, or a value is wrong.
    """
    document = read(path)
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    document.check_keys(document.values, (BASE, *known))
    return document.build(kind, document.values)


def self_contained(path: Path) -> bytes:
    """A recipe as a run keeps it: the file as it is, or with its bases what all say together.

    Raises:
        FileError: as `read`.
    """
    document = Document.read(find(path))
    if BASE not in document.values:
        return document.text.encode()
    return dump(resolve(document).values).encode()


def resolve(document: Document) -> Document:
    """Lay a document over the bases that it names; without any it stays as it is.

    Raises:
        FileError: as `read`.
    """
    return _resolve(document, ())


def _resolve(document: Document, above: tuple[Path, ...]) -> Document:
    if BASE not in document.values:
        return document
    value = document.convert(str | tuple[str, ...], document.values[BASE], (BASE,))
    names = (value,) if isinstance(value, str) else value
    return DerivedDocument(document, [_base(document, name, above) for name in names])


def _base(document: Document, name: str, above: tuple[Path, ...]) -> Document:
    """Read a base of a document, which is one of those that `above` reads."""
    path, seen = find(name, document.path.parent), (*above, document.path.resolve())
    if path.resolve() in seen:
        raise document.error((BASE,), "a recipe is its own base", found=name)
    try:
        own = Document.read(path)
    except FileError as error:
        if error.path == path and not path.is_file():
            raise document.error((BASE,), "no such file", found=name) from error
        raise
    return _resolve(own, seen)


def _has(values: Any, keys: Sequence[str]) -> bool:
    """Whether nested tables, and arrays of tables by number, have a key."""
    for key in keys:
        if are_tables(values):
            values = numbered(values)
        if not isinstance(values, dict) or key not in values:
            return False
        values = values[key]
    return True
