"""A small share of the requests of Schemathesis: every answer is as the schema says, none a 500."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("schemathesis", reason="needs the extra `all`")

from benchmarks.fuzzing import fuzz
from fenjie.serve.app import Service
from fenjie.serve.limits import Limits
from fenjie.serve.taggers import Models
from tests.services import listening


@pytest.mark.slow
def test_answers_are_those_of_the_schema(tiny_model: Path, tiny_ner: Path) -> None:
    service = Service(Models.load([str(tiny_model), str(tiny_ner)]), Limits())
    with listening(service) as url:
        statuses = fuzz(url, 200)
    assert statuses.total() > 200
    assert statuses[200] and statuses[422]
