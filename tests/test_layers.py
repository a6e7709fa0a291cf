"""The arrows of the design: which part may import which."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fenjie

SOURCE = Path(fenjie.__file__).parent

GROUND = {"errors", "files"}

BELOW = {
    "errors": set(),
    "files": {"errors"},
    "text": GROUND,
    "lexicon": GROUND | {"text"},
    "corpus": GROUND | {"text"},
    "evaluation": GROUND | {"text", "corpus"},
    "runtime": GROUND | {"text", "lexicon"},
    "nn": GROUND | {"text", "lexicon"},
    "models": GROUND | {"text", "lexicon", "nn"},
    "recipe": GROUND | {"text", "models"},
    "tasks": GROUND | {
        "text", "lexicon", "corpus", "evaluation", "runtime", "nn", "models", "recipe",
    },
    "store": GROUND | {"text", "runtime", "nn", "models", "recipe", "tasks"},
    "training": GROUND | {"runtime", "nn", "recipe", "tasks", "store"},
    "export": GROUND | {"text", "lexicon", "runtime", "nn", "models", "tasks", "store"},
    "vectors": GROUND | {"text", "lexicon", "corpus", "runtime"},
}  # fmt: skip
"""What each part may import of fenjie besides itself.

`cli` is at the edge and may import all.
"""

NO_TORCH = ("errors", "files", "text", "lexicon", "corpus", "runtime", "evaluation")
HEAVY = {"torch", "accelerate", "safetensors", "onnx", "onnxscript", "tensorboard"}


def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it, those for type checkers included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def part(module: str) -> str:
    return module.split(".")[1]


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    modules = imported(path)
    if own in NO_TORCH:
        assert not {name.split(".")[0] for name in modules} & HEAVY
    if own in BELOW:
        ours = {part(name) for name in modules if name.startswith("fenjie.")} - {"__version__"}
        may = BELOW[own] | {own}
        assert ours <= may, f"{own} must not import {ours - may}"


def test_every_part_has_its_place() -> None:
    parts = {path.relative_to(SOURCE).with_suffix("").parts[0] for path in sources()}
    assert parts <= {*BELOW, "cli", "__init__", "__main__"}


def loaded_by(code: str) -> set[str]:
    command = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_import_fenjie_is_light() -> None:
    assert not loaded_by("import fenjie") & {"torch", "onnxruntime", "numpy", "typer"}


def test_a_tagger_needs_no_torch() -> None:
    modules = loaded_by("import fenjie; fenjie.load, fenjie.Segmenter")
    assert "onnxruntime" in modules
    assert not modules & HEAVY


def test_the_command_line_starts_light() -> None:
    code = "import sys; sys.argv = ['fenjie', '--help']\nimport fenjie.cli\n"
    assert not loaded_by(code) & {"torch", "onnxruntime"}
