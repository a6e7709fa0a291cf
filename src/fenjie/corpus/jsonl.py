r"""One JSON object a line: `{"text": "…", "spans": [[start, end, "label"], …]}`.

The offsets count characters (code points). The only format that holds every text: white space, line
ends, empty texts, and lone surrogates, which are written as escapes.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise

from fenjie.corpus.lines import Corpus, FilePath, Lines
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.span import Sentence, Span

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read sentences with spans; keys other than `text` and `spans` are ignored.

    Raises:
        FileError: a line is not such an object, or a span is empty, outside of the text or
            overlaps another.
    """
    corpus = Corpus()
    for number, line in lines:
        if line and not line.isspace():
            corpus.add(_sentence(line, number, path), number)
    return corpus


def _sentence(line: str, number: int, path: FilePath) -> Sentence:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise FileError(path, f"not JSON ({reason})", line=number, found=line) from error
    keys = entry if isinstance(entry, dict) else {}
    text, spans = keys.get("text"), keys.get("spans")
    if not isinstance(text, str) or not isinstance(spans, list):
        expected = '{"text": "…", "spans": [[start, end, "label"], …]}'
        raise FileError(path, "not a sentence", line=number, found=line, expected=expected)
    found = sorted(_span(item, len(text), number, path) for item in spans)
    for before, after in pairwise(found):
        if after.start < before.end:
            both = [[span.start, span.end, span.label] for span in (before, after)]
            raise FileError(
                path, "spans overlap", line=number, found=both, expected="each behind the last"
            )
    return Sentence(text, tuple(found))


def _span(item: object, length: int, number: int, path: FilePath) -> Span:
    match item:
        case [int(start), int(end), str(label)] if (
            type(start) is type(end) is int and label and 0 <= start < end <= length
        ):
            return Span(start, end, label)
    expected = f"[start, end, label] with 0 <= start < end <= {length}"
    raise FileError(path, "not a span", line=number, found=item, expected=expected)


def render(sentence: Sentence) -> str:
    """The line of a sentence.

    Raises:
        FenjieError: spans overlap, a label is empty, or the text holds a high surrogate with a
            low one behind it as two characters, which JSON would read as one.
    """
    for before, after in pairwise(sentence.spans):
        if after.start < before.end:
            raise FenjieError(f"spans overlap at {after.start} in {shorten(sentence.text)}")
    if not all(span.label for span in sentence.spans):
        raise FenjieError(f"found a span with an empty label in {shorten(sentence.text)}")
    spans = [[span.start, span.end, span.label] for span in sentence.spans]
    line = json.dumps({"text": sentence.text, "spans": spans}, ensure_ascii=False)
    if _SURROGATE.search(line):
        if _PAIR.search(line):
            raise FenjieError(f"found a split surrogate pair in {shorten(sentence.text)}")
        line = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
    return line + "\n"
