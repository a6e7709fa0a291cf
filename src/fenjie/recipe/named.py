"""The recipes of the package: for labels of a user's own, from the weights of shipped models."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("shipped")
NAMES = ("flat-from-ner", "sams-from-segment")


def find(name: str | Path, folder: Path = Path()) -> Path:
    """The file of a recipe: that of a path, or the package's of that name where there is none.

    Args:
        name: a path from the folder, or one of `NAMES`.
        folder: where a path starts.
    """
    path = folder / name
    return path if path.is_file() or str(name) not in NAMES else FOLDER / f"{name}.toml"
