"""Every benchmark can be imported and says what it does; none runs here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import scripts
from benchmarks.scripts import child, named_runs
from fenjie.errors import FenjieError

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "run(main)" in path.read_text(encoding="utf-8")
)

ALL = """
import importlib, sys
for name in sys.argv[1].split():
    module = importlib.import_module(f"benchmarks.{name}")
    sys.argv = [name, "--help"]
    try:
        module.main()
    except SystemExit as done:
        assert done.code == 0, name
"""


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_and_the_page_of_benchmarks_name_its_command(name: str) -> None:
    script = (ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "howto" / "benchmarks.md").read_text(encoding="utf-8")
    for text in (script.split('"""')[1], page):
        assert re.search(rf"python -m benchmarks\.{name}\b", text)


@pytest.mark.slow  # scripts import packages that `make test` does not install
def test_every_script_has_help() -> None:
    assert {"peers", "few", "tables"} <= set(SCRIPTS)
    command = [sys.executable, "-c", ALL, " ".join(SCRIPTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("usage: ") == len(SCRIPTS)


def test_the_page_lists_every_script() -> None:
    page = (ROOT / "docs" / "howto" / "benchmarks.md").read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f"benchmarks.{name}" not in page] == []


def test_named_runs() -> None:
    assert named_runs(["A=runs/a", "B=b=c"]) == {"A": Path("runs/a"), "B": Path("b=c")}
    for value in ("runs/a", "FLAT=", "=runs/a"):
        with pytest.raises(FenjieError, match="expected NAME=RUN"):
            named_runs([value])


def test_data_is_located_so_that_one_line_says_what_is_missing() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").rglob("*.py")]
    assert not [page for page in pages if 'environ["FENJIE_DATA"]' in page]


def test_a_step_that_fails_ends_the_script(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scripts, "_module", lambda: "benchmarks.nowhere")
    with pytest.raises(SystemExit) as done:
        child("step")
    assert done.value.code == 1 and "nowhere" in capfd.readouterr().err
