"""The page at `/`: static files that come with the package, and the headers that guard it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from starlette.exceptions import HTTPException

PREFIX = "/page/"
"""Where the files of the page are, but for its HTML."""

_FOLDER = Path(__file__).parent / "page"
_INDEX = "index.html"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    # Nothing but files of the page itself; no script or style inside of the HTML.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}


def add_page(app: FastAPI) -> None:
    """Serve the page at `/`, and its files below `PREFIX`."""
    files = {
        path.relative_to(_FOLDER).as_posix(): path.read_bytes()
        for path in sorted(_FOLDER.rglob("*"))
        if path.suffix in _KINDS
    }

    def answer(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return Response(files[name], headers=_HEADERS, media_type=_KINDS[Path(name).suffix])

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return answer(_INDEX)

    @app.get(PREFIX + "{name:path}", include_in_schema=False)
    async def file(name: str) -> Response:
        return answer(name)
