"""The process of the service: listens, serves, and stops cleanly."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn

from fenjie.errors import FenjieError
from fenjie.serve.app import Service, logger
from fenjie.serve.protocol import Protocol

SWITCH = 0.0005
"""Seconds after which a thread of Python lets others go on: so long may the worker keep the
connections waiting between two calls of the model."""

BACKLOG = 1024


class Server(uvicorn.Server):
    """A server that ends without an error when it is told to stop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at TERM, INT and HUP, at a second one without waiting.

        HUP is not there on Windows; where it is ignored, as under nohup, it stays so.
        """
        numbers = [signal.SIGINT, signal.SIGTERM]
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address.

    Raises:
        FenjieError: there is no such address, or it is in use.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(BACKLOG)
        except OSError:
            made.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FenjieError(f"cannot listen at {host}:{port}: {reason}") from error
    return made


def is_local(listening: socket.socket) -> bool:
    """Whether only this machine can connect."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def url(listening: socket.socket) -> str:
    """The address of the service for a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def run(service: Service, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until TERM, INT or HUP; requests accepted by then are answered.

    Args:
        service: the service.
        listening: where it listens.
        ready: called before the first request.
    """
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    logger.setLevel(logging.ERROR if service.log == "errors" else logging.INFO)
    logger.addHandler(logging.StreamHandler(sys.stderr))
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # what stays until the end is not looked through again and again
    ready()
    Server(make_config(service)).run([listening])


def make_config(service: Service) -> uvicorn.Config:
    """How uvicorn serves a service."""
    return uvicorn.Config(
        service,
        http=Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=round(2 * service.limits.seconds) + 1,
    )
