"""Terms of texts and queries: what occurs in a text finds it."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fenjie.errors import FenjieError
from fenjie.integrations.search import Terms

TEXT = "王小明在北京大学读书，用Python 3写中文分词程序。"


@pytest.fixture(scope="module")
def terms() -> Terms:
    return Terms()


@pytest.fixture(scope="module")
def found_terms(terms: Terms) -> set[str]:
    return set(next(terms.index([TEXT])).split(" "))


@given(st.integers(0, len(TEXT)), st.integers(2, 8))
def test_each_chinese_part_of_a_text_finds_it(
    terms: Terms, found_terms: set[str], start: int, length: int
) -> None:
    part = TEXT[start : start + length]
    han = "".join(one for one in part if "\u4e00" <= one <= "\u9fff")
    if han == part and len(part) > 1:
        assert set(terms.query(part)) <= found_terms


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("分词", ["分词"]),
        ("大学读书", ["大学", "读书"]),
        ("在", ["在"]),
        ("Python 程序", ["Python", "程序"]),
        ("在北京用", ["北京"]),
        ("北京，北京", ["北京"]),
        ("Ｐｙｔｈｏｎ", ["Python"]),
        ("大\u200b学\u00ad", ["大学"]),
        ("。 ", []),
        ("", []),
    ],
)
def test_queries(terms: Terms, found_terms: set[str], query: str, wanted: list[str]) -> None:
    assert terms.query(query) == wanted
    assert set(wanted) <= found_terms


def test_single_characters_in_a_row_count_as_a_word(terms: Terms) -> None:
    assert terms.query("张三 大学") == ["张三", "大学"]
    assert terms.query("吃鱼") == ["吃鱼"]


def test_a_text_is_found_whatever_its_width_and_what_cannot_be_seen(terms: Terms) -> None:
    plain = "他在北京大学用Python 3"
    (expected,) = terms.index([plain])
    assert [*terms.index(["他在北\u200b京大\u00ad学用Ｐｙｔｈｏｎ　３"])] == [expected]
    assert terms.query("北\ufeff京大学") == terms.query("北京大学")


@pytest.mark.parametrize("address", ['http://a.com/?q="b"', 'http://a.com/"b', "http://a.com/＂b"])
def test_no_term_holds_a_quotation_mark(terms: Terms, address: str) -> None:
    query = terms.query(f"见{address}")
    assert query and not any('"' in term for term in query)
    assert set(query) <= {*next(terms.index([f"请见{address}，"])).split(" ")}


def test_what_is_no_text_is_named(terms: Terms) -> None:
    texts: Any = ["他在", None]
    with pytest.raises(FenjieError, match="text 2 is no text; found None"):
        list(terms.index(texts))


def test_user_words_are_found_in_both() -> None:
    own = Terms(words=["C++20"])
    assert "C++20" in next(own.index(["学C++20"])).split(" ")
    assert own.query("C++20") == ["C++20"]


def test_texts_in_an_index_of_sqlite(terms: Terms) -> None:
    texts = [TEXT, "他在分行的词典里查词", "", "东京大学"]
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(terms)")
    db.executemany("INSERT INTO texts VALUES (?)", [(one,) for one in terms.index(texts)])

    def search(query: str) -> list[int]:
        wanted = " ".join(f'"{term}"' for term in terms.query(query))
        rows = db.execute("SELECT rowid FROM texts WHERE terms MATCH ? ORDER BY rowid", [wanted])
        return [row - 1 for (row,) in rows]

    assert search("分词") == [0]
    assert search("大学") == [0, 3]
    assert search("北京大学") == [0]
    assert search("词典") == [1]
    assert search("python") == [0]
    db.close()


def test_one_text_is_refused_where_several_are_read() -> None:
    with pytest.raises(FenjieError, match="expected texts, such as a list"):
        Terms().index("他在")


@pytest.mark.parametrize("query", [["大学"], None, b"a"])
def test_several_texts_are_no_query(terms: Terms, query: Any) -> None:
    with pytest.raises(FenjieError, match=r"found .*; expected the text of a query"):
        terms.query(query)
