"""The page in Chromium: the time from the last key to the entities, and long texts.

    python -m benchmarks.page

Texts of 200 characters are written into the box, eleven times; the time runs in the browser from
that moment, the pause before the request included, until the entities are drawn. Then 20,000
characters, in lines and in one line: the time to the first entities and to the last, and the
longest time that the page does not answer. Needs Debian's Chromium. Writes
`benchmarks/results/page.json`.
"""

from __future__ import annotations

import shutil
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.load import serving
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHORT, LONG, TIMES = 200, 20_000, 11

MEASURE = """text => new Promise(resolve => {
  const place = document.querySelector("#output"), box = document.querySelector("#text");
  const found = {longest: 0};
  const tasks = new PerformanceObserver(list => list.getEntries().forEach(
    one => found.longest = Math.max(found.longest, one.duration)));
  tasks.observe({type: "longtask"});
  const started = performance.now();
  const seen = new MutationObserver(() => {
    const now = performance.now() - started;
    if (place.querySelector(".e")) found.first ??= now;
    if (!place.querySelector(".pending") && place.textContent.includes("终")) {
      seen.disconnect();
      setTimeout(() => { tasks.disconnect(); resolve({...found, last: now}); }, 500);
    }
  });
  seen.observe(place, {childList: true, subtree: true, attributes: true});
  box.value = text;
  box.dispatchEvent(new Event("input"));
})"""


def main() -> None:
    """Measure, print and save."""
    parser(__doc__).parse_args()
    from playwright.sync_api import sync_playwright

    sentences = [one.text for one in read(locate("ner/msra/test.bio")).sentences]
    whole = "".join(sentences).replace("终", "末")
    lines = "\n".join(each.replace("终", "末") for each in sentences)
    with serving() as (_, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(locale="en-US")
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("#output .e")
        short = [
            _measured(page, whole[at : at + SHORT - 1] + "终")
            for at in range(0, SHORT * TIMES, SHORT)
        ]
        result: dict[str, Any] = {
            "200 characters": {
                "median_ms": round(median(one["last"] for one in short)),
                "slowest_ms": round(max(one["last"] for one in short)),
            },
            "20,000 characters in lines": _rounded(_measured(page, lines[: LONG - 1] + "终")),
            "20,000 characters in one line": _rounded(_measured(page, whole[: LONG - 1] + "终")),
        }
        browser.close()
    print(result)
    save("page", {"command": typed(), **result})


def _measured(page: Page, text: str) -> dict[str, float]:
    page.evaluate("() => document.querySelector('#output').replaceChildren()")
    found: dict[str, float] = page.evaluate(MEASURE, text)
    return found


def _rounded(found: dict[str, float]) -> dict[str, int]:
    names = {"first": "first_ms", "last": "last_ms", "longest": "longest_task_ms"}
    return {name: round(found[key]) for key, name in names.items()}


if __name__ == "__main__":
    run(main)
