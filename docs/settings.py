"""Writes docs/reference/models.md: the settings of every architecture, from its docstring.

Run `python docs/settings.py` after a change of a model's settings; a test holds the page.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any, get_type_hints

from fenjie.models import SEGMENTERS, TAGGERS

PAGE = Path(__file__).parent / "reference" / "models.md"

HEAD = """# The settings of the models

`[model]` of a recipe, for each `architecture`, with the defaults. Where a paper names a value, the
default is the paper's. A setting that is a table of its own (`[model.selection]`) follows the
architectures. (Made by `python docs/settings.py`.)
"""


def page() -> str:
    """The page."""
    parts = [HEAD]
    inside: dict[str, type] = {}
    for task, known in (("segment", SEGMENTERS), ("ner", TAGGERS)):
        for name, model in known.items():
            first = inspect.getdoc(inspect.getmodule(model)).splitlines()[0]
            parts.append(f'## `architecture = "{name}"`, `task = "{task}"`\n\n{first}\n')
            parts.append(table(model.Config))
            inside |= {n: k for n, k in hints(model.Config).items() if dataclasses.is_dataclass(k)}
    for name, kind in inside.items():
        first = (inspect.getdoc(kind) or "").splitlines()[0]
        parts.append(f"## `[model.{name}]`\n\n{first}\n")
        parts.append(table(kind))
    return "\n".join(parts)


def hints(kind: type) -> dict[str, Any]:
    """The types of the settings of a class by their names."""
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in dataclasses.fields(kind)}


def table(kind: type) -> str:
    """A table of the settings of a class."""
    told = meanings(kind)
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for field in dataclasses.fields(kind):
        made = field.default_factory is not dataclasses.MISSING
        default = field.default_factory() if made else field.default
        text = "a table" if dataclasses.is_dataclass(default) else f"`{written(default)}`"
        rows.append(f"| `{field.name}` | {text} | {told[field.name]} |")
    return "\n".join(rows) + "\n" if len(rows) > 2 else "Nothing.\n"


def meanings(kind: type) -> dict[str, str]:
    """What the docstrings of a class and those it inherits from say of each setting."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        section = (inspect.cleandoc(part.__doc__ or "")).partition("Attributes:\n")[2]
        for match in re.finditer(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE):
            found[match[1]] = " ".join(match[2].split()).rstrip(".")
    return found


def written(value: Any) -> str:
    """A default as TOML."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
