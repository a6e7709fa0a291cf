"""Recipes with a `base`: they name another file and say only what differs from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fenjie.errors import FileError
from fenjie.recipe.toml import Document, are_tables, dotted, dump, numbered

BASE = "base"
"""The key that names the base, a path from the folder of the file that has it."""


class DerivedDocument(Document):
    """A TOML file over its base: keys of the file, and those of the base that it does not have."""

    def __init__(self, own: Document, base: Document) -> None:
        """Lay one document over another.

        Raises:
            FileError: it changes an item that a list of the base does not have.
        """
        self.path, self.text, self.own, self.base = own.path, own.text, own.values, base
        changes = {name: value for name, value in own.values.items() if name != BASE}
        self.values = self._over(base.values, changes, ())

    def error(self, keys: Sequence[str], message: str, **details: Any) -> FileError:
        """The error that names this file and the line of `keys`, or of the base that has them."""
        if _has(self.own, keys) or not _has(self.base.values, keys):
            return super().error(keys, message, **details)
        of_base = self.base.error(keys, message, **details)
        return FileError(self.path, f"its base is wrong: {of_base}", line=self.line((BASE,)))

    def _over(
        self, base: dict[str, Any], changes: Mapping[str, Any], keys: tuple[str, ...]
    ) -> dict[str, Any]:
        """A table of the base with changes; tables of an array are changed by their numbers."""
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
        """Refuse changes of tables that the array of the base does not have."""
        known = numbered(tables)
        for number in (number for number in changes if number not in known):
            where = (*keys, number)
            raise self.error(
                where,
                f"[{dotted(where)}] changes nothing of {self.base.path}",
                expected=f"a table {dotted(keys)}.1 to {len(tables)}",
            )


def read(path: Path) -> Document:
    """Read a file and its base.

    Raises:
        FileError: one of them cannot be read or is not TOML, or a file is its own base.
    """
    return resolve(Document.read(path))


def self_contained(path: Path) -> bytes:
    """A recipe as a run keeps it: the file as it is, or with its base what both say together.

    Raises:
        FileError: as `read`.
    """
    document = Document.read(path)
    if BASE not in document.values:
        return document.text.encode()
    return dump(resolve(document).values).encode()


def resolve(document: Document) -> Document:
    """Lay a document over the base that it names; without one it stays as it is.

    Raises:
        FileError: as `read`.
    """
    return _resolve(document, ())


def _resolve(document: Document, above: tuple[Path, ...]) -> Document:
    if BASE not in document.values:
        return document
    name = document.convert(str, document.values[BASE], (BASE,))
    path, seen = document.path.parent / name, (*above, document.path.resolve())
    if path.resolve() in seen:
        raise document.error((BASE,), "a recipe is its own base", found=name)
    try:
        own = Document.read(path)
    except FileError as error:
        if error.path == path and not path.is_file():
            raise document.error((BASE,), "no such file", found=name) from error
        raise
    return DerivedDocument(document, _resolve(own, seen))


def _has(values: Any, keys: Sequence[str]) -> bool:
    """Whether nested tables, and arrays of tables by number, have a key."""
    for key in keys:
        if are_tables(values):
            values = numbered(values)
        if not isinstance(values, dict) or key not in values:
            return False
        values = values[key]
    return True
