"""A little raw text, and its preparation for learning vectors."""

from __future__ import annotations

from pathlib import Path

from fenjie.text.normalise import Normaliser
from fenjie.vectors.texts import Prepared, Source, prepare, segment

LINES = [
    "北京的经理和上海的工程师去北京开会。",
    "上海　的ＡＢ公司，经理说：很好！",
    "",
    "工程师说 他们 明天去上海。",
]


def quiet(stage: str, done: int, total: int) -> None:
    assert 0 <= done <= total, stage


def ready(sources: list[Source], work: Path, simplify: bool = False) -> list[Prepared]:
    found = prepare(sources, work, Normaliser(simplify=simplify), quiet)
    segment(sources, found, quiet)
    return found
