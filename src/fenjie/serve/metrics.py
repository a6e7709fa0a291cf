"""Counts of the service, for Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)

CONTENT_TYPE = CONTENT_TYPE_LATEST


class Histogram:
    """How many of the values seen so far lie within each bound, and their sum."""

    def __init__(self, bounds: Sequence[float]) -> None:
        """No value yet.

        Args:
            bounds: the bounds, rising; one without an end is added.
        """
        self._bounds, self._counts, self._sum = bounds, [0] * (len(bounds) + 1), 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def add_to(self, family: HistogramMetricFamily, labels: Sequence[str]) -> None:
        """Add what was seen to what is told."""
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        counts = accumulate(self._counts)
        family.add_metric(labels, list(zip(names, counts, strict=True)), self._sum)


class Metrics:
    """What has been served so far.

    The counts are plain numbers, from which what Prometheus asks for is made when it asks: its own
    objects take longer to count than a request takes to be read.
    """

    def __init__(self, waiting: Callable[[], int]) -> None:
        """Start at zero.

        Args:
            waiting: gives the number of requests that wait.
        """
        self._waiting = waiting
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, Histogram] = {}
        self._texts: Counter[str] = Counter()
        self._characters: Counter[str] = Counter()
        self._batch = Histogram(TEXTS)
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(self)

    def request(self, operation: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests[operation, status] += 1
        if operation not in self._seconds:
            self._seconds[operation] = Histogram(SECONDS)
        self._seconds[operation].observe(seconds)

    def annotated(self, model: str, texts: int, characters: int) -> None:
        """Count texts that a model has annotated."""
        self._texts[model] += texts
        self._characters[model] += characters

    def batch(self, texts: int) -> None:
        """Count texts that were worked on together."""
        self._batch.observe(texts)

    def text(self) -> bytes:
        """All counts, in the text format of Prometheus."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """All counts, as the client of Prometheus asks for them."""
        seconds = HistogramMetricFamily(
            "fenjie_request_seconds", "Time from a request to its answer.", labels=["operation"]
        )
        for operation, histogram in self._seconds.copy().items():
            histogram.add_to(seconds, [operation])
        yield seconds
        requests = CounterMetricFamily(
            "fenjie_requests", "Requests by their status codes.", labels=["operation", "status"]
        )
        for (operation, status), count in self._requests.copy().items():
            requests.add_metric([operation, str(status)], count)
        yield requests
        for name, help_text, counts in (
            ("fenjie_texts", "Annotated texts.", self._texts),
            ("fenjie_characters", "Their characters.", self._characters),
        ):
            family = CounterMetricFamily(name, help_text, labels=["model"])
            for model, count in counts.copy().items():
                family.add_metric([model], count)
            yield family
        batch = HistogramMetricFamily("fenjie_batch_texts", "Texts worked on together.")
        self._batch.add_to(batch, [])
        yield batch
        yield GaugeMetricFamily(
            "fenjie_waiting_requests", "Requests that wait for a model.", value=self._waiting()
        )
