"""Bodies: strict JSON; whatever else comes is refused with one sentence."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from fenjie.errors import FenjieError
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_words import UserWord
from fenjie.serve.limits import RefusedError
from fenjie.serve.messages import (
    AttentionRequest,
    SegmentRequest,
    TagRequest,
    TrainRequest,
    read,
)
from fenjie.serve.request_words import user_words
from fenjie.serve.strict import Message


def test_forms_of_requests() -> None:
    assert read(SegmentRequest, '{"text": "商品"}'.encode()).texts == ["商品"]
    request = read(TagRequest, b'{"text": ["a", "b"], "model": "ner", "words": {"a": null}}')
    assert (request.texts, request.model, request.words) == (["a", "b"], "ner", {"a": None})
    assert read(TagRequest, b'{"text": "\\u0000", "words": ["a"]}').texts == ["\0"]


def test_what_a_request_says_of_its_words() -> None:
    body = b'{"text": "", "words": {"a": 1000, "b": {"force": true}, "c": null, "d": {}}}'
    known = {"a": UserWord(1000), "b": UserWord(FORCED), "c": UserWord(), "d": UserWord()}
    assert user_words(read(SegmentRequest, body).words) == known
    body = b'{"text": "", "words": {"a b": "X", "b": {"label": "X", "weight": 5}, "c": null}}'
    known = {"a b": UserWord(label="X"), "b": UserWord(5, "X"), "c": UserWord()}
    assert user_words(read(TagRequest, body).words) == known
    assert user_words(["a"]) == {"a": UserWord()}
    for weight in (-1.0, float("inf"), float("nan")):
        with pytest.raises(FenjieError, match="not a weight of a user word"):
            user_words({"a": weight})


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


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (SegmentRequest, '{"text": [%s]}'),
        (SegmentRequest, '{"text": "", "words": [%s]}'),
        (TagRequest, '{"text": "", "words": [%s]}'),
        (TrainRequest, '{"name": "a", "sentences": [%s]}'),
        (TrainRequest, '{"name": "a", "sentences": [{"text": "a", "spans": [%s]}]}'),
    ],
)
def test_of_many_errors_in_a_list_only_the_first_is_made(kind: type[Message], body: str) -> None:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate_json(body % ",".join("1" * 100))
    assert caught.value.error_count() <= 2


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (SegmentRequest, '{"text": "", %s}', "unknown key 'k0'; expected text, model, words"),
        (TagRequest, '{"text": "", "words": {%s}}', "words: expected a list of strings, or an obj"),
        (TagRequest, '{"text": "", "words": {"a": "PER", "b": null, %s}}', "words: expected a li"),
        (AttentionRequest, '{"text": "", %s}', "unknown key 'k0'; expected text, model"),
        (TrainRequest, '{"name": "a", "sentences": [], %s}', "unknown key 'k0'; expected name"),
        (
            TrainRequest,
            '{"name": "a", "sentences": [{"text": "a", "spans": [], %s}]}',
            "sentences: expected a list of",
        ),
    ],
)
def test_of_many_errors_in_an_object_only_the_first_is_made(
    kind: type[Message], body: str, message: str
) -> None:
    body %= ",".join(f'"k{number}": 1' for number in range(100))
    with pytest.raises(ValidationError) as caught:
        kind.model_validate_json(body)
    assert caught.value.error_count() <= 3
    with pytest.raises(RefusedError) as refused:
        read(kind, body.encode())
    assert refused.value.message.startswith(message)


@pytest.mark.parametrize("span", ["[0, 1]", "[0, 1, 2]", '[true, 1, "X"]', '[0.0, 1, "X"]', "{}"])
def test_a_span_is_two_offsets_and_a_label(span: str) -> None:
    body = '{"name": "a", "sentences": [{"text": "a", "spans": [%s]}]}'
    sentences = read(TrainRequest, (body % '[0, 1, "X"]').encode()).sentences
    assert sentences[0].spans == [(0, 1, "X")]
    with pytest.raises(RefusedError, match="sentences: expected a list of"):
        read(TrainRequest, (body % span).encode())
