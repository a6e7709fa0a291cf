"""Record what the golden tests expect: `python -m tests.golden.record`.

Run it only to record a wanted change of behaviour, and say in the commit why it is wanted. It
writes `tests/golden/expected`; `git diff` shows what has changed. With names of cases behind it,
only those tiny models are recorded, from their recipes as they were recorded before, or as they are
now where they never were; and so are the settings of recipes that never were.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from tests.golden import observe
from tests.golden.cases import HERE, make_cases

EXPECTED = HERE / "expected"
SHIPPED = ("segment", "segment-fast", "ner", "ner-small")


def read(name: str) -> Any:
    """What was recorded under a name."""
    return json.loads((EXPECTED / f"{name}.json").read_text(encoding="utf-8"))


def write(name: str, values: dict[str, Any]) -> Path:
    """Record values: a line for each of the first two levels, or three under `models`."""
    deep = 3 if name == "models" else 2
    path = EXPECTED / f"{name}.json"
    EXPECTED.mkdir(exist_ok=True)
    path.write_text(_lines(values, deep, "") + "\n", encoding="utf-8", newline="\n")
    return path


def _lines(value: Any, deep: int, margin: str) -> str:
    if not deep or not isinstance(value, dict | list) or not value:
        return json.dumps(value, separators=(",", ":"))
    inner = margin + " "
    if isinstance(value, dict):
        rows = [
            f"{json.dumps(key)}: {_lines(part, deep - 1, inner)}" for key, part in value.items()
        ]
    else:
        rows = [_lines(part, deep - 1, inner) for part in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return first + "\n" + ",\n".join(inner + row for row in rows) + f"\n{margin}{last}"


def observed(name: str, toml: str) -> dict[str, Any]:
    """All that is recorded of a tiny model; what PyTorch alone finds is the same."""
    tiny = observe.Tiny(name, toml)
    return {"recipe": toml, "weights": tiny.weights(), "losses": tiny.losses(), **tiny.spans()}


def main(names: list[str]) -> None:
    """Record all, or the named tiny models alone."""
    torch.set_num_threads(1)
    if names:
        models = read("models")
        before = {name: case["recipe"] for name, case in models["cases"].items()}
        every = make_cases() | before
        cases = models["cases"] | {name: observed(name, every[name]) for name in names}
        models["cases"] = dict(sorted(cases.items()))
        write("recipes", dict(sorted((observe.recipe_settings() | read("recipes")).items())))
    else:
        cases = make_cases()
        models = {
            "torch": torch.__version__.partition("+")[0],
            "cases": {name: observed(name, toml) for name, toml in cases.items()},
        }
        write("recipes", observe.recipe_settings())
        for name in SHIPPED:
            write(f"shipped-{name}", observe.shipped(name))
    write("models", models)


if __name__ == "__main__":
    main(sys.argv[1:])
