"""The page in a real Chromium, over a service with the shipped models."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REQUIRED = os.environ.get("FENJIE_BROWSER") == "required"
"""Set where a test must not be skipped for want of a browser, as in CI."""

OpenPage = Callable[..., "Page"]


def _missing(reason: str) -> None:
    if REQUIRED:
        pytest.fail(f"{reason}, and FENJIE_BROWSER is 'required'")
    pytest.skip(f"{reason}; see CONTRIBUTING.md")


@contextmanager
def served(*options: object) -> Iterator[str]:
    """A service in a process of its own; its address."""
    command = [sys.executable, "-m", "fenjie", "serve", "--port", "0", *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            seen = ""
            for line in process.stderr:
                seen += line
                if address := re.search(r"http://\S+", line):
                    yield address[0]
                    break
            else:
                raise AssertionError(seen)
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a service with the shipped models."""
    with served() as found:
        yield found


@pytest.fixture(scope="module")  # as long as Playwright runs, asyncio.run fails in other tests
def browser() -> Iterator[Browser]:
    """A Chromium: Debian's, by its usual names."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        _missing("no Chromium is installed")
    with sync_playwright() as playwright:
        # Its sandbox does not work for root in a container.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[OpenPage]:
    """Open the page as a new visitor; nothing may go wrong in its scripts meanwhile."""
    contexts, errors = [], list[str]()

    def opened(path: str = "", at: str | None = None, **settings: Any) -> Page:
        settings = {"locale": "en-US", "viewport": {"width": 1200, "height": 900}} | settings
        context = browser.new_context(**settings)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda one: errors.append(f"{one.url} {one.failure}")
                if one.failure != "net::ERR_ABORTED" else None)  # fmt: skip
        page.goto((at or address) + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The page, in English, at the size of a laptop."""
    page = open_page()
    page.wait_for_selector("#output .e")
    return page


def finished(page: Page, text: str) -> None:
    """Wait for the result of a text in the tab of entities or of words, the last one drawn."""
    page.wait_for_function(
        "text => document.querySelector('#status').textContent.startsWith("
        "`${Array.from(text).length} `) && !document.querySelector('.pending')",
        arg=text,
    )


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """The folder for screenshots, where `FENJIE_PICTURES` names one."""
    return Path(os.environ["FENJIE_PICTURES"]) if "FENJIE_PICTURES" in os.environ else None
