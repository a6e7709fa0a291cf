"""Names of organisations in tagged text, as words for a segmenter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.text.span import Sentence, Span
from fenjie.vectors.new_words import Listed
from fenjie.vectors.tagged_names import balance, read_tagged, standing_alone, tagged_names


def places(name: str, number: int, label: str = "ORG", sure: float = 0.9) -> list[Sentence]:
    """So many sentences in which a tagger finds a name."""
    text = f"他们在{name}工作"
    return [Sentence(text, (Span(3, 3 + len(name), label, sure),))] * number


def untagged(name: str, number: int) -> list[Sentence]:
    """So many sentences in which it does not."""
    return [Sentence(f"去{name}吃饭")] * number


SEGMENTED = [
    Sentence.from_words(words.split())
    for words in ["海底 的 海豚", "新闻 和 海底", "中国 的 新闻", "华能 的 新闻", "美 股 上涨"] * 30
]
TAGGED = [
    *places("海底捞", 6),
    *untagged("海底捞", 9),
    *places("中国", 30, "LOC"),
    *places("中国海军", 5),
    *places("中国电科", 5),
    *places("中国海警", 5),
    *places("红星新闻", 5),
    *places("澎湃新闻", 5),
    *places("央视新闻", 5),
    *places("华能", 5),  # a word of the segmented text
    *places("美股", 5),  # which is cut there
    *places("小王庄", 5),
    *places("小王庄", 1, "LOC"),
    *places("网约车", 5, sure=0.6),
    *places("支付宝", 5),
    *untagged("支付宝", 20),
    *places("茅台", 5),
    *places("贵茅台", 5),
]


def chosen(*left_out: str) -> list[str]:
    names = dict.fromkeys(span.of(one.text) for one in TAGGED for span in one.spans)
    listed = [Listed(name, 20, frozenset()) for name in names if name not in left_out]
    return [one.word for one in tagged_names(listed, TAGGED, SEGMENTED)]


def test_names_that_the_tagger_is_sure_of_and_that_are_no_phrases() -> None:
    assert chosen() == ["海底捞", "茅台", "贵茅台"]
    assert chosen("海底捞") == ["茅台", "贵茅台"]
    free = [Sentence.from_words(["贵", "的", "贵"])] * 20
    listed = [Listed(word, 20, frozenset()) for word in ("茅台", "贵茅台")]
    assert [one.word for one in tagged_names(listed, TAGGED, free)] == ["茅台"]
    assert not tagged_names([Listed("海底捞", 19, frozenset())], TAGGED, SEGMENTED)


def test_places_in_longer_entities_do_not_count() -> None:
    tagged = [*places("海底捞公司", 2), *places("海底捞", 1), *untagged("海底捞", 3)]
    assert standing_alone(["海底捞"], tagged) == {"海底捞": 4}


def test_only_places_between_edges_of_words_count() -> None:
    segmented = [
        Sentence.from_words(words.split()) for words in ["北京 东 城", "京 东", "京东"] * 2
    ]
    assert balance(["京东"], segmented[:2]) == {"京东": -1}
    assert balance(["京东"], segmented[:3]) == {"京东": 0}


def test_tagged_lines_are_read_with_confidences(tmp_path: Path) -> None:
    path = tmp_path / "tagged.jsonl"
    row = {"text": "海底捞", "spans": [[0, 3, "ORG"]]}
    entity = {"text": "海底捞", "label": "ORG", "start": 0, "end": 3, "confidence": 0.8}
    path.write_text(json.dumps(row | {"entities": [entity]}) + "\n", encoding="utf-8")
    (found,) = read_tagged(path)
    assert found == Sentence("海底捞", (Span(0, 3, "ORG"),)) and found.spans[0].confidence == 0.8
    for line in (json.dumps(row), "海底捞", "[1]", '{"text": "a", "entities": 3}'):
        path.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(FileError, match=r"tagged\.jsonl:1: not a tagged line; found '\S"):
            list(read_tagged(path))
