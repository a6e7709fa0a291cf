"""The pictures of the docs; FENJIE_PICTURES=docs/images writes them anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OpenPage = Callable[..., "Page"]


def taken(page: Page, pictures: Path | None, name: str) -> None:
    """Take a picture of what is seen."""
    page.mouse.move(0, 0)
    shot = page.screenshot(type="png")
    assert shot.startswith(b"\x89PNG")
    if pictures is not None:
        (pictures / f"page-{name}.png").write_bytes(shot)


def test_pictures(open_page: OpenPage, pictures: Path | None) -> None:
    page = open_page(viewport={"width": 1000, "height": 560})
    page.wait_for_selector("#output .e")
    taken(page, pictures, "entities")
    page.select_option("#theme", "dark")
    page.click("#tab-lattice")
    page.wait_for_selector(".lattice .word")
    taken(page, pictures, "lattice")
    page.select_option("#theme", "light")
    page.set_viewport_size({"width": 1000, "height": 760})
    page.click("#tab-label")
    page.wait_for_selector("#train-help:not(:empty)")
    page.click("#take")
    page.fill("#new-label-name", "TITLE")
    page.press("#new-label-name", "Enter")
    page.wait_for_selector(".sentence")
    state = {"available": True, "reason": None, "starts": ["ner"], "run": None}
    page.route("**/v1/train", lambda route: route.fulfill(json=state))
    page.click("#tab-label")
    page.wait_for_selector("#train-go:visible")
    taken(page, pictures, "label")


def test_a_picture_of_a_phone(open_page: OpenPage, pictures: Path | None) -> None:
    phone = {"viewport": {"width": 360, "height": 800}, "is_mobile": True, "has_touch": True}
    page = open_page(locale="zh-CN", color_scheme="dark", **phone)
    page.wait_for_selector("#output .e")
    page.evaluate("document.querySelector('#result-title').scrollIntoView()")
    taken(page, pictures, "phone")
