"""Reading and writing each format, and the messages for files that are not what they should be."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from fenjie.corpus import FORMATS, Corpus, guess, read, write
from fenjie.corpus.columns import NOT_BEGUN
from fenjie.corpus.spaced import align
from fenjie.errors import FenjieError, FileError
from fenjie.text.schemes import NEW_LABEL, NO_BEGIN
from fenjie.text.span import Sentence, Span

ENTITIES = [
    Sentence("我在北京。", (Span(2, 4, "LOC"),)),
    Sentence("李雷见 3人", (Span(0, 2, "PER.NAM"), Span(2, 3, "X-Y"))),
    Sentence("没有"),
]
WORDS = [Sentence.from_words(["我", "在", "北京", "。"]), Sentence.from_words(["完"])]

CONLLU = """\
# text = 我在北京
1\t我\t_\tPRON\t_\t_\t2\tnsubj\t_\tSpaceAfter=No
2-3\t在北京\t_\t_\t_\t_\t_\t_\t_\t_
2\t在\t_\tVERB\t_\t_\t0\troot\t_\t_
2.1\t空\t_\t_\t_\t_\t_\t_\t_\t_
3\t北京\t_\tPROPN\t_\t_\t2\tobj\t_\t_

1\t完\t_\tVERB\t_\t_\t0\troot\t_\t_
"""

FILES = {
    "columns": "我 O\n在 O\n北 B-LOC\n京 E-LOC\n\n\n完 O\n",
    "weibo": "我0\tO\n在0\tO\n北0\tB-LOC\n京1\tI-LOC\n\n完0\tO\n\n",
    "spaced": "我  在  北京\n\n\u3000完\n",
    "conllu": CONLLU,
    "jsonl": '{"text": "我在北京", "spans": [[2, 4, "LOC"]]}\n\n{"text": "完", "spans": []}\n',
    "doccano": '{"id": 1, "text": "我在北京", "label": [[2, 4, "LOC"]]}\n'
    '{"text": "完", "entities": [], "relations": []}\n',
    "label-studio": """[
  {"id": 1, "data": {"text": "我在北京"}, "annotations": [{"was_cancelled": true}, {"result": [
    {"type": "labels", "value": {"start": 2, "end": 4, "text": "北京", "labels": ["LOC"]}},
    {"type": "choices", "value": {"choices": ["A"]}}]}]},
  {"data": {"review": "完", "id": 7}, "annotations": [{"result": []}]}
]
""",
}


def put(folder: Path, content: str | bytes, name: str = "corpus.txt") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


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


@pytest.mark.parametrize("format", FORMATS)
def test_the_ways_a_file_is_stored(tmp_path: Path, format: str) -> None:
    expected = read(put(tmp_path, FILES[format]))
    content = FILES[format]
    for stored in (
        content.replace("\n", "\r\n").encode(),
        content.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + content.encode(),
        gzip.compress(content.encode()),
        content.rstrip("\n").encode(),
    ):
        assert read(put(tmp_path, stored)) == expected
    path = put(tmp_path, content.encode("gb18030"))
    assert read(path, encoding="gb18030") == expected
    with pytest.raises(FileError, match="not utf-8 text"):
        read(path)


def test_line_numbers(tmp_path: Path) -> None:
    assert read(put(tmp_path, FILES["columns"])).lines == [1, 7]
    assert read(put(tmp_path, FILES["spaced"])).lines == [1, 3]
    assert read(put(tmp_path, FILES["jsonl"])).lines == [1, 3]
    assert read(put(tmp_path, FILES["conllu"])).lines == [1, 8]


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


def test_a_text_that_starts_with_a_byte_order_mark(tmp_path: Path) -> None:
    sentence = Sentence.from_words(["\ufeff中"])
    write([sentence], tmp_path / "out", "spaced")
    assert read(tmp_path / "out", "spaced").sentences == [sentence]


def test_odd_characters_in_columns(tmp_path: Path) -> None:
    sentence = Sentence(" \t\r\x00\u3000\u2028a\ufeff", (Span(0, 3, "A"),))
    write([sentence], tmp_path / "out", "columns")
    assert read(tmp_path / "out").sentences == [sentence]
    spaces = put(tmp_path, "a B-X\n  I-X\n\t\tI-X\nb   O \n")
    assert read(spaces).sentences == [Sentence("a \tb", (Span(0, 3, "X"),))]


def test_a_column_may_hold_more_than_a_character(tmp_path: Path) -> None:
    path = put(tmp_path, "我 O\n2020 B-T\n年 I-T\n👩\u200d🚀 O\n")
    assert read(path).sentences == [Sentence("我2020年👩\u200d🚀", (Span(1, 6, "T"),))]


def test_weibo_digits(tmp_path: Path) -> None:
    path = put(tmp_path, "30\tO\n310\tB-A\n\ufffd\ufffd0\tI-A\nx12\tO\n")
    assert read(path).sentences == [Sentence("33\ufffd\ufffdx", (Span(1, 4, "A"),))]


def test_offsets_of_annotation_tools(tmp_path: Path) -> None:
    """Doccano counts in UTF-16; Label Studio did, and the text beside the offsets tells."""
    expected = [Sentence("😀在北京😀", (Span(2, 4, "LOC"), Span(4, 5, "X")))]
    doccano = '{"text": "😀在北京😀", "labels": [[3, 5, "LOC"], [5, 7, "X"]]}\n'
    assert read(put(tmp_path, doccano)).sentences == expected
    for first in (2, 3):
        last = first + 2
        values = (
            {"start": first, "end": last, "text": "北京", "labels": ["LOC"]},
            {"start": last, "end": last + first - 1, "text": "😀", "labels": ["X"]},
        )
        task = {"id": 1, "text": "😀在北京😀", "label": values, "annotator": 1}
        assert read(put(tmp_path, json.dumps([task]))).sentences == expected
    entity = {"id": 3, "label": "LOC", "start_offset": 0, "end_offset": 2}
    content = json.dumps({"text": "北京", "entities": [entity]})
    assert read(put(tmp_path, content)).sentences == [Sentence("北京", (Span(0, 2, "LOC"),))]


def test_a_text_about_labels_is_no_label(tmp_path: Path) -> None:
    sentence = Sentence('{"label": [] , "entities": []}', (Span(0, 1, "X"),))
    write([sentence], tmp_path / "out", "jsonl")
    assert read(tmp_path / "out").sentences == [sentence]


def test_json_of_label_studio_is_json(tmp_path: Path) -> None:
    for sentences in ([], ENTITIES[:1], ENTITIES):
        write(sentences, tmp_path / "out", "label-studio")
        assert len(json.loads((tmp_path / "out").read_text(encoding="utf-8"))) == len(sentences)
        assert read(tmp_path / "out", "label-studio").sentences == sentences


def test_repairs_are_counted(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, "a I-X\nb I-X\n\nc O\nd I-X\n"))
    assert corpus.repairs == {NO_BEGIN: 2}
    assert [sentence.spans for sentence in corpus] == [(Span(0, 2, "X"),), (Span(1, 2, "X"),)]


@pytest.mark.parametrize(
    ("content", "spans", "repairs"),
    [
        ("a M-X\nb E-X\nc S-X\n", [(2, 3)], {NOT_BEGUN: 1}),
        ("a B-X\nb M-X\nc M-Y\nd E-Y\n", [(0, 2)], {NOT_BEGUN: 1}),
        ("a E-X\nb O\n", [], {NOT_BEGUN: 1}),
        ("a O\nb I-X\nc O\nd B-X\ne I-X\n", [(3, 5)], {NOT_BEGUN: 1}),
        ("a I-X\nb B-X\nc I-X\nd I-Y\n", [(0, 1), (1, 3), (3, 4)], {NO_BEGIN: 1, NEW_LABEL: 1}),
        ("a M\nb E\nc S\n", [(0, 2), (2, 3)], {NO_BEGIN: 1}),
    ],
)
def test_an_entity_begins_with_a_tag_that_says_so(
    tmp_path: Path, content: str, spans: list[tuple[int, int]], repairs: dict[str, int]
) -> None:
    """Except in IOB1, where I does; words are mended so that they tile the text."""
    corpus = read(put(tmp_path, content))
    assert [(span.start, span.end) for span in corpus.sentences[0].spans] == spans
    assert corpus.repairs == repairs


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        (None, "中 B-X\n国\n", r":2: not two columns; found '国'; expected two columns: a"),
        (None, "中 B-X\n国 x I-X\n", r":2: not two columns; found '国 x I-X'"),
        (None, "中 B-X\n国 PER\n文 O\n", r":2: not a tag; found 'PER'; expected O or"),
        (None, "中 B-X\n国 I-X\n文 M-X\n", r"I- and M- tags both occur"),
        ("columns", "中 \n", ":1: not two columns"),
        ("columns", " O\n", ":1: not two columns"),
        ("weibo", "中0 O\n国 O\n", r":2: not a line of the Weibo form; found '国 O'"),
        (None, CONLLU.replace("3\t北京\t_", "3\t北京"), r":6: not a CoNLL-U line; found '3"),
        ("conllu", "1\t\t_\t_\t_\t_\t_\t_\t_\t_\n", ":1: not a CoNLL-U line"),
        ("conllu", "中 国\n", ":1: not a CoNLL-U line"),
        ("jsonl", '{"text": "a", "spans": []}\n{"text": \n', r":2: not JSON \(Expecting value\)"),
        ("jsonl", "[" * 100_000, ":1: not JSON"),
        ("jsonl", '{"text": "a", "spans": [[%s, 1, "X"]]}' % ("9" * 5000), ":1: not JSON"),
        ("jsonl", "[1]", ":1: not a sentence"),
        ("jsonl", '{"text": "a"}', r":1: not a sentence.*expected {\"text\""),
        ("jsonl", '{"text": 1, "spans": []}', ":1: not a sentence"),
        ("jsonl", '{"text": "a", "spans": [[0, 2, "X"]]}', r"found \[0, 2, 'X'\]; expected.*<= 1"),
        ("jsonl", '{"text": "a", "spans": [[1, 1, "X"]]}', ":1: not a span"),
        ("jsonl", '{"text": "a", "spans": [[0, 1]]}', ":1: not a span"),
        ("jsonl", '{"text": "a", "spans": [[0, true, "X"]]}', ":1: not a span"),
        ("jsonl", '{"text": "a", "spans": [[0, 1, ""]]}', ":1: not a span"),
        ("jsonl", '{"text": "abc", "spans": [[1, 3, "X"], [0, 2, "Y"]]}', ":1: spans overlap; f"),
        ("doccano", '{"text": "a", "label": []}\n{"text": "a"}', ":2: not a sentence"),
        ("doccano", '{"text": "a", "label": ["X"]}', ":1: not a span; found 'X'"),
        (None, '{"text": "a", "label": [[0, 2, "X"]]}', r":1: not a span.*end <= 1"),
        (None, '{"text": "abc", "label": [[0, 2, "X"], [1, 3, "Y"]]}', ":1: spans overlap"),
        (None, '{"text": "😀b", "label": [[1, 3, "X"]]}', r":1: not a span.*end <= 3"),
        (None, '{"text": "a", "entities": [{"label": "X"}]}', r"found \[None, None, 'X'\]"),
        ("label-studio", "{}", r":1: not JSON of Label Studio; found '{}'; expected an array"),
        ("label-studio", "[1]", ":1: not JSON of Label Studio; found '1\\]'; expected a task"),
        (None, '[{"text": "a"}\n\n,{"text": }]', ":3: not JSON of Label Studio; found '}\\]'"),
        (None, '[{"text": "a"} {"text": "a"}]', "expected a comma or ] behind a task"),
        (None, '[{"text": "a"}]]', "expected nothing behind the array"),
        (None, '[\n{"data": {}, "annotations": []}]', ":2: a task without a text; found {}"),
        (None, '[{"data": {"text": "a"}}]', ":1: a task with 0 annotations; expected one"),
        (None, '[{"data": {"a": "a"}, "annotations": [{}, {}]}]', "task with 2 annotations"),
        (None, '[{"data": {"a": "a"}, "annotations": [{}]}]', ":1: not labels"),
        (None, '[{"text": "a", "label": ["X"]}]', ":1: not labels; found \\['X'\\]"),
        (None, '[{"text": "a", "label": [{"start": 0, "end": 1, "labels": []}]}]', "not one label"),
        (None, '[{"text": "ab", "label": [{"start": 0, "end": 1, "text": "b", "labels": ["X"]}]}]',
         "the text from 0 to 1 is not what the label says; found 'a'; expected 'b'"),
        (None, '[{"text": "a", "label": [{"start": 0, "end": 2, "labels": ["X"]}]}]', "end <= 1"),
        (None, "", "holds nothing to guess a format from; found ''; expected one of col"),
        (None, "\n \n", "holds nothing to guess"),
        (None, "一行没有空格的字\n", "unknown format; found '一行没有空格的字'; expected one of"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, format: str | None, content: str, message: str
) -> None:
    path = put(tmp_path, content)
    with pytest.raises(FileError, match=message) as caught:
        read(path, format)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_file_is_an_empty_corpus(tmp_path: Path, format: str) -> None:
    assert read(put(tmp_path, ""), format) == Corpus()
    assert read(put(tmp_path, "\n\n"), format) == Corpus()


def test_spans_are_sorted(tmp_path: Path) -> None:
    path = put(tmp_path, '{"id": 1, "text": "abc", "spans": [[1, 3, "X"], [0, 1, "Y"]]}')
    assert read(path).sentences[0].spans == (Span(0, 1, "Y"), Span(1, 3, "X"))


@pytest.mark.parametrize(
    ("format", "sentence", "message"),
    [
        ("columns", Sentence("a\nb"), "expected a text in one line"),
        ("columns", Sentence(""), "not empty"),
        ("columns", Sentence("ab", (Span(0, 1, "x y"),)), "label 'x y' cannot stand in a column"),
        ("columns", Sentence("abc", (Span(0, 2, "A"), Span(1, 3, "A"))), "tags cannot say"),
        ("columns", Sentence("\ud800"), r"in utf-8; found '\\ud800'; expected .*jsonl"),
        ("weibo", Sentence(""), "not empty"),
        ("spaced", Sentence("中国"), "expected words that tile"),
        ("spaced", Sentence(""), "expected words that tile"),
        ("spaced", Sentence.from_words(["a b"]), "found white space"),
        ("conllu", Sentence.from_words(["a\tb"]), "found a tab"),
        ("conllu", Sentence("中国", (Span(0, 1),)), "expected words that tile"),
        ("jsonl", Sentence("\ud83d\ude00"), "split surrogate pair"),
        ("jsonl", Sentence("ab", (Span(0, 2, "A"), Span(1, 2, "A"))), "spans overlap at 1"),
        ("jsonl", Sentence("ab", (Span(0, 2, ""),)), "empty label"),
    ],
)
def test_sentences_that_a_format_cannot_say(
    tmp_path: Path, format: str, sentence: Sentence, message: str
) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(FileError, match=f"out: sentence 2 cannot be written.*{message}"):
        write([Sentence.from_words(["好"]), sentence], path, format)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_an_encoding_lacks(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="sentence 1 cannot be written in gb2312; found '㎏'"):
        write([Sentence("㎏")], tmp_path / "out", "jsonl", encoding="gb2312")
    assert not list(tmp_path.iterdir())


def test_a_full_disk(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full here")
    with pytest.raises(FileError, match="/dev/full: cannot be written: No space left on device"):
        write(ENTITIES, "/dev/full", "jsonl")


def test_unknown_names(tmp_path: Path) -> None:
    path = put(tmp_path, FILES["columns"])
    with pytest.raises(FenjieError, match="unknown format 'bmes'; expected columns, spaced"):
        read(path, "bmes")
    with pytest.raises(FenjieError, match="unknown format"):
        write([], path, "bmes")
    with pytest.raises(FenjieError, match="unknown label scheme"):
        write([], path, "columns", scheme="IOB")
    with pytest.raises(FenjieError, match="unknown encoding"):
        write([], path, "columns", encoding="utf-9")


def test_align() -> None:
    sentence = align("我 在\u3000New York 。", ["我", "在", "NewYork", "。"])
    assert sentence.words == ["我", "在", "New York", "。"]
    assert align(" ", []).spans == ()
    message = (
        r"gold:7: the words do not spell the text from character 2 on; found '再'; expected '在'"
    )
    with pytest.raises(FileError, match=message):
        align("我在", ["我", "再"], path="gold", line=7)
    with pytest.raises(FileError, match=r"from character 2 on; found ''; expected '在'"):
        align("我在", ["我"])
