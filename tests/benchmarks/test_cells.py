"""The list of the papers' cells: nothing is missing, and each leads somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.reproduce import cells as module
from benchmarks.reproduce.cells import COMMON, STATES, Cells, counts, hours, lines, markdown
from benchmarks.reproduce.published import find_table
from benchmarks.reproduce.records import Records
from fenjie.errors import FenjieError
from fenjie.recipe.recipe import load
from fenjie.tuning.space import check_against, load_space

ROOT = Path(__file__).parents[2]

WANTED = {
    "FLAT": ("Table 1", "Table 2", "Table 3", "Table 4", "Table 6", "Figure 3"),
    "ATSSA": (
        *(f"Table {number}" for number in range(1, 6)),
        *("Figure 1", *(f"Figure {number}" for number in range(4, 10))),
        "Section 5.6",
    ),
    "DSWA": tuple(f"Table {number}" for number in range(1, 7)),
    "SAMS": ("Table 3", "Table 5", "Table 6", "Table 7", "Table 8", "Table 9"),
}
"""The tables and figures with results of the papers."""

FIGURES = {
    ("FLAT", "Table 2"): 11 * 4,
    ("FLAT", "Table 3"): 3 * 4,
    ("FLAT", "Table 4"): 2 * 4,
    ("FLAT", "Figure 3"): 7 + 1,
    ("ATSSA", "Table 3"): 7 * 4 - 1,
    ("ATSSA", "Table 4"): 5 * 4,
    ("DSWA", "Table 2"): 6 * 3,
    ("DSWA", "Table 3"): 4 * 3,
    ("SAMS", "Table 6"): 5 * 4 + 3 * 2,
    ("SAMS", "Table 7"): 4 * 2,
    ("SAMS", "Table 8"): 4 * 4,
    ("SAMS", "Table 9"): 4 * 2,
}
"""Numbers of figures in the papers' tables, counted by hand."""


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def cells() -> list[module.Cell]:
    return list(Cells(Records()))


def test_nothing_is_missing(cells: list[module.Cell]) -> None:
    for paper, tables in WANTED.items():
        for table in tables:
            assert [c for c in cells if c.paper == paper and c.table.startswith(f"{table}:")], table
    for (paper, table), count in FIGURES.items():
        found = [c for c in cells if c.paper == paper and c.table.startswith(f"{table}:")]
        assert len(found) == count, (paper, table)
    assert len({(c.paper, c.table, c.row, c.column) for c in cells}) == len(cells)


def test_each_cell_leads_somewhere(cells: list[module.Cell]) -> None:
    for cell in cells:
        assert cell.state in STATES and cell.published
        assert cell.how or cell.measured, cell
        assert (cell.state != "stands") or cell.measured, cell
        for command in re.findall(r"`([^`]+)`", cell.how):
            check(shlex.split(command.partition(" && ")[0]))


def test_a_standing_cell_names_the_seeds_that_it_has(cells: list[module.Cell]) -> None:
    found = [c for c in cells if "benchmarks.reproduce" in c.how and c.measured.endswith("seeds)")]
    assert found
    for cell in found:
        words = cell.how.strip("`").split()
        data = find_table(words[3]).data[words[words.index("--data") + 1]]
        named = words[words.index("--seeds") + 1] if "--seeds" in words else data.seeds
        assert f"({named} seeds)" in cell.measured, cell
        assert (words[-1] == "--again") == (cell.state == "stands"), cell


def check(words: list[str]) -> None:
    """A command names what is there."""
    if words[:3] == ["python", "-m", "benchmarks.reproduce"]:
        words = [word for word in words if word != "--again"]
        options = dict(zip(words[4::2], words[5::2], strict=True))
        table = find_table(words[3])
        if "--only" in options:
            chosen = table.choose([options["--data"]], [options["--only"]])
            assert all(options["--data"] in row.recipes for row in chosen.rows.values())
    elif words[:2] == ["python", "-m"]:
        assert Path(*words[2].split(".")).with_suffix(".py").is_file(), words
    else:
        assert words[0] == "fenjie"
        assert words[1] in ("train", "search", "explain", "tag")
        for name in words[2:]:
            assert not name.startswith("recipes/") or Path(name).is_file(), name
        if words[1] == "search":
            check_against(load_space(Path(words[3])), load(Path(words[2])))


def test_published_figures_are_those_of_the_tables(cells: list[module.Cell]) -> None:
    """The lists of cells and the tables that can be run name the same figures."""
    known = {}
    for name in ("flat-variants", "systems", "atssa", "dswa", "sams-ablations", "sams-highways"):
        for row in find_table(name).rows.values():
            for data, recipe in row.recipes.items():
                if data in row.published:
                    known.setdefault(recipe, set()).add(row.published[data])
    found = {c.published.rstrip("‡") for c in cells}
    for figures in known.values():
        for figure in figures:
            assert {f"{figure:.2f}", f"{figure:.1f}"} & found, figure


def test_the_numbers_of_the_bars_of_flat(cells: list[module.Cell]) -> None:
    found = [c.published for c in cells if c.paper == "FLAT" and c.table.startswith("Figure 3:")]
    assert found == ["1", "2.1", "2.47", "2.74", "4.74", "3.28", "16.32", "4.97"]
    assert round(16.32 / 3.28, 2) == pytest.approx(4.97, abs=0.011)


def test_figures_with_bert_are_marked(cells: list[module.Cell]) -> None:
    marked = [c for c in cells if c.row.startswith("BERT")]
    assert len(marked) == 2 * 4 + 3
    assert all(c.published.endswith("‡") for c in marked)


def test_the_text_and_the_page(cells: list[module.Cell]) -> None:
    text = list(lines(cells))
    assert sum(line.startswith("  ") for line in text) == len(cells)
    page = markdown(cells)
    assert page.count("\n| ") == len(cells) + page.count("\n| row |")
    assert "## FLAT" in page and "### Table 2: four data sets, F1" in page
    assert counts(cells).count("can") == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"nowhere"', '""', r"flat\.toml:\d+: the cell F1 is silently missing"),
        ('"nowhere"', '"elsewhere"', "'elsewhere' is no recipe, result, page or reason"),
        ('["nowhere"]', "[]", "1 published, 0 ours'; expected 1"),
        ('"nowhere"', '"docs/none.md"', "docs/none.md is missing, and no command makes it"),
        ('"nowhere"', '"benchmarks/results/none.json#a"', "has no a, and no command makes it"),
        ("title = ", "titel = ", "unknown key titel; did you mean title"),
    ],
)
def test_a_list_with_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    common = tmp_path / "common.toml"
    common.write_text('[reasons]\nnowhere = "because"\n\n[commands]\n')
    text = (
        'paper = "x"\ntitle = "X"\n\n[tables.T1]\ntitle = "Table 1: one"\ncolumns = ["F1"]\n\n'
        '[[tables.T1.rows]]\ntitle = "a"\npublished = ["1"]\nours = ["nowhere"]\n'
    )
    (tmp_path / "flat.toml").write_text(text)
    monkeypatch.setattr(module, "PAPERS", tmp_path)
    monkeypatch.setattr(module, "COMMON", common)
    (cell,) = Cells(Records())
    assert (cell.state, cell.how) == ("cannot be had", "because")
    (tmp_path / "flat.toml").write_text(text.replace(old, new))
    with pytest.raises(FenjieError, match=message):
        list(Cells(Records()))


def test_hours() -> None:
    assert hours({"training": ["seed 1; best after step 3 (epoch 9 of 12), 30 minutes"]}) == 0.5
    with pytest.raises(FenjieError, match="does not say how long it took"):
        hours({"training": ["seed 1"]})
    assert COMMON.is_file()
