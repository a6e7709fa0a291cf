"""A folder with text to pre-train on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

SENTENCES = ["今天上海天气很好。", "我们去了北京大学，", "学生在２０，", "上海的大学学生好"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    chance = random.Random(1)
    lines = ["".join(chance.choices(SENTENCES, k=chance.randint(1, 6))) for _ in range(200)]
    Path("text.txt").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path
