"""The systems that are listed are those there are, and their scores those of the records."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fenjie.cli import app
from fenjie.cli.architectures import ARCHITECTURES, MECHANISMS

ROOT = Path(__file__).resolve().parents[2]


def test_every_system_is_listed_with_its_task() -> None:
    pytest.importorskip("torch", reason="needs the extra `train`")
    from fenjie.models import SEGMENTERS, TAGGERS

    tasks = {name: architecture.task for name, architecture in ARCHITECTURES.items()}
    expected = dict.fromkeys(SEGMENTERS, "words") | dict.fromkeys(TAGGERS, "entities")
    assert tasks == expected


def test_the_list_is_printed() -> None:
    done = CliRunner().invoke(app, ["models", "--architectures"], env={"COLUMNS": "160"})
    assert done.exit_code == 0
    for name, architecture in ARCHITECTURES.items():
        assert f"{name} " in done.stdout and architecture.paper in done.stdout
    assert "pku 96.12 (1, open test)" in done.stdout
    for mechanism in MECHANISMS.values():
        assert mechanism.title in done.stdout and mechanism.paper in done.stdout


def test_a_model_beside_the_list_is_refused() -> None:
    done = CliRunner().invoke(app, ["models", "segment", "--architectures"])
    assert "--architectures lists all systems; expected no model, found segment" in str(
        done.exception
    )


@pytest.mark.slow
def test_the_page_of_results_and_the_scores_are_those_of_the_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("accelerate", reason="needs the extra `train`")
    from benchmarks.tables import written

    monkeypatch.chdir(ROOT)
    for path, text in written().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m benchmarks.tables"


def test_the_published_tables_name_papers_of_the_bibliography(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from benchmarks.reproduce.published import find_table, table_names

    monkeypatch.chdir(ROOT)
    keys = (ROOT / "references.bib").read_text(encoding="utf-8")
    for name in table_names():
        table = find_table(name)
        assert f"{{{table.paper}," in keys
        for row in table.rows.values():
            assert all(recipe.startswith("recipes/") for recipe in row.recipes.values())
