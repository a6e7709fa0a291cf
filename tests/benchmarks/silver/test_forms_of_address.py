"""Forms of address, stations and schools that are marked alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.forms_of_address import Labels, addressed, edges, forms_in, main
from fenjie.corpus import read
from fenjie.text.span import Sentence, Span


def marked(words: str, *names: tuple[str, str], labels: Labels | None = None) -> list[str]:
    """What is marked of a text that is cut into words, with some names of their labels."""
    text = words.replace(" ", "")
    firsts = [first for word in words.split() for first in [True] + [False] * (len(word) - 1)]
    odds = np.where(firsts, 1, -1).astype(np.float32)
    spans = (Span(text.index(n), text.index(n) + len(n), label, 0.5) for n, label in names)
    found = addressed(Sentence(text, tuple(spans)), odds, labels or Labels())
    return [f"{span.of(text)}/{span.label}" for span in found.spans]


def test_surname_with_what_is_a_part_of_the_name() -> None:
    assert marked("老王 和 小李", ("王", "PER")) == ["老王/PER", "小李/PER"]
    assert marked("老 王 来 了") == ["老王/PER"]
    assert marked("张某 、 李某某 和 陈姐", ("张", "PER"), ("李", "PER")) == [
        "张某/PER",
        "李某某/PER",
        "陈姐/PER",
    ]


def test_surname_before_a_title() -> None:
    assert marked("王 总 和 李女士", ("王总", "PER")) == ["王/PER"]  # 李 ends inside a word
    assert marked("王 总 和 李 女士") == ["王/PER", "李/PER"]
    assert marked("李 明 先生", ("李明", "PER")) == ["李明/PER"]
    assert marked("他 任 总理") == []


@pytest.mark.parametrize(
    ("words", "name", "expected"),
    [
        ("老王庄 的 人", ("老王庄", "LOC"), "老王庄/LOC"),
        ("《 小李 》", ("《小李》", "BOOK"), "《小李》/BOOK"),
        ("小李", ("小李", "BOOK"), "小李/BOOK"),
        ("小李 子", ("李子", "PER"), "李子/PER"),
    ],
)
def test_a_longer_name_or_another_label_stays(
    words: str, name: tuple[str, str], expected: str
) -> None:
    assert marked(words, name) == [expected]


def test_nothing_is_marked_inside_a_word() -> None:
    assert marked("小王国 里") == []
    assert marked("许多 老师 都 来 了") == []


def test_stations_and_schools_with_the_name_before_them() -> None:
    assert marked("广州 南站", ("广州", "LOC"), ("南站", "LOC")) == ["广州南站/LOC"]
    assert marked("人大 附中", ("人大", "ORG")) == ["人大附中/ORG"]
    assert marked("成都 七中", ("成都", "LOC")) == ["成都七中/ORG"]
    assert marked("成都 南站台", ("成都", "LOC")) == ["成都/LOC"]


def test_what_is_found_has_no_doubt() -> None:
    sentence = Sentence("老王来", (Span(0, 2, "PER", 0.5),))
    odds = np.array([np.nan, -1, 1], np.float32)
    assert [span.confidence for span in addressed(sentence, odds).spans] == [1.0]


def test_edges_of_words_are_beside_whitespace_too() -> None:
    assert edges("老王 来了", np.array([np.nan, -1, np.nan, np.nan, 1], np.float32)) == {
        0,
        2,
        3,
        4,
        5,
    }


def test_forms_in_a_text() -> None:
    assert forms_in("老王和赵女士、钱某") == {"老王", "赵", "钱某"}
    assert forms_in("从南京南站到七中、人大附中") == {"南站", "七中", "附中"}


def test_annotated_file_with_labels_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"text": "我跟老王说", "spans": [[3, 4, "name"]]}\n', encoding="utf-8")
    options = [str(source), "-o", str(target), "--person", "name"]
    monkeypatch.setattr("sys.argv", ["forms_of_address", *options])
    main()
    assert read(target).sentences == [Sentence("我跟老王说", (Span(2, 4, "name"),))]
    assert "1 sentences, 1 of them changed" in capsys.readouterr().out
