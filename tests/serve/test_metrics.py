"""Counts for Prometheus."""

from __future__ import annotations

from fenjie.serve.metrics import Metrics


def test_counts() -> None:
    metrics = Metrics(lambda: 3)
    metrics.request("tag", 200, 0.002)
    metrics.request("tag", 429, 0.001)
    metrics.annotated("ner", 2, 40)
    metrics.batch(5)
    lines = metrics.text().decode().splitlines()
    assert 'fenjie_requests_total{operation="tag",status="429"} 1.0' in lines
    assert 'fenjie_request_seconds_count{operation="tag"} 2.0' in lines
    assert 'fenjie_texts_total{model="ner"} 2.0' in lines
    assert 'fenjie_characters_total{model="ner"} 40.0' in lines
    assert "fenjie_batch_texts_sum 5.0" in lines
    assert "fenjie_waiting_requests 3.0" in lines
    assert not [line for line in lines if line.startswith("python_info")]
