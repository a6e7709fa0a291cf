"""Line plots as SVG files, both axes logarithmic: no library is needed, and text stays text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from fenjie.files import atomic

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 80, 150, 44, 56
"""The margins; names of series stand in the right one."""

COLORS = ("#1f6fb2", "#d1495b", "#2e8b57", "#8e5ea2", "#b8860b", "#555555")


def plot(
    path: Path,
    series: Mapping[str, Sequence[tuple[float, float]]],
    x_label: str,
    y_label: str,
    title: str,
) -> None:
    """Draw one line for each series.

    Args:
        path: the file, which is written whole or not at all.
        series: points by the name of their series; all numbers are above 0.
        x_label: the name of the horizontal axis.
        y_label: the name of the vertical axis.
        title: the title.
    """
    points = [point for line in series.values() for point in line]
    across = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [_text(LEFT, 24, title, size=15)]
    for value in across.ticks():
        x = across(value)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, _number(value), anchor="middle"))
    for value in up.ticks():
        y = up(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 8, y + 4, _number(value), anchor="end"))
    parts.append(
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="#333" fill="none"/>'
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - 14, x_label, anchor="middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<g transform="rotate(-90 18 {middle})">{_text(18, middle, y_label, anchor="middle")}</g>'
    )
    for number, (name, line) in enumerate(series.items()):
        color, drawn = COLORS[number % len(COLORS)], [(across(x), up(y)) for x, y in line]
        joined = "L".join(f"{x:.1f} {y:.1f}" for x, y in drawn)
        parts.append(f'<path d="M{joined}" stroke="{color}" stroke-width="2" fill="none"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in drawn]
        parts.append(_text(drawn[-1][0] + 8, drawn[-1][1] + 4, name, color=color))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif">'
    )
    background = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    with atomic(path) as file:
        file.write_text("\n".join([head, background, *parts, "</svg>", ""]), encoding="utf-8")


class _Axis:
    """A logarithmic axis: from a value to its place in the picture."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self._low, self._high = min(values), max(values)
        if self._low == self._high:
            self._low, self._high = self._low / 2, self._high * 2
        self._first, self._last = first, last

    def __call__(self, value: float) -> float:
        share = math.log(value / self._low) / math.log(self._high / self._low)
        return self._first + share * (self._last - self._first)

    def ticks(self) -> list[float]:
        """Round values, at most nine: powers of ten, or of two where they are few."""
        for base in (2, 4, 10, 100, 10_000):
            first = math.ceil(math.log(self._low, base) - 1e-9)
            last = math.floor(math.log(self._high, base) + 1e-9)
            if last - first < 9:
                return [float(base) ** power for power in range(first, last + 1)]
        raise ValueError(f"too wide for a picture: {self._low} to {self._high}")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, color: str = "#333"
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="{size}" fill="{color}">{escape(text)}</text>'
