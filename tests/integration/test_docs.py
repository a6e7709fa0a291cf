"""The documentation says only what is so: links, commands, Python and names in it exist."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import typer.main

import fenjie
from fenjie.cli import app
from fenjie.distillation.distill_recipe import DistillSettings, TableSizes
from fenjie.pretraining import settings
from fenjie.recipe import recipe
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.runtime.folder import ModelFolder
from fenjie.text.normalise import Normaliser
from tests.command_line import misused

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), ROOT / "recipes/README.md", *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *kinds: str) -> Iterator[str]:
    for match in FENCE.finditer(page.read_text(encoding="utf-8")):
        if match["kind"] in kinds:
            yield match["body"]


def commands(page: Path) -> Iterator[list[str]]:
    """The arguments of each `fenjie …` in the shell blocks of a page."""
    for block in blocks(page, "sh", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s(?:\||&&|;)\s", line.removeprefix("$ ")):
                words = shlex.split(part, comments=True)
                while words and re.fullmatch(r"\w+=\S*", words[0]):
                    words = words[1:]
                if words and Path(words[0]).name == "fenjie":
                    yield [word for word in words[1:] if not word.startswith((">", "<"))]


@cache
def symbols(path: Path) -> frozenset[str]:
    """The names that a module defines, methods as `Class.method`."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if hasattr(part, "name")}
    return frozenset(found)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        target = match["target"].partition("#")[0]
        if target and not re.match(r"\w+:", target):
            assert (page.parent / target).exists(), f"{name(page)}: {match[0]}"


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return frozenset(re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in plain)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_to_headings_lead_to_one(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        target, _, anchor = match["target"].partition("#")
        found = (page.parent / target).resolve() if target else page
        if anchor and found.suffix == ".md" and not re.match(r"\w+:", target):
            assert anchor in anchors(found), f"{name(page)}: {match[0]}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_linked_to_code_exist(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        if match["target"].endswith(".py") and re.fullmatch(r"`[\w.]+`", match["text"]):
            symbol, path = match["text"].strip("`"), page.parent / match["target"]
            if not symbol.endswith(".py"):
                assert symbol in symbols(path.resolve()), f"{name(page)}: {match[0]}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_in_the_docs_compiles(page: Path) -> None:
    for block in blocks(page, "python"):
        compile(block, name(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_of_pip_do_what_they_say(page: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in re.findall(r"pip (?:install|wheel|download) .*", page.read_text(encoding="utf-8")):
        for extras in re.findall(r"(?:\.|fenjie)\[([\w,-]+)\]", line):
            assert set(extras.split(",")) <= project["optional-dependencies"].keys(), line
        folder = re.search(r"pip download .*?[ \"']\.(?!\w)", line)
        assert folder is None, f"pip leaves no file of a folder that it downloads: {line}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_in_the_docs_parse(page: Path) -> None:
    for arguments in commands(page):
        assert not misused(arguments), f"{name(page)}: fenjie {' '.join(arguments)}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_shown_segmentations_are_what_fenjie_prints(page: Path) -> None:
    shown = r"^\$ echo (\S+) \| fenjie segment\n(.*)$"
    for text, words in re.findall(shown, page.read_text(encoding="utf-8"), re.MULTILINE):
        assert " ".join(fenjie.lcut(text)) == words
    shown = r"fenjie\.lcut\(\"(\w+)\"\) +# (\[.*\])"
    for text, words in re.findall(shown, page.read_text(encoding="utf-8")):
        assert repr(fenjie.lcut(text)) == words


def test_the_reference_of_the_command_line_has_every_command_and_option() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    waiting = [("fenjie", typer.main.get_command(app))]
    while waiting:
        title, command = waiting.pop()
        waiting += [(f"{title} {word}", c) for word, c in getattr(command, "commands", {}).items()]
        assert title in page
        options = [option for param in command.params for option in param.opts]
        for option in options:
            shown = (f"`{option}`", f"`{title} {option}`")
            assert option[0] != "-" or any(form in page for form in shown), f"{title} {option}"


def written(value: object) -> str:
    """A default as the reference writes it: as TOML does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("`[data]`", DataRecipe),
        ("`[[data.corpora]]`", CorpusRecipe),
        ("`[text]`", Normaliser),
        ("`[vocabulary]`", recipe.VocabularyRecipe),
        ("`[training]`", recipe.TrainingRecipe),
        ("Pre-training: `[encoder]`", settings.EncoderSizes),
        ("Pre-training: `[training]`", settings.PretrainSettings),
        ("Distillation: `[model]`", TableSizes),
        ("Distillation: `[training]`", DistillSettings),
    ],
)
def test_the_reference_of_recipes_has_every_setting_and_its_default(table: str, kind: type) -> None:
    page = (ROOT / "docs" / "reference" / "recipe.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {table}\n")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", section, re.MULTILINE))
    fields = {field.name: field for field in dataclasses.fields(kind)}
    assert list(listed) == list(fields)
    for key, field in fields.items():
        if field.default not in (dataclasses.MISSING, None):
            assert listed[key] == written(field.default), f"{table} {key}"


def test_the_page_of_the_models_settings_is_that_of_the_code() -> None:
    written_by = runpy.run_path(str(ROOT / "docs" / "settings.py"))
    page = ROOT / "docs" / "reference" / "models.md"
    assert page.read_text(encoding="utf-8") == written_by["page"]()


def test_the_page_of_the_structure_names_every_folder() -> None:
    page = (ROOT / "docs" / "reference" / "structure.md").read_text(encoding="utf-8")
    (tree,) = FENCE.findall(page)
    path: list[str] = []
    named = set()
    for indent, folder in re.findall(r"^( *)(\w+)/ ", tree[1], re.MULTILINE):
        path = [*path[: len(indent) // 2], folder]
        named.add("/".join(path))
    source = ROOT / "src" / "fenjie"
    folders = {str(init.parent.relative_to(source)) for init in source.rglob("__init__.py")}
    assert named == folders - {"."} | {"shipped"}


def test_the_lines_of_systems_are_those_of_their_files() -> None:
    page = ROOT / "docs" / "extending.md"
    row = r"^\| [\w -]+ \| (\d+) \| (\[.*) \|$"
    listed = re.findall(row, page.read_text("utf-8"), re.MULTILINE)
    assert len(listed) == 7
    for lines, links in listed:
        files = [page.parent / match["target"] for match in LINK.finditer(links)]
        counted = sum(len(file.read_text("utf-8").splitlines()) for file in files)
        assert int(lines) == counted, links


def test_every_page_is_reachable_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    seen, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for match in LINK.finditer(page.read_text(encoding="utf-8")):
            target = (page.parent / match["target"].partition("#")[0]).resolve()
            if target.is_file() and target.is_relative_to(ROOT / "docs"):
                waiting.append(target)
    assert set(ROOT.glob("docs/**/*.md")) <= seen


def test_the_recipe_that_starts_from_ner_fits_it_and_has_the_labels_of_the_page() -> None:
    pytest.importorskip("torch", reason="needs the extra `train`")
    from benchmarks import few

    given, folder = recipe.load(Path("flat-from-ner")), ModelFolder.open("ner")
    for size in ("dim", "heads", "hidden"):
        assert getattr(given.model, size) == folder.config["model"][size]
    assert given.vocabulary.vectors is None
    assert bool(given.vocabulary.bigrams) == ("bigrams" in folder.config["input"])
    page = ROOT / "docs" / "howto" / "own-data.md"
    (text,) = (block for block in blocks(page, "toml") if "start_labels" in block)
    shown = recipe.loads(text, str(ROOT / "my.toml"))
    assert shown.training == replace(given.training, start_labels=few.LABELS)
    (named,) = re.findall(r"`ner` has ([A-Z,\s]+ and [A-Z]+);", page.read_text("utf-8"))
    assert {*re.findall("[A-Z]+", named)} == {*folder.tags.labels}


@pytest.mark.parametrize("written", ["the package's", "that of the page"])
def test_the_recipe_that_starts_from_segment_fits_it(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("accelerate", reason="needs the extra `train`")
    from fenjie.tasks.segmentation import Segmentation

    page = ROOT / "docs" / "howto" / "own-data.md"
    (text,) = (block for block in blocks(page, "toml") if "sams-from-segment" in block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    (tmp_path / "words.txt").write_text("我  在  北京  \n他  去  上海  \n" * 20, encoding="utf-8")
    given, shown = recipe.load(Path("sams-from-segment")), recipe.loads(text)
    task = Segmentation(shown if "page" in written else replace(given, data=shown.data))
    assert list(task.indexer.standards) == ModelFolder.open("segment").config["input"]["standards"]
