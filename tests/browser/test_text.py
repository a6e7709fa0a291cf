"""Typing, files, words of one's own, copies, errors: what the page does with a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import finished

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser

TEXT = "王小明在北京大学读书"


def entities(page: Page) -> list[str]:
    """The entities that are drawn, with their labels."""
    return page.locator("#output .e").all_inner_texts()


def words(page: Page) -> list[str]:
    return page.locator("#output .w").all_inner_texts()


def write(page: Page, text: str) -> None:
    """Put a text into the box in place of what is there, and wait for its result."""
    page.fill("#text", "")
    page.wait_for_function("() => !document.querySelector('#output').textContent.trim()")
    page.fill("#text", text)
    finished(page, text)


def copied(page: Page, form: str) -> str:
    """What a button copies; a click takes back what was said of the copy before."""
    page.click(f"[data-copy={form}]")
    page.wait_for_function("() => document.querySelector('#status').textContent === 'Copied.'")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_entities_are_drawn_as_one_types(page: Page) -> None:
    page.fill("#text", "")
    page.locator("#text").press_sequentially(TEXT)
    finished(page, TEXT)
    assert entities(page) == ["王小明PER", "北京大学ORG"]
    legend = page.locator("#legend").inner_text().split()
    counts = dict(zip(legend[::2], legend[1::2], strict=True))
    assert {label for label, count in counts.items() if count == "1"} == {"ORG", "PER"}
    page.hover("#output .e >> nth=1")
    hint = page.inner_text("#hint")
    assert re.fullmatch(r"北京大学 · ORG · 9\d\.\d\u2009% · characters 4 to 8.*", hint)
    write(page, f"😀\n{TEXT}")  # offsets are those of the whole text
    page.hover("#output .e >> nth=1")
    assert page.inner_text("#hint").endswith("characters 6 to 10")


def test_text_is_never_read_as_html(page: Page) -> None:
    text = "<img src=x onerror=alert(1)>王小明在<b>北京</b>&amp;😀\u2028a\x01"
    write(page, text)
    assert page.locator("#output img, #output b").count() == 0
    drawn = page.evaluate(
        "() => { const copy = document.querySelector('#output').cloneNode(true);"
        " copy.querySelectorAll('small').forEach(one => one.remove()); return copy.textContent; }"
    )
    assert drawn == text
    page.fill("#word", "<i>北京</i>")
    page.press("#word", "Enter")
    assert page.inner_text("#word-list span") == "<i>北京</i>"


def test_half_of_an_emoji_in_a_word_is_no_error(page: Page) -> None:
    page.evaluate(r"document.querySelector('#word').value = '北京\ud83d'")
    page.press("#word", "Enter")
    assert page.inner_text("#word-list span") == "北京\ufffd"
    write(page, TEXT)
    assert page.is_hidden("#error") and entities(page) == ["王小明PER", "北京大学ORG"]


def test_words_and_lattice(page: Page) -> None:
    page.click("#tab-words")
    write(page, "商品和服务\n\n李教授")
    assert words(page) == ["商品", "和", "服务", "李", "教授"]
    page.focus("#tab-words")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".lattice .word >> text=和服")
    assert {"商品", "和服", "服务"} <= set(page.locator(".lattice .word").all_inner_texts())


def test_words_of_ones_own_act_at_once(page: Page) -> None:
    write(page, "他用飞天茅台接待")
    page.fill("#word", "飞天茅台")
    page.select_option("#word-label", "ORG")
    page.press("#word", "Enter")
    page.wait_for_selector("#output .e >> text=飞天茅台")
    page.click("#tab-words")
    page.wait_for_selector("#output .w.own")
    assert "飞天茅台" in words(page)
    page.click("[aria-label='Remove 飞天茅台']")
    page.wait_for_selector("#output .w.own", state="detached")
    page.click("#tab-entities")
    page.wait_for_selector("#output .line")
    page.click("#example")
    page.click("#output .e >> text=北京大学")
    assert page.input_value("#word") == "北京大学"


def test_a_name_with_spaces_is_one_word_of_ones_own(page: Page) -> None:
    write(page, "他问Gavel Brint了")
    page.fill("#word", "Gavel  Brint")
    page.select_option("#word-label", "ORG")
    page.press("#word", "Enter")
    page.fill("#word", "飞天 茅台")  # words without a type hold none
    page.select_option("#word-label", "")
    page.press("#word", "Enter")
    assert page.locator("#word-list span").all_inner_texts() == ["Gavel Brint ORG", "飞天", "茅台"]
    page.click("#output .e >> text=Gavel Brint")
    assert page.input_value("#word") == "Gavel Brint"
    page.click("#tab-words")
    page.wait_for_selector("#output .w")
    assert page.is_hidden("#error") and "Gavel" in words(page)
    page.evaluate("document.querySelector('#text').setSelectionRange(2, 13)")
    page.wait_for_function("document.querySelector('#word').value === 'Gavel Brint'")


def test_a_model_of_characters_alone_gets_no_words_without_a_label(
    open_page: Callable[..., Page],
) -> None:
    def as_if(route: Route) -> None:
        found = route.fetch().json()
        for one in found["models"]:
            one["lattice"] = False
        route.fulfill(json=found)

    page = open_page()
    page.route("**/v1/models", as_if)
    page.reload()
    page.wait_for_selector("#output .e")
    page.fill("#word", "飞天")
    page.press("#word", "Enter")
    page.fill("#word", "飞天茅台")
    page.select_option("#word-label", "ORG")
    with page.expect_request("**/v1/tag") as asked:
        page.press("#word", "Enter")
    assert asked.value.post_data_json["words"] == {"飞天茅台": "ORG"}


def test_the_standard_of_words_is_chosen(open_page: Callable[..., Page]) -> None:
    page = open_page(locale="zh-CN")
    page.click("#tab-words")
    write(page, TEXT)
    assert words(page) == ["王", "小明", "在", "北京大学", "读书"]
    assert page.inner_text("#standard-pick span") == "分词规范"
    page.focus("#standard")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("#output .w >> text=王小明")
    assert page.input_value("#standard") == "msr"
    page.select_option("#segment-model", "segment-fast")
    page.wait_for_selector("#standard-pick", state="hidden")  # it knows but one
    page.select_option("#segment-model", "segment")
    page.click("#language")
    assert page.inner_text("#standard option:checked") == "msr · Microsoft Research"
    page.reload()
    page.wait_for_selector("#output .w >> text=王小明")  # the choice stays
    assert page.input_value("#standard") == "msr"


def test_copies(open_page: Callable[..., Page]) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    text = "😀王小明\n在北京"
    write(page, text)
    (person, place) = json.loads(copied(page, "json"))["entities"]
    assert (person["text"], person["label"], person["start"], person["end"]) == (
        "王小明", "PER", 1, 4,
    )  # fmt: skip
    assert (place["text"], place["start"], place["end"]) == ("北京", 6, 8)
    assert copied(page, "brat") == "T1\tPER 1 4\t王小明\nT2\tLOC 6 8\t北京\n"
    assert copied(page, "bio").startswith("😀 O\n王 B-PER\n小 I-PER\n明 I-PER\n\n在 O\n北 B-LOC\n")
    assert copied(page, "spaced").splitlines()[1] == "在 北京"
    page.click("#tab-words")
    finished(page, text)
    found = json.loads(copied(page, "json"))
    assert "".join(found["words"]) == found["text"] == text


def test_a_file_is_opened_and_dropped(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes("马云在杭州\r\n".encode("gb18030"))
    page.set_input_files("#file", path)
    page.wait_for_selector("#output .e >> text=马云")
    page.evaluate(
        """([name, bytes]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name));
          for (const kind of ["dragover", "drop"]) {
            document.body.dispatchEvent(
              new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
          }
        }""",
        ["drop.txt", list("李强到了上海".encode())],
    )
    page.wait_for_selector("#output .e >> text=李强")
    assert page.input_value("#text") == "李强到了上海"
    assert page.is_hidden("#drop")
    (tmp_path / "picture.bin").write_bytes(b"\xff\x00\xfe\x81")
    page.set_input_files("#file", tmp_path / "picture.bin")
    page.wait_for_selector("#error >> text=picture.bin is no text")


def test_errors_are_said_and_go_away(page: Page) -> None:
    page.fill("#word", "长" * 60)
    page.route("**/v1/tag", lambda route: route.fulfill(status=422, json={"error": "no <b>"}))
    page.fill("#text", TEXT)
    page.wait_for_selector("#error >> text=The service refused this: no <b>")
    assert page.inner_text("#output") == TEXT  # nothing of the text before
    assert (entities(page), page.inner_text("#status")) == ([], "")
    page.unroute("**/v1/tag")
    page.route("**/v1/tag", lambda route: route.fulfill(status=503, json={"error": "busy"}))
    page.fill("#text", TEXT + "。")
    page.wait_for_selector("#error >> text=The service is busy")
    page.unroute("**/v1/tag")
    page.wait_for_selector("#error", state="hidden")  # it has asked again
    assert entities(page) == ["王小明PER", "北京大学ORG"]


def test_an_answer_that_breaks_off_is_said(page: Page) -> None:
    page.route("**/v1/tag", lambda route: route.fulfill(status=200, body='{"sentences": ['))
    page.fill("#text", TEXT)
    page.wait_for_selector("#error >> text=The service does not answer. I")
    page.unroute("**/v1/tag")
    write(page, TEXT + "。")
    assert page.is_hidden("#error")


def test_a_long_text_does_not_freeze_the_page(page: Page) -> None:
    write(page, (TEXT + "。") * 1800)
    assert len(entities(page)) == 3600
    drawn = page.evaluate("document.querySelectorAll('.line').length")
    assert drawn == 1  # one line stays one line, though it was asked for in pieces
