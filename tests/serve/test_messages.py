"""Bodies: strict JSON; whatever else comes is refused with one sentence."""

from __future__ import annotations

import pytest

from fenjie.serve.limits import RefusedError
from fenjie.serve.messages import (
    SegmentRequest,
    TagRequest,
    TrainRequest,
    read,
)
from fenjie.serve.strict import Message


def test_forms_of_requests() -> None:
    assert read(SegmentRequest, '{"text": "商品"}'.encode()).texts == ["商品"]
    request = read(TagRequest, b'{"text": ["a", "b"], "model": "ner", "words": {"a": null}}')
    assert (request.texts, request.model, request.words) == (["a", "b"], "ner", {"a": None})
    assert read(TagRequest, b'{"text": "\\u0000", "words": ["a"]}').texts == ["\0"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON in UTF-8: EOF"),
        (b"{", "the body is not JSON in UTF-8: EOF"),
        (b"\xff", "the body is not JSON in UTF-8"),
        (b'{"text": "\xed\xa0\x80"}', "the body is not JSON in UTF-8"),
        (b'{"text": "\\ud800"}', "the body is not JSON in UTF-8"),
        (b'{"text": "\0"}', "the body is not JSON in UTF-8: control character"),
        ('{"text": "你"}'.encode("gbk"), "the body is not JSON in UTF-8"),
        ('{"text": "你"}'.encode("utf-16"), "the body is not JSON in UTF-8"),
        ('{"text": "你"}'.encode("utf-8-sig"), "the body is not JSON in UTF-8"),
        (b'{"text": ' + b"9" * 10000 + b"}", "the body is not JSON in UTF-8: number"),
        (b"[" * 10000, "the body is not JSON in UTF-8: recursion"),
        (b'{"text": "a"} b', "the body is not JSON in UTF-8: trailing"),
        (b"[]", "the body is not a JSON object"),
        (b"null", "the body is not a JSON object"),
        (b"{}", "text is missing"),
        (b'{"text": null}', "text: expected a string or a list of strings"),
        (b'{"text": [1]}', "text: expected a string or a list of strings"),
        (b'{"text": 1e999}', "text: expected a string or a list of strings"),
        (b'{"text": "", "model": 1}', "model: expected a string or null"),
        (b'{"text": "", "words": {"a": [1]}}', "words: expected a list of strings"),
        (b'{"text": "", "words": {"a": {"weight": "1"}}}', "words: expected a list of strings"),
        (b'{"text": "", "words": {"a": {"force": 1}}}', "words: expected a list of strings"),
        (b'{"text": "", "words": {"a": {"label": null}}}', "words: expected a list of strings"),
        (b'{"text": "", "words": {"a": {"weigth": 1}}}', "words: expected a list of strings"),
        (b'{"text": "", "x\\n": 1}', "unknown key 'x\\n'; expected text, model, words"),
    ],
)
@pytest.mark.parametrize("kind", [SegmentRequest, TagRequest])
def test_other_bodies_are_refused(kind: type[Message], body: bytes, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read(kind, body)
    assert caught.value.status == 422
    assert caught.value.message.startswith(message)
    assert len(caught.value.message.splitlines()) == 1


@pytest.mark.parametrize("span", ["[0, 1]", "[0, 1, 2]", '[true, 1, "X"]', '[0.0, 1, "X"]', "{}"])
def test_a_span_is_two_offsets_and_a_label(span: str) -> None:
    body = '{"name": "a", "sentences": [{"text": "a", "spans": [%s]}]}'
    sentences = read(TrainRequest, (body % '[0, 1, "X"]').encode()).sentences
    assert sentences[0].spans == [(0, 1, "X")]
    with pytest.raises(RefusedError, match="sentences: expected a list of"):
        read(TrainRequest, (body % span).encode())
