"""Lattices and attention as pictures: lines for a terminal, and SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from rich.cells import cell_len

Words = Sequence[tuple[int, int]]
"""Words by the half-open offsets of their characters."""

Weights = Sequence[Sequence[float]]
"""A row of weights, one for each key, for each query; 0 where a key is not kept."""

JOINT = "─"
SHADES = ("  ", "░░", "▒▒", "▓▓", "██")

SIDE = 22
"""The side of a square in SVG, in pixels."""

FONT = 'font-family="sans-serif" font-size="15"'


def stacked(words: Words) -> list[list[tuple[int, int]]]:
    """Words in as few rows as possible, without overlap within a row."""
    rows: list[list[tuple[int, int]]] = []
    for start, end in sorted(words):
        row = next((row for row in rows if row[-1][1] <= start), [])
        if not row:
            rows.append(row)
        row.append((start, end))
    return rows


def lattice_blocks(characters: Sequence[str], words: Words, columns: int) -> list[list[str]]:
    """The characters in a row, and under them each word in its place: `南─京─市`.

    A text wider than `columns` goes on in further blocks of lines.
    """
    everyone = [(place, place + 1) for place in range(len(characters))]
    rows = [everyone, *stacked(words)]
    blocks = []
    for begin, end in _blocks(characters, columns):
        lines = [_line(characters, row, begin, end) for row in rows]
        blocks.append([lines[0], *(line for line in lines[1:] if line)])
    return blocks


def _blocks(characters: Sequence[str], columns: int) -> Iterator[tuple[int, int]]:
    """Stretches of characters that fit into a line, each with a column after it."""
    begin = used = 0
    for place, character in enumerate(characters):
        room = cell_len(character) + 1
        if used + room > columns and place > begin:
            yield begin, place
            begin, used = place, 0
        used += room
    yield begin, len(characters)


def _line(characters: Sequence[str], row: Words, begin: int, end: int) -> str:
    """The part of a row of words that is in a block, everything else blank."""
    cells = [" " * (cell_len(character) + 1) for character in characters[begin:end]]
    for first, stop in row:
        for place in range(max(first, begin), min(stop, end)):
            joint = JOINT if place + 1 < stop else " "
            cells[place - begin] = characters[place] + joint
    return "".join(cells).rstrip()


def lattice_svg(characters: Sequence[str], words: Words) -> str:
    """The lattice as a picture: characters in a row of boxes, words in boxes below them."""
    rows = stacked(words)
    shapes = [_box(place, 0, 1, text, "#eee") for place, text in enumerate(characters)]
    for number, row in enumerate(rows, 1):
        for start, end in row:
            text = "".join(characters[start:end])
            shapes.append(_box(start, number, end - start, text, "#cde"))
    return _svg(len(characters) * SIDE, (len(rows) + 1) * (SIDE + 4), shapes)


def _box(column: int, row: int, width: int, text: str, color: str) -> str:
    x, y = column * SIDE, row * (SIDE + 4)
    return (
        f'<rect x="{x + 1}" y="{y + 1}" width="{width * SIDE - 2}" height="{SIDE - 2}" rx="4" '
        f'fill="{color}"/>\n{_text(x + width * SIDE / 2, y + SIDE - 6, text, "middle")}'
    )


def attention_lines(queries: Sequence[str], keys: Sequence[str], weights: Weights) -> list[str]:
    """Attention as a table of shades: a row per query, a column per key, the number kept.

    Names of keys are written from top to bottom. Shades show the share of the largest weight.
    """
    high = max(map(len, keys))
    wide = max(map(cell_len, queries))
    head = ["".join(map(_two, row)) for row in zip(*(key.rjust(high) for key in keys), strict=True)]
    top = max((weight for row in weights for weight in row), default=0.0)
    lines = [f"{' ' * wide} {line}" for line in head]
    for query, row in zip(queries, weights, strict=True):
        shades = "".join(SHADES[shade(weight, top)] for weight in row)
        kept = sum(weight > 0 for weight in row)
        lines.append(f"{query}{' ' * (wide - cell_len(query))} {shades} {kept}")
    return [line.rstrip() for line in lines]


def shade(weight: float, top: float) -> int:
    """The index of the shade of a weight: 0 for weight 0, the last one from 3/4 of the top."""
    return 0 if weight <= 0 else min(len(SHADES) - 1, 1 + math.floor(4 * weight / top))


def _two(character: str) -> str:
    """A character in two columns."""
    return character + " " * (2 - cell_len(character))


def attention_svg(queries: Sequence[str], keys: Sequence[str], weights: Weights) -> str:
    """Attention as a picture: a square per pair, the darker the larger its weight."""
    left = SIDE * max(map(len, queries)) + 4
    above = SIDE * max(map(len, keys)) + 4
    shapes = []
    for row, query in enumerate(queries):
        shapes.append(_text(left - 4, above + row * SIDE + SIDE - 6, query, "end"))
    for column, key in enumerate(keys):
        x = left + column * SIDE + SIDE / 2
        for place, character in enumerate(reversed(key)):
            shapes.append(_text(x, above - 8 - place * SIDE, character, "middle"))
    top = max((weight for row in weights for weight in row), default=0.0)
    for row, values in enumerate(weights):
        for column, weight in enumerate(values):
            fill = f'"#036" fill-opacity="{weight / top:.3f}"' if weight > 0 else '"none"'
            shapes.append(
                f'<rect x="{left + column * SIDE}" y="{above + row * SIDE}" width="{SIDE}" '
                f'height="{SIDE}" fill={fill} stroke="#ccc"/>'
            )
    return _svg(left + len(keys) * SIDE, above + len(queries) * SIDE, shapes)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: int, height: int, shapes: Sequence[str]) -> str:
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {FONT}>\n{body}\n</svg>\n'
    )
