"""A service that listens in a thread of its own, as the pages of the docs ask one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fenjie.serve.app import Service


@contextmanager
def listening(service: Service) -> Iterator[str]:
    """Its URL, while it listens."""
    import uvicorn

    from fenjie.serve.server import listen, url

    server = uvicorn.Server(uvicorn.Config(service, log_config=None))
    with listen("127.0.0.1", 0) as place:
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield url(place)
        server.should_exit = True
        thread.join(60)
