"""A service over tiny models, and its client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra `serve`")

from starlette.testclient import TestClient

from fenjie.serve.app import Service
from fenjie.serve.limits import Limits
from fenjie.serve.taggers import Models

MakeClient = Callable[..., TestClient]
LIMITS = Limits()


@pytest.fixture(scope="session")
def models(tiny_model: Path, tiny_ner: Path) -> Models:
    """Both tiny models."""
    return Models.load([str(tiny_model), str(tiny_ner)])


@pytest.fixture
def connect(models: Models) -> Iterator[MakeClient]:
    """Make a client of a service with these limits and settings."""
    with ExitStack() as stack:

        def made(limits: Limits = LIMITS, **settings: Any) -> TestClient:
            service = Service(models, limits, **settings)
            return stack.enter_context(TestClient(service, raise_server_exceptions=False))

        yield made


@pytest.fixture
def client(connect: MakeClient) -> TestClient:
    """A client of a service with the usual settings."""
    return connect()
