"""Languages, sizes, colours, keyboard, and the rules of accessibility by axe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fenjie
from tests.browser.conftest import served

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OpenPage = Callable[..., "Page"]
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
TABS = {
    "entities": "#output .e",
    "words": "#output .w",
    "lattice": ".lattice .word",
    "attention": "#attention-note:not(:empty)",
    "label": "#train-help:not(:empty)",
}
"""The tabs, and what stands in each as soon as it is drawn."""


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def findings(page: Page) -> list[str]:
    """What axe finds, minor things too, and text that is short but has too little contrast."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": {"type": "tag", "values": RULES}}
    found: dict[str, list[dict[str, Any]]] = Axe().run(page, options=options).response
    assert len(found["passes"]) > 30
    doubtful = [one for one in found["incomplete"] if one["id"] == "color-contrast"]
    return [
        f"{one['id']}: {node['html']}"
        for one in found["violations"] + doubtful
        for node in one["nodes"]
    ]


def test_both_languages(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    assert page.inner_text("#result-title") == "结果"
    assert page.get_attribute("html", "lang") == "zh-CN"
    page.click("#language")
    assert page.inner_text("#result-title") == "Result"
    page.reload()
    assert page.inner_text("#result-title") == "Result"  # the choice stays
    assert page.evaluate("document.querySelectorAll('[data-t]:empty').length") == 0


def test_nothing_comes_from_elsewhere(open_page: OpenPage, address: str) -> None:
    page = open_page("healthz")
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.goto(address)
    page.wait_for_selector("#output .e")
    assert len(seen) > 5
    assert all(url.startswith(address) for url in seen)


def test_the_page_is_small() -> None:
    folder = Path(fenjie.__file__).parent / "serve" / "page"
    assert sum(path.stat().st_size for path in folder.rglob("*.*")) < 150_000


@pytest.mark.parametrize(("theme", "locale"), [("light", "zh-CN"), ("dark", "en-US")])
@pytest.mark.parametrize("phone", [False, True])
def test_axe_finds_nothing(open_page: OpenPage, theme: str, locale: str, phone: bool) -> None:
    page = open_page(color_scheme=theme, locale=locale, **(PHONE if phone else {}))
    page.wait_for_selector("#output .e")
    for tab, drawn in TABS.items():
        page.click(f"#tab-{tab}")
        page.wait_for_selector(drawn)
        if tab == "label":
            page.click("#take")
            page.wait_for_selector(".sentence")
        assert findings(page) == []
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide)  # nothing to scroll sideways for


def test_the_keyboard_reaches_everything(open_page: OpenPage) -> None:
    page = open_page()
    page.wait_for_selector("#output .e")
    reached, focused = list[str](), "document.activeElement"
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(f"{focused}.id || {focused}.className"))
    for name in ("theme", "language", "text", "open", "word", "tab-entities"):
        assert name in reached
    stops = [name for name in reached if name.startswith("e ")]
    assert len(stops) <= 2  # many entities, one stop
    page.focus("#output .e >> nth=0")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#hint").startswith("北京大学 · ORG")
    page.keyboard.press("Enter")
    assert page.input_value("#word") == "北京大学"


def test_a_token_is_asked_for(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n", encoding="utf-8")
    with served("-m", "ner", "--token-file", tmp_path / "token") as address:
        page = open_page(at=address)
        page.fill("#token-value", "wrong")
        with page.expect_response("**/v1/models"):
            page.click("#token button")
        page.wait_for_selector("#error >> text=This service needs a token")
        page.fill("#token-value", "secret")
        page.click("#token button")
        page.wait_for_selector("#output .e")
        assert page.is_hidden("#token") and page.is_hidden("#error")
