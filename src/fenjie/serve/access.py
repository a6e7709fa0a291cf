"""Who may ask: those with the token; without one all, but for training this machine alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address

from fenjie.serve.assets import PREFIX
from fenjie.serve.limits import RefusedError

PUBLIC = frozenset(("/", "/healthz", "/readyz"))
"""Paths that need no token, besides the files of the page."""

TRAIN = "/v1/train"
"""The path of training, which needs a token or this machine."""

Headers = Iterable[tuple[bytes, bytes]]

_HOST = re.compile(r"(?:(?P<name>[^:\[\]]+)|\[(?P<six>[^\[\]]+)\])(?::[0-9]*)?")


class Access:
    """Checks whether requests may be served, by their paths and headers."""

    def __init__(self, token: str | None, *, trains: bool) -> None:
        """Take what is asked for.

        Args:
            token: the bearer token that requests must have; None where all are served.
            trains: whether the service trains models.
        """
        self._token = None if token is None else sha256(token.encode()).digest()
        self._trains = trains

    def check(self, path: str, headers: Headers) -> None:
        """Check that a request may be served.

        Args:
            path: its path.
            headers: its headers, their names in lower case.

        Raises:
            RefusedError: 401 without the token; 403 where it must come from this machine.
        """
        if self._token is None:
            if self._trains and path == TRAIN:
                _check_host(headers)
            return
        if path in PUBLIC or path.startswith(PREFIX):
            return
        kind, _, token = _header(headers, b"authorization").partition(b" ")
        digest = sha256(token.strip()).digest()
        if not compare_digest(digest, self._token) or kind.lower() != b"bearer":
            raise RefusedError(401, "a token is needed: Authorization: Bearer TOKEN")


def _check_host(headers: Headers) -> None:
    """Refuse a request that another site has led to this machine by a name of its own.

    Raises:
        RefusedError: 403; the name in the request is not that of this machine itself.
    """
    host = _HOST.fullmatch(_header(headers, b"host").decode("latin-1"))
    if host is None or not _is_local(host["name"] or host["six"]):
        raise RefusedError(403, "without a token, models are trained from this machine alone")


def _is_local(name: str) -> bool:
    """Whether a name or an address is one of this machine, as a browser on it says it."""
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _header(headers: Headers, wanted: bytes) -> bytes:
    """The first value of a header; empty where there is none."""
    return next((value for name, value in headers if name == wanted), b"")
