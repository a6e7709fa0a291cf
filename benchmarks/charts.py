"""Charts as SVG files by matplotlib: bars, lines and points, the same bytes for the same numbers.

Letters stay text, so that a page can search them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from fenjie.files import atomic

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "fenjie",
    "svg.fonttype": "none",
    "font.size": 10,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
}
COLORS = ("#1f6fb2", "#d1495b", "#2e8b57", "#8e5ea2", "#b8860b", "#555555")

Points = Sequence[tuple[float, float]]


def bars(path: Path, groups: Mapping[str, Mapping[str, float]], label: str, title: str) -> None:
    """Draw a group of bars for each system.

    Args:
        path: the file, which is written whole or not at all.
        groups: values by the name of the system and of the bar.
        label: of the values.
        title: of the chart.
    """
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    width = 0.8 / len(names)
    with mpl.rc_context(SETTINGS):
        _, axes = plt.subplots(figsize=(7, 3.6))
        for index, name in enumerate(names):
            places = [place + width * index for place, g in enumerate(groups.values()) if name in g]
            values = [group[name] for group in groups.values() if name in group]
            drawn = axes.bar(places, values, width, label=name, color=COLORS[index])
            axes.bar_label(drawn, fmt="%.2g", fontsize=8)
        axes.set_xticks([place + width * (len(names) - 1) / 2 for place in range(len(groups))])
        axes.set_xticklabels(list(groups))
        _finish(axes, path, "", label, title)


def lines(path: Path, series: Mapping[str, Points], labels: tuple[str, str], title: str) -> None:
    """Draw a line for each series.

    Args:
        path: the file, which is written whole or not at all.
        series: points by the name of their series.
        labels: of the axes.
        title: of the chart.
    """
    with mpl.rc_context(SETTINGS):
        _, axes = plt.subplots(figsize=(7, 3.6))
        for index, (name, points) in enumerate(series.items()):
            x, y = zip(*points, strict=True)
            marker = "o" if len(points) < 25 else ""
            axes.plot(x, y, marker=marker, label=name, color=COLORS[index % len(COLORS)])
        _finish(axes, path, *labels, title)


def scatter(
    path: Path,
    points: Mapping[str, tuple[float, float]],
    labels: tuple[str, str],
    title: str,
    marked: Set[str] = frozenset(),
) -> None:
    """Draw named points; the axis across is logarithmic.

    Args:
        path: the file, which is written whole or not at all.
        points: a point by its name.
        labels: of the axes.
        title: of the chart.
        marked: the names of the points that stand out.
    """
    with mpl.rc_context(SETTINGS):
        _, axes = plt.subplots(figsize=(7, 3.6))
        axes.set_xscale("log")
        axes.margins(x=0.2, y=0.15)
        for index, (name, (x, y)) in enumerate(points.items()):
            color = COLORS[0] if name in marked else COLORS[-1]
            axes.plot(x, y, marker="o", color=color)
            axes.annotate(
                name,
                (x, y),
                xytext=(0, -14 if index % 2 else 7),  # names of neighbours are kept apart
                textcoords="offset points",
                ha="center",
                color=color,
                fontsize=8,
            )
        _finish(axes, path, *labels, title)


def _finish(axes: Axes, path: Path, across: str, up: str, title: str) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title, loc="left")
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False)
    with atomic(path) as file:
        plt.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close("all")
