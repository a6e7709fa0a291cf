"""The layers of the package: which folder may import which, no circles, no name for two things."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import fenjie

SOURCE = Path(fenjie.__file__).parent
CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"


class Room(NamedTuple):
    """A folder, or a module, of the package.

    Attributes:
        holds: what is in it, in one line.
        below: the rooms that it may import besides itself and the ground.
    """

    holds: str
    below: tuple[str, ...] = ()


GROUND = {
    "errors": set(),
    "files": {"errors"},
    "lock": {"errors"},
    "progress": {"errors"},
    "ranges": set(),
}
"""Modules that every room may import, and what they may import themselves."""

BELOW = {
    "text": Room("spans, normalisation, splitting, label schemes, vocabularies"),
    "lexicon": Room(
        "word lists, n-grams, vectors of units, and the indexers that turn text into ids", ("text",)
    ),
    "corpus": Room("readers and writers of annotated files, splits, statistics", ("text",)),
    "evaluation": Room("scores of words and of entities, error reports", ("text",)),
    "runtime": Room(
        "model folders, ONNX Runtime, one reading of text, the segmenter, the entity tagger",
        ("text", "lexicon"),
    ),
    "jieba": Room("jieba's functions over fenjie's models", ("text", "lexicon", "runtime")),
    "nn": Room(
        "layers in PyTorch, under general names: attention, fusion, encoders, decoders",
        ("text", "lexicon"),
    ),
    "models": Room(
        "one file per paper: its config and its assembly of layers", ("text", "lexicon", "nn")
    ),
    "recipe": Room("a run as strict TOML, with line numbers in errors", ("text", "models")),
    "tasks": Room(
        "words and entities: data, labels, batches, scores",
        ("text", "lexicon", "corpus", "evaluation", "runtime", "nn", "models", "recipe"),
    ),
    "store": Room(
        "model folders from the side of training: save, load, cards, provenance",
        ("text", "evaluation", "runtime", "nn", "models", "recipe", "tasks"),
    ),
    "training": Room(
        "the loop, optimizers, schedules, checkpoints; knows no paper",
        ("evaluation", "runtime", "nn", "recipe", "tasks", "store"),
    ),
    "pretraining": Room(
        "raw text to an encoder of characters, a pair of language models",
        ("text", "lexicon", "nn", "recipe", "store", "training"),
    ),
    "tuning": Room(
        "the search for settings of a recipe: spaces, the journal, trials",
        ("evaluation", "recipe", "store", "training"),
    ),
    "distillation": Room(
        "a fast model of words from a better one that cuts raw text",
        ("text", "lexicon", "corpus", "evaluation", "runtime", "recipe", "tasks", "store",
         "training"),
    ),
    "export": Room(
        "`model.onnx` from a trained model, and the comparison of both",
        ("lexicon", "runtime", "nn", "models", "tasks", "store"),
    ),
    "vectors": Room(
        "raw text to vectors of characters, bigrams and words",
        ("text", "lexicon", "corpus", "runtime"),
    ),
    "views": Room(
        "the view of a model on a text: its characters, its words, its attention",
        ("text", "runtime", "nn", "tasks", "store"),
    ),
    "serve": Room(
        "words and entities over HTTP: requests, limits, batches of waiting requests, the page",
        ("text", "corpus", "runtime", "recipe", "views"),
    ),
    "tables": Room(
        "tables with a column of texts: JSONL, CSV, TSV, Parquet, Arrow", ("text", "runtime")
    ),
    "scale": Room(
        "much text: several processes, runs that go on after they were stopped",
        ("text", "runtime", "tables"),
    ),
    "integrations": Room(
        "spaCy, scikit-learn, datasets, the hub, Label Studio, search engines",
        ("text", "corpus", "runtime", "serve"),
    ),
    "cli": Room(
        "the command line, a module per command: parse, call, print",
        ("text", "lexicon", "corpus", "evaluation", "runtime", "nn", "recipe", "tasks", "store",
         "training", "pretraining", "tuning", "distillation", "export", "vectors", "views", "serve",
         "tables", "scale", "integrations"),
    ),
}  # fmt: skip
"""The rooms, from the ground up; the table of CONTRIBUTING is a copy of this one."""

SAME_NAME = {
    "components": ("lexicon nn", "the components of characters, and vectors made of them"),
    "crf": ("nn runtime", "the decoder that is trained and the one that runs"),
    "gaps": ("nn runtime", "the decoder that is trained and the one that runs"),
    "hub": ("runtime integrations cli", "models on Hugging Face's hub: fetched, put there"),
    "label_studio": ("corpus integrations", "Label Studio's files, and its requests"),
    "lattice_lstm": ("nn models", "a system and its encoder"),
    "load": ("runtime store", "model folders opened without PyTorch and with it"),
    "ngrams": ("lexicon models", "n-grams as indices, and the linear model over them"),
    "scorer": ("runtime tasks", "scores of batches by ONNX Runtime and by PyTorch"),
    "soft_lexicon": ("nn models", "a system and its fusion"),
}
"""Names that several modules share: the rooms of these modules, and why they are the same thing.

Besides, a command of `cli` may be named as the room that it calls, and the main module of a room as
the room.
"""

NO_TORCH = ("errors", "files", "progress", "ranges", "text", "lexicon", "corpus", "runtime",
            "evaluation")  # fmt: skip
HEAVY = {"torch", "accelerate", "safetensors", "onnx", "onnxscript", "tensorboard"}


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def module(path: Path) -> str:
    """The name of a module by its file, such as `fenjie.nn.lattice`."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def room(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a file imports, wherever in it, those for type checkers included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            source = node.module or ""
            inner = {f"{source}.{alias.name}" for alias in node.names}
            names |= {name if exists(name) else source for name in inner}
    return frozenset(names)


def exists(name: str) -> bool:
    """Whether a name is that of a module of the package."""
    place = SOURCE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    own, names = room(path), imported(path)
    if own in NO_TORCH:
        assert not {name.split(".")[0] for name in names} & HEAVY
    if own in {"__init__", "__main__"}:
        return
    ours = {name.split(".")[1] for name in names if name.startswith("fenjie.")}
    may = {own, *GROUND, *BELOW[own].below} if own in BELOW else GROUND[own]
    assert ours <= may, f"{own} must not import {ours - may}"


def test_every_room_has_its_place() -> None:
    rooms = {room(path) for path in sources()} - {"__init__", "__main__"}
    assert rooms == {*BELOW, *GROUND}


def test_a_room_imports_only_rooms_listed_before_it() -> None:
    names = list(BELOW)
    for place, (name, one) in enumerate(BELOW.items()):
        assert set(one.below) <= set(names[:place]), name


def table() -> str:
    """The rooms as CONTRIBUTING has them."""
    rows = ["| folder | holds | may import |", "|---|---|---|"]
    for name, one in BELOW.items():
        below = ", ".join(f"`{each}`" for each in one.below) or "–"
        rows.append(f"| [`{name}`](src/fenjie/{name}) | {one.holds} | {below} |")
    return "\n".join(rows)


def test_the_table_of_contributing_is_this_one() -> None:
    page = CONTRIBUTING.read_text(encoding="utf-8")
    assert f"\n{table()}\n" in page, f"the table in CONTRIBUTING.md is to be:\n{table()}"


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one node, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        path.append(node)
        for other in edges[node]:
            if other not in order:
                visit(other)
            if other in path:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            place = path.index(node)
            if len(path) - place > 1:
                found.append(set(path[place:]))
            del path[place:]

    for node in edges:
        if node not in order:
            visit(node)
    return found


def test_circles_are_found() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a", "d"}}
    assert circles(edges) == [{"b", "c"}]


def test_no_modules_import_each_other() -> None:
    edges = {module(path): set(filter(exists, imported(path))) for path in sources()}
    assert circles(edges) == []


def test_no_two_modules_share_a_name_unless_they_are_the_same_thing() -> None:
    rooms = defaultdict(list)
    for path in sources():
        if path.parent == SOURCE:
            continue
        name, folder = path.stem, path.parent
        if name == "__init__":
            name, folder = folder.name, folder.parent
        if folder.name != name and not (room(path) == "cli" and name in BELOW):
            rooms[name].append(room(path))
    shared = {name: set(each) for name, each in rooms.items() if len(each) > 1}
    assert shared == {name: set(each.split()) for name, (each, _) in SAME_NAME.items()}


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
    assert not modules & {"onnxruntime", *HEAVY}


def test_the_command_line_starts_light() -> None:
    code = "import sys; sys.argv = ['fenjie', '--help']\nimport fenjie.cli\n"
    assert not loaded_by(code) & {"torch", "onnxruntime"}
