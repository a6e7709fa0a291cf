"""Words and entities over HTTP are those of the taggers."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from fenjie.serve.app import Service
from fenjie.serve.limits import Limits
from fenjie.serve.operations import Lattice, Segment, Tag
from fenjie.serve.taggers import Models

TEXTS = ["", "商品和服务，他说的确实在理。", "a\0b 😀\n\n北京", "市场价格上涨12.5%" * 30]


def test_words(client: TestClient, models: Models) -> None:
    answer = client.post("/v1/segment", json={"text": TEXTS})
    assert answer.status_code == 200
    expected = [
        {"words": sentence.words} for sentence in models.find("segment", None).tagger(TEXTS)
    ]
    assert answer.json() == {"model": "tiny", "sentences": expected}
    one = client.post("/v1/segment", json={"text": TEXTS[1], "model": "tiny"}).json()
    assert one["sentences"] == expected[1:2]


def test_entities(client: TestClient, models: Models) -> None:
    answer = client.post("/v1/tag", json={"text": TEXTS})
    assert answer.status_code == 200
    expected = [
        {"entities": [entity._asdict() for entity in sentence.entities]}
        for sentence in models.find("ner", None).tagger(TEXTS)
    ]
    assert any(each["entities"] for each in expected)
    assert answer.json() == {"model": "tiny-ner", "sentences": expected}


def test_entities_of_some_labels(client: TestClient, models: Models) -> None:
    tagger = models.find("ner", None).tagger
    label = next(span.label for one in tagger(TEXTS) for span in one.spans)
    answer = client.post("/v1/tag", json={"text": TEXTS, "labels": [label]}).json()
    expected = [
        {"entities": [one._asdict() for one in sentence.entities if one.label == label]}
        for sentence in tagger(TEXTS)
    ]
    assert answer["sentences"] == expected
    every = client.post("/v1/tag", json={"text": TEXTS, "labels": None}).json()
    assert every == client.post("/v1/tag", json={"text": TEXTS}).json() != answer
    for labels, message in [
        (["no"], "labels: the model knows no label 'no'; expected some of"),
        ([], "labels: found no label; expected some of"),
        (label, "labels: expected a list of strings or null"),
    ]:
        refused = client.post("/v1/tag", json={"text": TEXTS, "labels": labels})
        assert refused.status_code == 422
        assert refused.json()["error"].startswith(message)
    refused = client.post("/v1/lattice", json={"text": TEXTS, "labels": [label]})
    assert refused.status_code == 422


def test_words_of_a_request_hold_for_it_alone(client: TestClient) -> None:
    text = "商品和服务"
    before = client.post("/v1/tag", json={"text": text}).json()
    words = {"text": text, "words": {"品和": "LOC"}}
    (found,) = client.post("/v1/tag", json=words).json()["sentences"]
    spans = [(one["label"], one["start"], one["end"]) for one in found["entities"]]
    assert ("LOC", 1, 3) in spans
    assert client.post("/v1/tag", json={"text": text}).json() == before
    (found,) = client.post("/v1/segment", json={"text": text, "words": ["品和"]}).json()[
        "sentences"
    ]
    assert "品和" in found["words"]


def test_words_of_a_request_may_be_forced(client: TestClient) -> None:
    forced: dict[str, dict[str, Any]] = {
        "tag": {"商 品": {"label": "LOC", "force": True}, "服务": {"label": "PER", "weight": 3}},
        "segment": {"品和": {"force": True}, "服务": 3},
    }
    found = {
        path: client.post(f"/v1/{path}", json={"text": "商 品和服务", "words": words}).json()
        for path, words in forced.items()
    }
    (tagged,), (cut,) = (found[path]["sentences"] for path in ("tag", "segment"))
    (first, *_) = tagged["entities"]
    assert (first["text"], first["label"], first["confidence"]) == ("商 品", "LOC", 1.0)
    assert "品和" in cut["words"]
    refused = client.post("/v1/segment", json={"text": "", "words": {"品和": -1}})
    assert refused.status_code == 422
    assert refused.json()["error"].startswith("words: not a weight of a user word; found -1")


def test_the_route_of_an_operation_answers_as_the_short_way_does(
    client: TestClient, models: Models
) -> None:
    body = {"text": TEXTS}
    with TestClient(partial(FastAPI.__call__, Service(models, Limits()))) as long:
        for path in ("/v1/segment", "/v1/tag", "/v1/lattice"):
            assert long.post(path, json=body).json() == client.post(path, json=body).json()


def test_user_words_count_as_characters(client: TestClient) -> None:
    assert (
        client.post("/v1/segment", json={"text": "a", "words": ["a" * 100_000]}).status_code == 413
    )
    assert (
        client.post("/v1/tag", json={"text": "a", "words": {"a" * 100_000: None}}).status_code
        == 413
    )


def test_the_words_that_a_model_sees(client: TestClient) -> None:
    body = {"text": ["😀商 品和服务", ""], "words": {"品和": None}}
    answer = client.post("/v1/lattice", json=body).json()
    assert answer["model"] == "tiny-ner"
    found, nothing = (sentence["words"] for sentence in answer["sentences"])
    assert [(word["text"], word["start"], word["end"]) for word in found] == [
        ("商 品", 1, 4), ("品和", 3, 5), ("和服", 4, 6), ("服务", 5, 7),
    ]  # fmt: skip
    assert nothing == []


def test_requests_for_the_same_are_done_together(models: Models) -> None:
    for operation in (Segment, Tag, Lattice):
        tagger = models.find(operation.task, None).tagger
        assert operation.work(tagger) == operation.work(tagger)
        assert operation.work(tagger) != operation.work(tagger.copy())
