"""What is written in a format is read again."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fenjie.corpus import FORMATS, NAMES, read, write
from fenjie.errors import FenjieError
from fenjie.text.schemes import Scheme
from fenjie.text.span import Sentence, Span, holds_whitespace

SPACE = "".join(chr(code) for code in (9, 10, 11, 12, 13, 32, 0x3000))
ANY = st.one_of(st.sampled_from("中国0aOB-{[\\\"# \t\r\n\u3000\ufeff\u2028\x00👩\u200d"),
                st.characters(codec="utf-8"))  # fmt: skip
VISIBLE = st.one_of(
    st.sampled_from('中国0aOB-{["#\ufeff\u2028\x00'),
    st.characters(codec="utf-8", exclude_characters=SPACE),
)
LABELS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4).filter(
    lambda label: not holds_whitespace(label)
)
one_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def texts(characters: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.text(characters, min_size=1, max_size=12)


@st.composite
def marked(draw: st.DrawFn, characters: st.SearchStrategy[str]) -> Sentence:
    """A sentence with entities."""
    text = draw(texts(characters))
    edges = sorted(draw(st.sets(st.integers(0, len(text)))))
    spans = [Span(a, b, draw(LABELS)) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    return Sentence(text, tuple(spans))


def segmented(characters: st.SearchStrategy[str]) -> st.SearchStrategy[Sentence]:
    """A sentence of words."""
    return st.builds(Sentence.from_words, st.lists(texts(characters), min_size=1, max_size=5))


def check(sentences: list[Sentence], path: Path, format: str, **options: str) -> None:
    write(sentences, path, format, **options)
    options.pop("scheme", None)
    corpus = read(path, format, **options)
    assert corpus.sentences == sentences
    assert not corpus.repairs


IN_A_LINE = st.one_of(st.sampled_from(" \t\r"), VISIBLE)


@one_folder
@given(st.lists(marked(IN_A_LINE)), st.sampled_from(Scheme), st.sampled_from(["utf-8", "gb18030"]))
def test_columns(tmp_path: Path, sentences: list[Sentence], scheme: Scheme, encoding: str) -> None:
    check(sentences, tmp_path / "out", "columns", scheme=scheme, encoding=encoding)


@one_folder
@given(st.lists(marked(VISIBLE)))
def test_weibo(tmp_path: Path, sentences: list[Sentence]) -> None:
    check([s for s in sentences if not re.search("[0-9]", s.text[1:])], tmp_path / "out", "weibo")


@one_folder
@given(st.lists(segmented(VISIBLE)), st.sampled_from(["utf-8", "gb18030"]))
@pytest.mark.parametrize("format", FORMATS)
def test_words(tmp_path: Path, format: str, sentences: list[Sentence], encoding: str) -> None:
    check(sentences, tmp_path / "out", format, encoding=encoding)


@one_folder
@given(st.lists(st.one_of(marked(ANY), segmented(ANY), st.just(Sentence("")))))
@pytest.mark.parametrize("format", ["jsonl", "doccano", "label-studio"])
def test_json(tmp_path: Path, format: str, sentences: list[Sentence]) -> None:
    check(sentences, tmp_path / "out", format)


@one_folder
@given(
    st.lists(st.one_of(marked(VISIBLE), segmented(VISIBLE))), st.sampled_from(["utf-8", "gb18030"])
)
def test_brat(tmp_path: Path, sentences: list[Sentence], encoding: str) -> None:
    check(sentences, tmp_path / "out", "brat", encoding=encoding)


@one_folder
@given(marked(st.one_of(ANY, st.characters(codec=None, categories=["Cs", "Lo"]))))
def test_lone_surrogates_in_jsonl(tmp_path: Path, sentence: Sentence) -> None:
    if re.search("[\ud800-\udbff][\udc00-\udfff]", sentence.text):
        with pytest.raises(FenjieError, match="split surrogate pair"):
            write([sentence], tmp_path / "out", "jsonl")
    else:
        check([sentence], tmp_path / "out", "jsonl")


@one_folder
@given(st.binary(max_size=60), st.sampled_from([None, *NAMES]))
def test_any_bytes_give_a_corpus_or_one_line(
    tmp_path: Path, content: bytes, format: str | None
) -> None:
    path = tmp_path / "in"
    path.write_bytes(content)
    path.with_suffix(".txt").write_bytes(content)
    path.with_suffix(".ann").write_bytes(content)
    try:
        corpus = read(path, format)
    except FenjieError as error:
        assert "\n" not in str(error)
    else:
        assert len(corpus.lines) == len(corpus.sentences)
        assert all(one < other for one, other in pairwise(corpus.lines))
