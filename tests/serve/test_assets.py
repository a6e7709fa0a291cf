"""The page's files: what they are declared as, what guards them, and that they are all used."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import fenjie

FOLDER = Path(fenjie.__file__).parent / "serve" / "page"
NAMES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*"))


def test_the_page(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", answer.text)


@pytest.mark.parametrize("name", NAMES)
def test_its_files(client: TestClient, name: str) -> None:
    answer = client.get(f"/page/{name}")
    assert answer.content == (FOLDER / name).read_bytes()
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg", "html": "text/html"}
    assert answer.headers["content-type"].startswith(kinds[name.rpartition(".")[2]])
    others = [path for path in FOLDER.rglob("*.*") if path != FOLDER / name]
    texts = [path.read_text(encoding="utf-8") for path in others]
    assert name == "index.html" or any(name.rpartition("/")[2] in text for text in texts)
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in answer.text


@pytest.mark.parametrize(
    "name", ["app.py", "../app.py", "..%2fapp.py", "js", "js/", "", "js/no.js", "/etc/passwd"]
)
def test_other_files_are_not_there(client: TestClient, name: str) -> None:
    assert client.get(f"/page/{name}").status_code == 404


def test_it_is_shown_before_the_token_is_known(connect: Callable[..., TestClient]) -> None:
    client = connect(token="secret")
    assert client.get("/").status_code == client.get("/page/js/main.js").status_code == 200
    assert client.get("/v1/models").status_code == 401
