"""Strict bodies: of many faults one is looked for."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from fenjie.serve.limits import RefusedError
from fenjie.serve.messages import (
    AttentionRequest,
    SegmentRequest,
    TagRequest,
    TrainRequest,
    read,
)
from fenjie.serve.strict import Message


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
