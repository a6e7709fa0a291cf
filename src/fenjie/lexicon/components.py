"""The components of characters: 渡 is 水, 广, 廿 and 又."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FileError
from fenjie.files import read_lines
from fenjie.text.vocabulary import RESERVED, Vocabulary


class Components:
    """Which components make up a character.

    Attributes:
        units: all components of the file; a character without any has the unknown one.
        most: the largest number of components of a character.
    """

    def __init__(self, parts: dict[str, tuple[str, ...]]) -> None:
        """Take the components of each character, in their order."""
        self.units = Vocabulary(sorted({part for own in parts.values() for part in own}))
        self.most = max(map(len, parts.values()), default=1)
        self._parts = parts

    @classmethod
    def read(cls, path: Path) -> Components:
        """Read a file with a character a line: itself, a tab, its components with spaces between.

        What follows a second tab, such as other ways to take it apart, is not read; nor are empty
        lines.

        Raises:
            FileError: the file is missing or empty, or a line is of another form or names a
                character again.
        """
        parts: dict[str, tuple[str, ...]] = {}
        for number, line in read_lines(path):
            if not line.strip():
                continue
            character, *rest = line.split("\t")
            own = tuple(rest[0].split()) if rest else ()
            if len(character) != 1 or not own:
                raise FileError(
                    path,
                    "not a character and its components",
                    line=number,
                    found=line,
                    expected="a character, a tab, components with spaces between",
                )
            if character in parts:
                raise FileError(path, "a character is named again", line=number, found=character)
            parts[character] = own
        if not parts:
            raise FileError(path, "no components in it")
        return cls(parts)

    def table(self, characters: Sequence[str]) -> NDArray[np.int64]:
        """The ids of the components of some characters, 0 after the last one.

        Returns:
            `[RESERVED + characters, most]`; the first rows are those of padding and of an unknown
            character, which has the unknown component as has one that is not in the file.
        """
        table = np.zeros((RESERVED + len(characters), self.most), dtype=np.int64)
        for row, character in enumerate(["", "", *characters]):
            own = self.units.ids(self._parts.get(character, (character,)))
            table[row, : len(own)] = own
        return table
