"""Sentences of raw text in which errors of `ner` are mended."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from benchmarks.silver.corrected import (
    TIMES,
    Tagged,
    crosses,
    mend,
    mend_all,
    nothing,
    with_known,
    with_rare_names,
)
from benchmarks.silver.known_names import NONE, without_none
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence, Span

TEXT = "隆重庆祝中国的节日"
KNOWN = {"Google": "ORG", "Linux": "-", "拜登": "PER"}


def gaps(words: str, sure: float = 9) -> np.ndarray:
    """The log-odds of gaps with which a text is cut into words, all equally sure."""
    marks = [first for word in words.split() for first in [True] + [False] * (len(word) - 1)]
    return np.where(marks, sure, -sure).astype(np.float32)


def tagged(text: str, *spans: Span, technical: bool = True) -> Tagged:
    return Tagged(Sentence(text, spans), np.zeros(len(text), np.float32), technical)


def test_a_name_that_sure_words_cross() -> None:
    place = Span(1, 3, "LOC", 1.0)
    assert crosses(place, TEXT, gaps("隆重 庆祝 中国 的 节日"))
    assert not crosses(place, TEXT, gaps("隆 重庆 祝 中国 的 节日"))
    assert not crosses(place, TEXT, gaps("隆重庆祝 中国 的 节日"))  # it holds the name
    assert not crosses(place, TEXT, gaps("隆重 庆祝 中国 的 节日", 3))


def test_what_may_stand_beside_a_name_is_no_word_that_crosses_it() -> None:
    assert not crosses(Span(0, 2, "LOC"), "美国籍", gaps("美 国籍"))
    assert not crosses(Span(1, 3, "PER"), "老李强", gaps("老李 强"))
    assert crosses(Span(1, 3, "PER"), "大李强", gaps("大李 强"))


def test_a_crossed_name_is_unmarked_and_a_crossed_person_is_in_doubt() -> None:
    odds = gaps("隆重 庆祝 中国 的 节日")
    country = Span(4, 6, "LOC", 1.0)
    for label, kept in (("LOC", Sentence(TEXT, (country,))), ("PER", None)):
        sentence = Sentence(TEXT, (Span(1, 3, label, 1.0), country))
        assert mend(Tagged(sentence, odds, False), {}, set()) == kept


def test_a_little_one_that_a_word_crosses_is_no_person() -> None:
    bird = Sentence("一只小乌鸦飞走", (Span(2, 4, "PER", 1.0),))
    assert mend(Tagged(bird, gaps("一 只 小 乌鸦 飞走"), False), {}, set()) == Sentence(bird.text)
    assert mend(Tagged(bird, gaps("一 只 小乌 鸦 飞走"), False), {}, set()) == bird


def test_names_in_latin_letters_in_a_technical_article() -> None:
    text = "Java 和 Google 的 Linux Foundation 经理 Tim Cook"
    game, firm = Span(0, 4, "GAME", 0.9), Span(7, 13, "GAME", 0.9)
    body, person = Span(16, 32, "ORG", 0.9), Span(36, 44, "PER", 0.9)
    one = tagged(text, game, firm, body, person)
    assert mend(one, KNOWN, set()) == Sentence(text, (Span(7, 13, "ORG"), body, person))
    assert mend(tagged(text, Span(36, 44, "PER", 0.5)), KNOWN, set()) is None
    assert mend(tagged(text, Span(0, 4, "PER", 0.9)), KNOWN, set()) is None
    rare = tagged(text, Span(0, 4, "ORG", 0.9))
    assert mend(rare, KNOWN, set()) is None
    assert mend(rare, KNOWN, {"Java"}) == Sentence(text, ())
    mixed = "红帽 Linux 发布"
    assert mend(tagged(mixed, Span(0, 8, "ORG", 0.9)), KNOWN, set()) is None


def test_a_known_name_has_its_type_or_is_none() -> None:
    text = "拜登用 Linux"
    spans = Span(0, 2, "ORG", 0.9), Span(4, 9, "GAME", 0.9)
    for technical in (True, False):
        found = mend(tagged(text, *spans, technical=technical), KNOWN, set())
        assert found == Sentence(text, (Span(0, 2, "PER"),))


def test_what_is_often_nothing_in_technical_articles_is_nothing_elsewhere() -> None:
    article = tagged("Java 很好", Span(0, 4, "GAME", 0.9))
    assert nothing([article] * 3, KNOWN) == {"Java"}
    assert not nothing([article] * 2, KNOWN)
    assert not nothing([article._replace(technical=False)] * 3, KNOWN)
    post = article._replace(technical=False)
    assert mend(post, KNOWN, {"Java"}) == Sentence("Java 很好", ())
    assert mend(post, KNOWN, set()) == post.names


def test_known_names_are_marked_where_they_stand_alone() -> None:
    labels = dict.fromkeys(["HP", "京东", "京东物流"], "ORG")
    listed = Lexicon.build(labels)
    text = "PHP 不是HP，京东物流在北京"
    odds = gaps("PHP_ 不是 HP ， 京东 物流 在 北京")
    sentence = Sentence(text, (Span(14, 16, "LOC", 0.9),))
    found = with_known(Tagged(sentence, odds, False), listed, labels)
    assert [span.of(text) for span in found.spans] == ["HP", "京东物流", "北京"]
    inside = gaps("PHP_ 不是 HP ， 京东 物流在 北京")
    found = with_known(Tagged(sentence, inside, False), listed, labels)
    assert [span.of(text) for span in found.spans] == ["HP", "北京"]
    longer = Sentence("北京京东公司", (Span(0, 6, "ORG", 0.9),))
    assert with_known(Tagged(longer, gaps("北京 京东 公司"), False), listed, labels) == longer


def test_a_known_name_stands_in_place_of_shorter_ones() -> None:
    labels = {"山东泰山": "ORG", "泰山": "LOC", "东坡肉": "-", "人物": "-"}
    listed = Lexicon.build(labels)
    text = "山东泰山吃东坡肉"
    shorter = Span(0, 2, "LOC", 0.9), Span(2, 4, "LOC", 0.9), Span(5, 7, "PER", 0.9)
    club = Sentence(text, (Span(0, 4, "ORG", 1.0), Span(5, 8, NONE, 1.0)))
    one = Tagged(Sentence(text, shorter), gaps("山东 泰山 吃 东坡肉"), False)
    assert with_known(one, listed, labels) == club
    assert with_known(one._replace(names=club), listed, labels) == club
    across = Sentence(text, (Span(2, 7, "LOC", 0.9),))
    assert with_known(one._replace(names=across), listed, labels) == across
    within = Tagged(Sentence("泰山人物"), gaps("泰山人 物"), False)
    assert with_known(within, listed, labels) == within.names


def test_a_role_in_another_word_and_fruit_are_nothing() -> None:
    text = "记者会上有苹果"
    role, firm = Span(0, 2, "POSITION", 0.9), Span(5, 7, "ORG", 0.9)
    one = Tagged(Sentence(text, (role, firm)), gaps("记者会 上 有 苹果"), False)
    nothing_here = Span(0, 2, NONE, 1.0)
    assert mend(one, {}, set()) == Sentence(text, (nothing_here, firm))
    eaten = Tagged(Sentence("苹果和香蕉", (Span(0, 2, "ORG", 0.9),)), gaps("苹果 和 香蕉"), False)
    apple = Sentence("苹果和香蕉", (Span(0, 2, NONE, 1.0),))
    assert mend(eaten, {"苹果": "ORG"}, set()) == apple
    assert without_none(apple) == Sentence("苹果和香蕉")


def test_what_is_no_name_here_is_not_marked_as_a_known_name() -> None:
    text, role = "{}的记者来了", Span(2, 4, "POSITION", 0.9)
    found = [
        Tagged(Sentence(text.format(number), (role,)), gaps(f"{number} 的 记者 来 了"), False)
        for number in "一二三四五六"
    ]
    part = Sentence("记者会开始了", (Span(0, 2, "POSITION", 0.9),))
    left_out = Tagged(Sentence("他说记者"), gaps("他 说 记者"), False)
    mended, others = mend_all([*found, Tagged(part, gaps("记者会 开始 了"), False), left_out], {})
    assert [one.spans for one in mended] == [(), (Span(2, 4, "POSITION"),)]
    assert len(others) == 6


def test_a_frequent_name_stands_in_few_sentences_a_rare_one_in_all() -> None:
    often = [Sentence(f"北京{number}", (Span(0, 2, "LOC"),)) for number in range(40)]
    rarely = [Sentence(f"高邮{number}", (Span(0, 2, "LOC"),)) for number in range(3)]
    empty = [Sentence(f"今天{number}") for number in range(80)]
    roles = [Sentence(f"记者{number}", (Span(0, 2, "POSITION"),)) for number in range(80)]
    kept = list(with_rare_names([*often, *rarely, *empty, *roles], Random(1)))
    counts = {start: sum(one.text.startswith(start) for one in kept) for start in ("北京", "高邮")}
    assert counts == {"北京": TIMES, "高邮": 3}
    assert 0 < sum(one in empty for one in kept) < 30
    assert 0 < sum(one in roles for one in kept) < 30
