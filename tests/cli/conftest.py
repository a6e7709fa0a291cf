"""A fixture of tests of what both commands do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import CommandLine


@pytest.fixture(params=["segment", "tag"])
def cli(
    request: pytest.FixtureRequest, tiny_model: Path, tiny_ner: Path, tmp_path: Path
) -> CommandLine:
    """`fenjie segment`, then `fenjie tag`, in a folder of its own, with a tiny model."""
    model = tiny_model if request.param == "segment" else tiny_ner
    return CommandLine(tmp_path, request.param, model)
