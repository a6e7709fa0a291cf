"""Recipes with a `base`: they name another file and say only what differs from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fenjie.errors import FileError
from fenjie.recipe.toml import Document, dump

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

    def _over(self, base: Any, changes: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
        """A table of the base, or a list of tables, with changes."""
        if isinstance(base, list):
            return self._items_over(base, changes, keys)
        made = dict(base)
        for name, value in changes.items():
            inner = made.get(name)
            if isinstance(value, dict) and (isinstance(inner, dict) or _are_tables(inner)):
                value = self._over(inner, value, (*keys, name))
            made[name] = value
        return made

    def _items_over(
        self, base: list[Any], changes: Mapping[str, Any], keys: tuple[str, ...]
    ) -> list[Any]:
        """A list of tables in which some are changed, by their numbers from 1."""
        made = list(base)
        for number, change in changes.items():
            where = (*keys, number)
            if number not in map(str, range(1, len(base) + 1)) or not isinstance(change, dict):
                raise self.error(
                    where,
                    f"[{'.'.join(where)}] changes nothing of {self.base.path}",
                    expected=f"a table {'.'.join(keys)}.1 to {len(base)}",
                )
            made[int(number) - 1] = self._over(base[int(number) - 1], change, where)
        return made


def read(path: Path) -> Document:
    """Read a file and its base.

    Raises:
        FileError: one of them cannot be read or is not TOML, or a file is its own base.
    """
    return resolve(Document.read(path))


def whole(path: Path) -> bytes:
    """A recipe as a run keeps it: the file as it is, or with its base what both say together.

    Raises:
        FileError: as `read`.
    """
    document = Document.read(path)
    if BASE not in document.values:
        return path.read_bytes()
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
    """Whether nested tables, and lists of tables by number, have a key."""
    for key in keys:
        if _are_tables(values):
            values = dict(enumerate(values, 1)).get(int(key) if key.isdecimal() else 0)
        elif isinstance(values, dict) and key in values:
            values = values[key]
        else:
            return False
        if values is None:
            return False
    return True


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)
