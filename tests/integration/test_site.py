"""The site: it is built without a warning, its links lead somewhere, its search finds Chinese."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from fenjie import jieba
from tests.command_line import fenjie
from tests.pages import console_commands, run_python

ROOT = Path(__file__).resolve().parents[2]
PAIRS = {
    "quickstart": "index",
    "howto/user-words": "own-words",
    "howto/own-data": "own-data",
    "howto/serve": "serve",
    "howto/tag": "tag",
    "howto/standards": "standards",
    "howto/coming-from": "coming-from",
    "tutorial": "tutorial",
}
"""Pages in English, and those of the same content in Chinese."""


@pytest.fixture(scope="module")
def site(common: Path) -> Path:
    """The site, built by the first process of the tests that wants it."""
    pytest.importorskip("mkdocs", reason="needs the extra `docs`")
    from tests import builders

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return builders.shared(common, "site", build)


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 40
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[\w+-]+:|//", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            found = (path.parent / target.partition("?")[0]).resolve() if target else path
            assert found.is_file(), f"{path}: {link}"
            if found in pages and not anchor.startswith("__"):
                assert anchor in pages[found].anchors, f"{path}: {link}"


@pytest.mark.slow
def test_no_page_needs_the_network(site: Path) -> None:
    for path in site.rglob("*.html"):
        for link in re.findall(
            r'<(?:script|link|img)[^>]*?(?:src|href)="(\w+:[^"]+)"', path.read_text()
        ):
            assert link.startswith("data:"), f"{path}: {link}"


@pytest.mark.slow
def test_the_api_has_its_docstrings(site: Path) -> None:
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    for name in ("load", "Sentence", "Segmenter", "EntityTagger", "Terms", "push"):
        assert re.search(rf'id="fenjie\.[\w.]*\.{name}"', page), name
    assert "Load a model and check its files." in page


@pytest.mark.slow
@pytest.mark.parametrize("query", ["分词", "词", "大学", "北京大学", "用户词", "标注", "训练"])
def test_the_search_finds_chinese(site: Path, query: str) -> None:
    found = search(site, query)
    assert any(place.startswith("zh/") for place in found), found


def search(site: Path, query: str) -> list[str]:
    """The places that have a word that begins with each of the words of a query."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    separator = re.compile(index["config"]["separator"])
    tokens = {
        entry["location"]: {
            token
            for text in (entry["title"], entry["text"])
            for token in separator.split(re.sub(r"<[^>]*>", " ", text))
        }
        for entry in index["docs"]
    }
    parts = cut(query, set().union(*tokens.values()))
    assert "".join(parts) == query
    return [
        place
        for place, own in tokens.items()
        if all(any(token.startswith(part) for token in own) for part in parts)
    ]


def cut(query: str, known: set[str]) -> list[str]:
    """The words of a query as the script of the theme finds them: the longest of the index."""
    longest = [
        max((e for e in range(at + 1, len(query) + 1) if query[at:e] in known), default=at)
        for at in range(len(query))
    ]
    parts, at = [], 0
    while at < len(query) and longest[at] > at:
        parts.append(query[at : longest[at]])
        at = longest[at]
    return parts or [query]


@pytest.mark.slow
def test_the_script_of_the_search_takes_whole_queries(site: Path) -> None:
    (script,) = (site / "assets" / "javascripts" / "workers").glob("search*.js")
    text = script.read_text(encoding="utf-8")
    assert re.search(r"(\w+)<=(\w+)\.length;\1\+\+\)\2\.slice\((\w+),\1\)in ", text)
    assert re.search(r"(\w+)\[(\w+)\]&&\2<(\w+)\.length&&", text)


@pytest.mark.parametrize(
    "name",
    [
        "quickstart",
        "howto/standards",
        "zh/index",
        "zh/own-words",
        "zh/own-data",
        "zh/tag",
        "zh/standards",
        "zh/coming-from",
    ],
)
def test_what_the_pages_show_is_so(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert run_python(page)
    importlib.reload(jieba)  # without the words that the page adds
    for text, arguments, shown in console_commands(page):
        done = fenjie(*arguments, stdin=f"{text}\n".encode())
        assert done.stdout.decode() == shown


def test_pages_of_both_languages_lead_to_each_other() -> None:
    for english, chinese in PAIRS.items():
        page = ROOT / "docs" / "zh" / f"{chinese}.md"
        assert f"(../{english}.md)" in page.read_text(encoding="utf-8")
        target = "../" * english.count("/") + f"zh/{chinese}.md"
        assert target in (ROOT / "docs" / f"{english}.md").read_text(encoding="utf-8")
    assert {path.stem for path in (ROOT / "docs" / "zh").glob("*.md")} == set(PAIRS.values())
