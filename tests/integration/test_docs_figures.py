"""The figures in the tables of the README and of the page of evidence are those of the results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peer_tables import NAMES
from benchmarks.reproduce.records import Records
from benchmarks.training import cells

ROOT = Path(__file__).resolve().parents[2]
README, EVIDENCE = ROOT / "README.md", ROOT / "docs" / "evidence.md"
CARD = ROOT / "src" / "fenjie" / "shipped" / "ner" / "README.md"
RESULTS = ROOT / "benchmarks" / "results"

PEERS = {
    "PKU F1": ("f1", ".2f"),
    "characters/s": ("characters_per_second", ",.0f"),
    "× jieba": ("speed_ratio", ".2f"),
    "start-up s": ("startup_s", ".2f"),
    "peak MiB": ("memory_mib", ".0f"),
    "installed MiB": ("installed_mib", ".0f"),
}
"""The columns of the table of other tools: keys of `peers.json`, and how they are rounded."""

PAGES = ("sentences", "genres", "talk", "rare")
"""Of `modern.json`, in the order of the card of `ner`."""


def rows(page: Path, first: str) -> Iterator[dict[str, str]]:
    """The rows of each table whose first column has this head: cells by head, bold marks aside."""
    tables = re.findall(rf"^\| {first} \|.*\n\|[-|]+\n(?:\|.*\n)+", page.read_text("utf-8"), re.M)
    for table in tables:
        heads, _, *lines = (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in table.replace("**", "").splitlines()
        )
        yield from (dict(zip(heads, line, strict=True)) for line in lines)


def recorded(recipe: str) -> list[str]:
    records = Records(RESULTS / "training.json")
    return [str(len(records.runs(recipe))), *cells(records.runs(recipe))]


@pytest.mark.parametrize("page", [README, EVIDENCE], ids=lambda page: page.name)
def test_scores_are_those_of_the_records(page: Path) -> None:
    found = list(rows(page, "recipe"))
    assert found
    for row in found:
        (recipe,) = re.findall(r"\]\((?:\.\./)?(recipes/[\w/-]+\.toml)\)", row["recipe"])
        figures = [value for head, value in row.items() if is_score(head)]
        assert figures == recorded(recipe), row["recipe"]


def is_score(head: str) -> bool:
    return head == "seeds" or head.startswith(("dev", "test")) or "recall" in head


@pytest.mark.parametrize("page", [README, EVIDENCE], ids=lambda page: page.name)
def test_published_scores_stand_on_the_pages_of_the_papers(page: Path) -> None:
    text = "".join(paper.read_text("utf-8") for paper in (ROOT / "docs/papers").glob("*.md"))
    for row in rows(page, "recipe"):
        assert not row.get("paper") or re.search(rf"\b{re.escape(row['paper'])}\b", text), row


def test_figures_of_other_tools_are_those_of_the_benchmark() -> None:
    tools = {tool["tool"]: tool for tool in read("peers.json")["tools"]}
    names = {title: name for name, title in NAMES.items()}
    found = list(rows(README, "tool"))
    assert {names.get(row["tool"], row["tool"]) for row in found} == set(tools)
    for row in found:
        tool = tools[names.get(row["tool"], row["tool"])]
        for head, (key, form) in PEERS.items():
            assert row[head] == format(tool[key], form), f"{row['tool']}: {head}"


def test_the_card_of_ner_has_the_figures_of_the_pages_of_today() -> None:
    pages = {key: kinds["ner"] for key, kinds in read("modern.json").items() if key in PAGES}
    small = {key: read("modern.json")[key]["ner-small"]["all"]["f1"] for key in PAGES}
    found = list(rows(CARD, "F1 on"))
    assert len(found) == len(PAGES)
    for row, (key, page) in zip(found, pages.items(), strict=True):
        shares = [page[label]["f1"] for label in ("PER", "LOC", "ORG")]
        shares += [page[name]["recall"] for name in ("listed", "not listed")]
        heads = ("PER", "LOC", "ORG", "recall, listed", "recall, others", "`ner-small`")
        expected = [f"{100 * share:.2f}" for share in (*shares, small[key])]
        assert [row[head] for head in heads] == expected, row


def test_the_card_of_ner_has_the_counts_of_unknown_names() -> None:
    counts = read("unknown-names.json")["found"]["ner"].values()
    expected = [(c["of"], c["unknown"], c["real"]) for c in counts]
    shown = [
        tuple(int(row[head].replace(",", "")) for head in ("of", "found", "the real one"))
        for row in rows(CARD, "name")
        if "the real one" in row
    ]
    assert shown == expected


def test_the_card_of_ner_has_the_counts_of_forms() -> None:
    counts = {tuple(count) for count in read("forms-in-frames.json")["found"]["ner"].values()}
    names = [row for row in rows(CARD, "name") if "the real one" not in row]
    shown = [(int(row["found"]), int(row["of"])) for row in names]
    shown += [(int(row["left unmarked"]), int(row["of"])) for row in rows(CARD, "thing")]
    assert len(shown) == 32 and counts >= set(shown)


def read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def test_the_readme_is_short() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert sum(bool(re.match(r"\|[-|]+$", line)) for line in lines) == 2
