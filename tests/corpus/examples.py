"""Sentences and small files in every format, which the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import read
from fenjie.errors import FileError
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


def refused(folder: Path, format: str | None, content: str, message: str) -> None:
    """Assert that a file cannot be read, and that the error is one line that names it."""
    path = put(folder, content)
    with pytest.raises(FileError, match=message) as caught:
        read(path, format)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
