"""The stages of `fenjie vectors` as they are shown where there is no terminal."""

from __future__ import annotations

import io
from contextlib import closing

from fenjie.cli.stages import Stages
from fenjie.progress import Screen


def test_a_stage_is_named_once() -> None:
    screen = Screen(file=io.StringIO())
    with closing(Stages(screen)) as report:
        for stage in ("counting", "learning"):
            for done in (0, 5, 10):
                report(stage, done, 10)
    assert screen.file.getvalue().splitlines() == ["counting", "learning"]
