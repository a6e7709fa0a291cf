"""Writes licences.md: the licences of all packages that fenjie and its extras bring.

Run `python docs/licences.py` where `fenjie[all]` is installed, after a change of dependencies.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"

HEAD = """# Licences of dependencies

fenjie is licensed under [Apache-2.0](../LICENSE). The packages that it needs, and those that its
extras bring, each where it comes first, with the licence that it states (as resolved on Linux with
Python 3.11; packages for a GPU, which pip's torch brings there, are under NVIDIA's own licences).
The data of the shipped models: their cards. (Made by `python docs/licences.py`.)
"""

EXTRAS = (
    "",
    "traditional",
    "train",
    "bert-runtime",
    "bert",
    "search",
    "serve",
    "spacy",
    "sklearn",
    "hub",
    "tables",
    "ray",
)
"""The plain install, and the extras for users; those for developers are left out."""

_KNOWN = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}


def page() -> str:
    """The page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows: dict[str, str] = {}
    parts = [HEAD]
    for extra in EXTRAS:
        own = project["optional-dependencies"][extra] if extra else project["dependencies"]
        found = sorted(set(closure(own)) - rows.keys())
        rows |= {name: licence(name) for name in found}
        if found:
            title = f"`fenjie[{extra}]`" if extra else "`fenjie`"
            lines = [f"| {name} | {rows[name]} |" for name in found]
            parts.append("\n".join([f"## {title}\n", "| package | licence |", "|---|---|", *lines]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def closure(requirements: Iterable[str]) -> Iterator[str]:
    """The packages that requirements bring, their own included; fenjie itself is none."""
    waiting = [Requirement(one) for one in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        key = name, frozenset(one.extras)
        if key in seen or name == "fenjie" or not _applies(one, ""):
            continue
        seen.add(key)
        yield name
        for text in metadata.requires(name) or ():
            other = Requirement(text)
            if any(_applies(other, extra) for extra in ("", *one.extras)):
                waiting.append(_without_marker(other))


def _applies(requirement: Requirement, extra: str) -> bool:
    values = {**default_environment(), "extra": extra}
    return requirement.marker is None or requirement.marker.evaluate(values)


def _without_marker(requirement: Requirement) -> Requirement:
    requirement.marker = None
    return requirement


def licence(name: str) -> str:
    """The licence that a package states.

    Raises:
        ValueError: it states none.
    """
    about = metadata.metadata(name)
    if expression := about.get("License-Expression"):
        return str(expression)
    kinds = [
        line.split(" :: ")[-1] for line in about.get_all("Classifier") or () if "License" in line
    ]
    named = [_KNOWN.get(kind, kind) for kind in kinds if kind != "OSI Approved"]
    text = re.sub(r"\s+", " ", (about.get("License") or "").strip())
    if text and len(text) < 40:
        return text
    if named:
        return ", ".join(named)
    if text:
        return f"{text[:37]}…"
    raise ValueError(f"{name} states no licence")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
