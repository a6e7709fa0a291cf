"""Labelling by mouse, finger and keyboard; training and using a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import finished, served

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

OpenPage = Callable[..., "Page"]


@pytest.fixture(scope="module")
def training(tiny_ner: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that trains from a tiny model."""
    folder = tmp_path_factory.mktemp("trained")
    with served("-m", tiny_ner, "--train", folder) as address:
        yield address


def opened(open_page: OpenPage, at: str, text: str, **settings: object) -> Page:
    """The page with the sentences of a text to label."""
    page = open_page(at=at, **settings)
    page.fill("#text", text)
    finished(page, text)
    page.click("#tab-label")
    page.wait_for_selector("#train-help:not(:empty)")
    page.click("#take")
    page.wait_for_selector(".sentence")
    return page


def marks(page: Page) -> list[list[object]]:
    """The spans of the first sentence."""
    kept = json.loads(page.evaluate("localStorage.getItem('fenjie-sentences')"))
    return list(kept[0]["spans"])


def cell(page: Page, index: int) -> Locator:
    """A character of the first sentence."""
    return page.locator(".sentence >> nth=0").locator("span:not(.e)").nth(index)


def draw(page: Page, first: int, last: int) -> None:
    """Draw over characters with the mouse."""
    cell(page, first).hover()
    page.mouse.down()
    cell(page, last).hover()
    page.mouse.up()


def clear(page: Page) -> None:
    """Remove the marks of the first sentence by the keyboard."""
    page.focus(".sentence >> nth=0")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Delete")


def test_marks_by_mouse_and_keyboard(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address, "王小明用飞天手机。\n今天好！明天也好。")
    assert page.locator(".sentence").count() == 3
    assert marks(page) == [[0, 3, "PER"]]  # by the model
    page.fill("#new-label-name", "GOODS")
    page.press("#new-label-name", "Enter")
    draw(page, 4, 7)
    assert marks(page) == [[0, 3, "PER"], [4, 8, "GOODS"]]
    cell(page, 1).click()
    page.click("#label-choice >> text=LOC")  # another type for the mark that was clicked
    assert marks(page)[0] == [0, 3, "LOC"]
    cell(page, 1).click()
    page.click("#label-choice >> text=Remove the mark")
    assert marks(page) == [[4, 8, "GOODS"]]
    page.focus(".sentence >> nth=0")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("6")  # PER is the sixth type of the model
    assert marks(page) == [[0, 3, "PER"], [4, 8, "GOODS"]]
    assert page.inner_text("#label-status") == "PER: 王小明"
    draw(page, 8, 2)  # backwards, over two marks: the new one takes their place
    assert marks(page) == [[2, 9, "PER"]]
    page.reload()
    page.wait_for_selector(".sentence")
    assert page.locator(".sentence").count() == 3  # kept in the browser
    assert marks(page) == [[2, 9, "PER"]]


def test_the_label_of_words_is_no_type(open_page: OpenPage, address: str) -> None:
    page = opened(open_page, address, "王小明用飞天手机。")
    page.fill("#new-label-name", " W ")
    page.press("#new-label-name", "Enter")
    assert page.inner_text("#label-status") == "W is the label of words: choose another name."
    assert "W" not in page.locator("#label-choice button").all_inner_texts()


def test_marks_by_finger(open_page: OpenPage, address: str) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = opened(open_page, address, "飞天手机好", **phone)
    clear(page)
    cell(page, 0).tap()
    cell(page, 3).tap()
    assert [span[:2] for span in marks(page)] == [[0, 4]]


def test_sentences_are_saved_and_loaded(open_page: OpenPage, address: str, tmp_path: Path) -> None:
    page = opened(open_page, address, "😀王小明来了")
    with page.expect_download() as download:
        page.click("#save-labels")
    path = tmp_path / "sentences.jsonl"
    download.value.save_as(path)
    line = {"text": "😀王小明来了", "spans": [[1, 4, "PER"]]}
    assert [json.loads(each) for each in path.read_text("utf-8").splitlines()] == [line]
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#forget")
    assert page.locator(".sentence").count() == 0
    page.set_input_files("#file", path)
    page.wait_for_selector(".sentence")
    assert marks(page) == [[1, 4, "PER"]]


def test_the_spans_of_a_file_may_be_in_any_order(open_page: OpenPage, address: str) -> None:
    page = open_page(at=address)
    line = b'{"text": "abcd", "spans": [[2, 4, "X"], [0, 1, "Y"]], "id": 7}\n'
    page.set_input_files("#file", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": line})
    page.wait_for_selector(".sentence")
    assert marks(page) == [[0, 1, "Y"], [2, 4, "X"]]
    assert page.inner_text(".sentence").replace("\n", "") == "aYbcdX"


def test_a_file_that_is_read_takes_back_the_error_of_the_one_before(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(at=address)
    page.click("#tab-label")
    line = b'{"text": "abcd", "spans": [[0, 1, "Y"]]}\n'
    for name, content in (("a.bin", b"\xff\0"), ("a.jsonl", line)):
        given = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.set_input_files("#file", given)
        page.wait_for_selector(
            "#error >> text=a.bin is no text" if name == "a.bin" else ".sentence"
        )
    page.wait_for_selector("#error", state="hidden")


def test_what_is_said_of_the_sentences_changes_with_the_language(
    open_page: OpenPage, address: str
) -> None:
    page = opened(open_page, address, "王小明用飞天手机。\n今天好！明天也好。")
    assert page.inner_text("#label-status").startswith("3 sentences, ")
    page.click("#language")
    page.wait_for_selector("#label-status >> text=3 个句子")
    page.click("#tab-entities")
    page.click("#language")
    page.wait_for_selector("#status >> text=entities")
    page.click("#tab-label")
    page.wait_for_selector("#label-status >> text=3 sentences")


def test_from_sentences_to_a_model(open_page: OpenPage, training: str) -> None:
    page = opened(open_page, training, "商品和服务\n服务")
    clear(page)
    page.fill("#new-label-name", "GOODS")
    page.press("#new-label-name", "Enter")
    draw(page, 0, 1)
    assert marks(page) == [[0, 2, "GOODS"]]
    page.fill("#train-name", "tiny-ner")
    page.click("#train-go")
    page.wait_for_selector("#error >> text=there is a model named tiny-ner already")
    page.fill("#train-name", "mine")
    page.click("#train-go")
    page.wait_for_selector("#train-stop:visible")
    page.wait_for_selector("#train-use:visible", timeout=120_000)
    assert page.inner_text("#train-status").startswith("mine is trained")
    page.click("#train-use")
    page.wait_for_function("() => document.querySelector('#tag-model').value === 'mine'")
    page.fill("#text", "商品和服务")
    page.wait_for_selector("#output .e >> text=商品")
    assert "GOODS" in page.inner_text("#legend")


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("training needs torch, which is not installed", "Training is not installed"),
        ("not told: fenjie serve --train FOLDER", "This service does not train"),
    ],
)
def test_a_service_that_cannot_train_says_so(
    open_page: OpenPage, address: str, reason: str, said: str
) -> None:
    page = open_page("healthz")
    state = {"available": False, "reason": reason, "starts": [], "run": None}
    page.route("**/v1/train", lambda route: route.fulfill(json=state))
    page.goto(address)
    page.click("#tab-label")
    page.wait_for_selector(f"#train-help >> text={said}")
    assert page.is_hidden("#train-go")


def test_a_run_that_fails_shows_what_it_said(open_page: OpenPage, training: str) -> None:
    page = open_page("healthz", at=training)
    run = {"name": "mine", "phase": "failed", "step": 0, "steps": 0, "loss": None, "f1": None,
           "seen": True, "seconds": 1.0, "message": "no <b>memory</b>"}  # fmt: skip
    state = {"available": True, "reason": None, "starts": [], "run": run}
    page.route("**/v1/train", lambda route: route.fulfill(json=state))
    page.goto(training)
    page.click("#tab-label")
    page.wait_for_selector("#train-message >> text=no <b>memory</b>")
    assert page.inner_text("#train-status") == "Training mine failed."
    assert "needs hundreds of sentences" in page.inner_text("#train-help")


def test_a_service_that_was_started_anew_has_no_run(open_page: OpenPage, training: str) -> None:
    page = open_page("healthz", at=training)
    run = {"name": "mine", "phase": "training", "step": 1, "steps": 9, "loss": 1.0, "f1": None,
           "seen": True, "seconds": 1.0, "message": None}  # fmt: skip
    runs = iter([run])  # then none
    state = {"available": True, "reason": None, "starts": []}
    page.route("**/v1/train", lambda route: route.fulfill(json={**state, "run": next(runs, None)}))
    page.goto(training)
    page.click("#tab-label")
    page.wait_for_selector("#train-status >> text=Step 1 of 9")
    assert page.is_disabled("#train-go")
    page.wait_for_selector("#train-stop", state="hidden")
    assert page.is_enabled("#train-go") and page.is_hidden("#train-bar")
    assert page.inner_text("#train-status") == ""


def test_the_attention_of_a_model_with_weights(open_page: OpenPage, training: str) -> None:
    page = open_page(at=training)
    page.fill("#text", "商品和服务")
    finished(page, "商品和服务")
    page.click("#tab-attention")
    page.wait_for_selector("#attention-view h3 >> text=Attention of 商")
    assert page.locator(".key").count() == 5 + 3
    page.select_option("#head", "1")
    page.focus(".query >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#attention-view h3 >> text=Attention of 品")
    page.fill("#text", "商品。服务" * 80)
    page.wait_for_selector("#error >> text=the text has 400 characters")
