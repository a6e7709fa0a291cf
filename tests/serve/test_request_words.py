"""The user words of a request: their weights, their labels, whether they are forced."""

from __future__ import annotations

import pytest

from fenjie.errors import FenjieError
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_words import UserWord
from fenjie.serve.messages import (
    SegmentRequest,
    TagRequest,
    read,
)
from fenjie.serve.request_words import user_words


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
