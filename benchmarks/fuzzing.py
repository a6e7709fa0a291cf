"""Requests that Schemathesis makes from the service's own OpenAPI schema: valid and broken ones.

    python -m benchmarks.fuzzing [--requests 10000]

Every answer must be of the schema: a status code that it names, a body of the form that it gives,
never 500; a request that breaks the schema is refused; none takes longer than ten seconds. Ends
with the first that is not so, and shows how to ask it again. Needs `fenjie[all]`. Writes
`benchmarks/results/fuzzing.json`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode, checks

from benchmarks.load import memory_mib, serving
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed

CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]


def main() -> None:
    """Ask, print and save."""
    options = parser(__doc__, requests=(10_000, "requests in all")).parse_args()
    with serving("-m", "segment", "-m", "ner", "--timeout", "5") as (pid, port):
        url = f"http://127.0.0.1:{port}/"
        fuzz(url, 20)  # so that everything has been used before memory is compared
        memory = memory_mib(pid)
        statuses = fuzz(url, options.requests)
        found = {
            "requests": statuses.total(),
            "statuses": {str(status): count for status, count in sorted(statuses.items())},
            "memory_mib": [memory, memory_mib(pid)],
        }
    print(found)
    save("fuzzing", {"command": typed(), **found})


def fuzz(url: str, requests: int) -> Counter[int]:
    """Ask a service; half of the requests to each operation fit the schema, half of them break it.

    Args:
        url: of the service.
        requests: about so many in all; the operations with a body have nearly all of them.

    Returns:
        The number of answers by their status codes.

    Raises:
        Exception: an answer is not as the schema says.
    """
    schema: Any = schemathesis.openapi.from_url(f"{url}openapi.json")
    operations = [one.ok() for one in schema.get_all_operations()]
    with_body = [one for one in operations if one.body]
    statuses: Counter[int] = Counter()
    for operation in operations:
        if operation in with_body:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                _ask(operation, mode, requests // (2 * len(with_body)), statuses)
        else:  # there is nothing to break
            _ask(operation, GenerationMode.POSITIVE, 1, statuses)
    return statuses


def _ask(operation: Any, mode: Any, requests: int, statuses: Counter[int]) -> None:
    @seed(1)
    @settings(
        max_examples=requests,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        answer = case.call_and_validate(checks=CHECKS, timeout=10)
        statuses[answer.status_code] += 1
        assert answer.status_code != 500

    ask()


if __name__ == "__main__":
    run(main)
