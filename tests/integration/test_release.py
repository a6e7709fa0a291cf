"""What a release needs: one version everywhere, licences, workflows whose commands exist."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

import fenjie

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_version_is_everywhere_the_same() -> None:
    version = PROJECT["version"]
    assert version == fenjie.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert version in headings


def test_every_direct_dependency_has_its_licence() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    extras = runpy.run_path(str(ROOT / "docs" / "licences.py"))["EXTRAS"]
    for extra in extras:
        own = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
        for requirement in own:
            name = re.match(r"[\w-]+", requirement)
            assert name is not None
            assert name[0] == "fenjie" or f"\n| {name[0]} | " in page, requirement
    assert not re.search(r"\| *(?:UNKNOWN)? *\|$", page, re.MULTILINE)


def test_licences_are_those_that_packages_state() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "licences.py"))
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    for name in ("numpy", "onnxruntime", "rich", "typer"):
        assert f"| {name} | {written['licence'](name)} |" in page


def test_workflows_call_what_is_there() -> None:
    yaml = pytest.importorskip("yaml", reason="needs the extra `all`")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    called = set()
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"] and job["steps"]
            for step in job["steps"]:
                called |= set(re.findall(r"^make ([\w-]+)", step.get("run", ""), re.MULTILINE))
        assert workflow["permissions"] == {"contents": "read"}
    assert {"lint", "test-all", "docs"} <= called <= targets
