"""The page on named entities: the shipped model finds in its examples what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fenjie
from fenjie.runtime.entity_tagger import EntityTagger

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "howto" / "tag.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shipped() -> EntityTagger:
    tagger = fenjie.load("ner")
    assert isinstance(tagger, EntityTagger)
    return tagger


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("李鹏 乔石 李瑞环", ["李鹏 PER", "乔石 PER", "李瑞环 PER"]),
        ("CEODario Amodei", ["CEO POSITION", "Dario Amodei PER"]),
        ("电视剧《狂飙》", ["《狂飙》 MOVIE"]),
        ("看了《狂飙》", ["《狂飙》 GAME"]),
        ("看了狂飙", []),
    ],
)
def test_texts(shipped: EntityTagger, text: str, found: list[str]) -> None:
    assert text in PAGE
    assert [f"{one.text} {one.label}" for one in shipped(text).entities] == found


@pytest.mark.parametrize(
    ("word", "text", "how", "found"),
    [
        ("长江 PER", "长江说他不去了", {}, "长江 PER"),
        ("长江 PER", "南京市长江大桥很长。", {}, "南京市长江大桥 LOC"),
        ("斯坦福 ORG", "斯坦福大学", {}, "斯坦福大学 ORG"),
        ("斯坦福 ORG", "斯坦福大学", {"force": True}, "斯坦福 ORG"),
        ("盘古之眼 GAME", "他用了盘古之眼！", {}, None),
        ("盘古之眼 GAME", "他用了盘古之眼！", {"weight": 1000}, "盘古之眼 GAME"),
    ],
)
def test_words_with_a_label(
    shipped: EntityTagger, word: str, text: str, how: dict[str, Any], found: str | None
) -> None:
    name, label = word.split()
    assert text in PAGE
    tagger = shipped.copy()
    tagger.lexicon.add(name, label=label, **how)
    entities = [f"{one.text} {one.label}" for one in tagger(text).entities]
    assert entities == ([found] if found else [])
