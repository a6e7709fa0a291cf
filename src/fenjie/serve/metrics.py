"""Counts of the service, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)

CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """What has been served so far."""

    def __init__(self, waiting: Callable[[], int]) -> None:
        """Start at zero.

        Args:
            waiting: gives the number of requests that wait.
        """
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        registry = self._registry
        seconds = Histogram(
            "fenjie_request_seconds",
            "Time from a request to its answer.",
            ["operation"],
            buckets=SECONDS,
            registry=registry,
        )
        requests = Counter(
            "fenjie_requests",
            "Requests by their status codes.",
            ["operation", "status"],
            registry=registry,
        )
        texts = Counter("fenjie_texts", "Annotated texts.", ["model"], registry=registry)
        characters = Counter("fenjie_characters", "Their characters.", ["model"], registry=registry)
        self._batch = Histogram(
            "fenjie_batch_texts", "Texts worked on together.", buckets=TEXTS, registry=registry
        )
        gauge = Gauge(
            "fenjie_waiting_requests", "Requests that wait for a model.", registry=registry
        )
        gauge.set_function(waiting)
        # To look labels up takes longer than to count, so it is done once for each.
        self._requests_of, self._seconds_of = cache(requests.labels), cache(seconds.labels)
        self._texts_of, self._characters_of = cache(texts.labels), cache(characters.labels)

    def request(self, operation: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests_of(operation, status).inc()
        self._seconds_of(operation).observe(seconds)

    def annotated(self, model: str, texts: int, characters: int) -> None:
        """Count texts that a model has annotated."""
        self._texts_of(model).inc(texts)
        self._characters_of(model).inc(characters)

    def batch(self, texts: int) -> None:
        """Count texts that were worked on together."""
        self._batch.observe(texts)

    def text(self) -> bytes:
        """All counts, in the text format of Prometheus."""
        return generate_latest(self._registry)
