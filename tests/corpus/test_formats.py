"""Every format is recognised, read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import FORMATS, guess, read, write
from fenjie.text.span import Span
from tests.corpus.examples import ENTITIES, FILES, WORDS, put


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_is_recognised_and_read(tmp_path: Path, format: str) -> None:
    path = put(tmp_path, FILES[format])
    assert guess(FILES[format].splitlines()) == format
    corpus = read(path)
    assert [sentence.text for sentence in corpus] == ["我在北京", "完"]
    assert len(corpus) == 2
    if format in ("spaced", "conllu"):
        assert corpus.sentences[0].words == ["我", "在", "北京"]
    else:
        assert corpus.sentences[0].spans == (Span(2, 4, "LOC"),)
    assert not corpus.repairs
    assert read(path, format) == corpus
    assert corpus.lines[0] == (2 if format == "label-studio" else 1)


@pytest.mark.parametrize("format", ["columns", "jsonl", "weibo", "doccano", "label-studio"])
def test_entities_come_back(tmp_path: Path, format: str) -> None:
    sentences = ENTITIES if format != "weibo" else [ENTITIES[0], ENTITIES[2]]
    write(sentences, tmp_path / "out", format)
    assert read(tmp_path / "out", format).sentences == sentences


@pytest.mark.parametrize("scheme", ["BIO", "BIOES", "BMES", "bmes"])
def test_schemes_come_back(tmp_path: Path, scheme: str) -> None:
    for sentences in ENTITIES, WORDS:
        write(sentences, tmp_path / "out", "columns", scheme=scheme)
        assert read(tmp_path / "out").sentences == sentences


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-8-sig"])
def test_words_come_back(tmp_path: Path, format: str, encoding: str) -> None:
    write(iter(WORDS), tmp_path / "out", format, encoding=encoding)
    assert read(tmp_path / "out", format, encoding=encoding).sentences == WORDS
