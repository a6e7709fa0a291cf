"""Normalisation keeps the way back to the text as given."""

from __future__ import annotations

import subprocess
import sys
import time
import unicodedata

import pytest

from fenjie.errors import FenjieError
from fenjie.text import normalise
from fenjie.text.normalise import Normaliser, apply
from fenjie.text.span import Sentence, Span


@pytest.mark.parametrize(
    ("setting", "given", "expected"),
    [
        ({}, "ＡＢｃ１２，！～　中ｶ", "ABc12,!~ 中ｶ"),
        ({"width": False}, "Ａ１　", "Ａ１　"),
        ({"digits": True}, "１2٣𝟙三²", "0000三²"),
        ({"latin": True}, "Ａbéß中яα", "XXXX中яα"),
        ({"width": False, "digits": True, "latin": True}, "Ａ１a1", "X0X0"),
        ({"compatibility": True}, "㎏①ﬁｶﾞe\u0301…", "kg1fiガé..."),
        ({"compatibility": True, "digits": True, "latin": True}, "㎏①", "XX0"),
        ({"simplify": True}, "乾隆皇帝吃乾燥的麵", "乾隆皇帝吃干燥的面"),
        ({"simplify": True}, "\ud800臺\x00灣\udc00\n麵", "\ud800台\x00湾\udc00\n面"),
        ({"compatibility": True}, "각ㅏ", "각ㅏ".replace("ㅏ", "\u1161")),
    ],
)
def test_steps(setting: dict[str, bool], given: str, expected: str) -> None:
    normalised = Normaliser(**setting)(given)
    assert normalised.text == expected
    assert normalised.origin == given
    assert normalised.spans_from_origin([Span(0, len(given))]) == (Span(0, len(expected)),)


def test_one_to_one_needs_no_alignment() -> None:
    assert Normaliser(digits=True, latin=True, simplify=True)("１Ａ乾").alignment is None
    assert Normaliser(compatibility=True)("①神").alignment is None
    assert Normaliser(compatibility=True)("普通的文字").alignment is None


def test_all_that_composes_is_composed() -> None:
    parts = (unicodedata.normalize("NFD", chr(code)) for code in range(sys.maxunicode + 1))
    text = "一".join(part for part in parts if len(part) > 1)
    assert Normaliser(compatibility=True)(text).text == unicodedata.normalize("NFKC", text)


def test_the_edges_of_units() -> None:
    normalised = Normaliser(compatibility=True)("重5㎏吧e\u0301")
    assert normalised.text == "重5kg吧é"
    assert normalised.alignment is not None
    after, before = normalised.alignment
    assert after.tolist() == [0, 1, 2, 4, 5, 6]
    assert before.tolist() == [0, 1, 2, 3, 4, 6]


def test_boundaries_inside_a_unit_move_to_its_end() -> None:
    normalised = Normaliser(compatibility=True)("5e\u0301重")
    spans = (Span(0, 1), Span(1, 2), Span(2, 3), Span(3, 4))
    assert normalised.spans_from_origin(spans) == (Span(0, 1), Span(1, 2), Span(2, 3))
    normalised = Normaliser(compatibility=True)("5㎏重")
    assert normalised.spans_from_origin([Span(0, 2, "N")]) == (Span(0, 3, "N"),)


def test_apply() -> None:
    sentence = Sentence.from_words(["５", "㎏", "重"])
    moved = apply(Normaliser(compatibility=True), sentence)
    assert moved == Sentence.from_words(["5", "kg", "重"])
    split = Sentence.from_words(["e", "\u0301", "吧"])
    assert apply(Normaliser(compatibility=True), split) == Sentence.from_words(["é", "吧"])
    assert apply(Normaliser(), split) is split


def test_phrases_of_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    class Converter:
        def convert(self, text: str) -> str:
            return text.replace("甲乙", "丙").replace("甲", "一").replace("丁", "二三")

    monkeypatch.setattr("fenjie.text.normalise._opencc", Converter)
    normalised = Normaliser(simplify=True)("甲甲\n甲乙丁丁\ud800甲")
    assert normalised.text == "一一\n一乙丁丁\ud800一"
    assert normalised.alignment is None


def test_opencc_is_imported_only_when_wanted() -> None:
    program = (
        "import sys; from fenjie.text.normalise import Normaliser; Normaliser()('a');"
        "assert 'opencc' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_opencc_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    normalise._opencc.cache_clear()
    with pytest.raises(FenjieError, match=r'pip install "fenjie\[traditional\]"'):
        Normaliser(simplify=True)("麵")
    assert Normaliser()("麵").text == "麵"


@pytest.mark.parametrize("setting", [{}, {"digits": True, "latin": True}])
def test_speed(setting: dict[str, bool]) -> None:
    text = "迈向充满希望的新世纪——１９９８年新年讲话（附图片１张），" * 20_000
    normaliser = Normaliser(**setting)
    normaliser(text)
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        normaliser(text)
        best = min(best, time.process_time() - start)
    assert len(text) / best > 2_000_000  # 10 to 20 million on an idle machine


def test_many_marks_on_one_letter_take_linear_time() -> None:
    normalise = Normaliser(compatibility=True)
    marks = "\u0301\u0323\u0345\u0327\u3099"
    for count in (12, 13, 14, 200):
        text = "a" + "e" + marks * count + "か" + marks * count + "x㎏"
        assert normalise(text).text == unicodedata.normalize("NFKC", text)
    begin = time.process_time()
    normalise("e" + marks * 20_000)
    assert time.process_time() - begin < 2
