"""The machine and the time of a training run."""

from __future__ import annotations

from datetime import UTC, datetime

from fenjie.store import provenance


def test_time_and_processor_are_told() -> None:
    assert provenance.cpu()
    now = datetime.fromisoformat(provenance.now())
    assert abs(datetime.now(UTC) - now).total_seconds() < 60
