"""What the site needs besides mkdocs: pages of files outside of docs, a search for Chinese.

- The docs link to sources, recipes and other files of the repository, as GitHub shows them. On the
  site each of these is a page too.
- Words of Chinese are separated in the index of the search by zero-width spaces, long ones into the
  shorter words that they hold. The search of the theme splits its index there, and what is typed
  by the words of the index.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
CODE = "code"
"""The folder of the site for files that are not in docs."""

SEPARATOR = "\u200b"

_LINK = re.compile(r"(?P<text>\]\()(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_origins: dict[str, Path] = {}
"""The files of the pages under `CODE`."""

_LANGUAGES = {".py": "python", ".toml": "toml", ".yml": "yaml", ".json": "json"}


def on_config(config: Any) -> Any:
    """Let a folder in the navigation stand for its pages."""
    config.nav = [_expanded(item) for item in config.nav]
    return config


def _expanded(item: dict[str, Any]) -> dict[str, Any]:
    ((title, value),) = item.items()
    if isinstance(value, str) and (DOCS / value).is_dir():
        return {title: [f"{value}/{path.name}" for path in sorted((DOCS / value).glob("*.md"))]}
    return item


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each file outside of docs that a page links to, and for those they link to."""
    waiting = list(DOCS.rglob("*.md"))
    _origins.clear()
    while waiting:
        page = waiting.pop()
        for target in _outside(page):
            if _place(target) in _origins:
                continue
            _origins[_place(target)] = target
            files.append(File.generated(config, _place(target), content=_content(target)))
            if target.suffix == ".md":
                waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links out of docs lead to the pages of these files."""
    source = page.file.src_uri
    origin = _origins.get(source, DOCS / source)
    if origin.suffix != ".md":
        return markdown

    def turned(match: re.Match[str]) -> str:
        target = _resolved(origin, match["target"])
        if target is None:
            return match[0]
        inside = target.is_relative_to(DOCS)
        place = target.relative_to(DOCS).as_posix() if inside else _place(target)
        anchor = match["anchor"] or ""
        return f"{match['text']}{posixpath.relpath(place, posixpath.dirname(source))}{anchor})"

    parts = _FENCE.split(markdown)
    fences = [*_FENCE.findall(markdown), ""]
    return "".join(
        _LINK.sub(turned, part) + fence for part, fence in zip(parts, fences, strict=True)
    )


def _outside(page: Path) -> Iterable[Path]:
    """The files of the repository outside of docs that a page links to."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        target = _resolved(page, match["target"])
        if target is not None and not target.is_relative_to(DOCS):
            yield target


def _resolved(page: Path, target: str) -> Path | None:
    """The file or folder of the repository that a link leads to; None where it leads elsewhere."""
    if re.match(r"\w+:", target):
        return None
    path = Path(posixpath.normpath((page.parent / target).as_posix()))
    return path if path.exists() and path.is_relative_to(ROOT) else None


def _place(target: Path) -> str:
    """Where the page of a file stands."""
    name = "/".join(part.lstrip(".") for part in target.relative_to(ROOT).parts)
    if target.is_dir():
        return f"{CODE}/{name}/index.md"
    return f"{CODE}/{name}" if target.suffix == ".md" else f"{CODE}/{name}.md"


def _content(target: Path) -> str:
    """The page of a file, or of a folder: what is in it."""
    name = target.relative_to(ROOT).as_posix()
    if target.is_dir():
        names = sorted(path.name for path in target.iterdir() if path.name[0] not in "._")
        return "\n".join([f"# {name}", "", *(f"- `{one}`" for one in names), ""])
    if target.suffix == ".md":
        return target.read_text(encoding="utf-8")
    kind = _LANGUAGES.get(target.suffix, "text")
    text = target.read_text(encoding="utf-8")
    head = "---\nsearch:\n  exclude: true\n---\n\n"
    return f"{head}# `{name}`\n\n````{kind}\n{text}\n````\n"


def on_post_build(config: Any) -> None:
    """Make the search find Chinese."""
    _separate(Path(config.site_dir) / "search" / "search_index.json")
    for path in Path(config.site_dir).glob("assets/javascripts/workers/search*.js"):
        path.write_text(whole_queries(path.read_text(encoding="utf-8")), encoding="utf-8")


def whole_queries(script: str) -> str:
    """The script of the search, in which the words of a query reach to its end.

    The theme cuts what is typed by the words of the index, but not with its last character: of 分词
    it would look for 分 alone.
    """
    script = _LAST_WORD.sub(r"\1<=\2.length;\1++)\2.slice(\3,\1)in ", script)
    return _LAST_STEP.sub(r"\1[\2]&&\2<\3.length&&", script)


_LAST_WORD = re.compile(r"(\w+)<(\w+)\.length;\1\+\+\)\2\.slice\((\w+),\1\)in ")
_LAST_STEP = re.compile(r"(\w+)\[(\w+)\]&&\2<(\w+)\.length-1&&")


def _separate(path: Path) -> None:
    """Separate the words of Chinese in the index of the search."""
    index = json.loads(path.read_text(encoding="utf-8"))
    texts = [entry[key] for entry in index["docs"] for key in ("title", "text")]
    cut = words_of({run for text in texts for run in _HAN.findall(text)})
    for entry in index["docs"]:
        for key in ("title", "text"):
            entry[key] = _HAN.sub(lambda run: SEPARATOR.join(cut[run[0]]), entry[key])
    path.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


def words_of(runs: Iterable[str]) -> dict[str, list[str]]:
    """The words of stretches of Chinese, words that are made of shorter words cut into these."""
    import fenjie

    runs = sorted(runs)
    lexicon = fenjie.load("ner").lexicon
    sentences = fenjie.load("segment")(runs)
    return {
        run: [part for word in sentence.words for part in _parts(word, lexicon)]
        for run, sentence in zip(runs, sentences, strict=True)
    }


def _parts(word: str, known: Any) -> list[str]:
    """A word in two or more shorter known words, or as it is where it is not made of such."""
    for end in range(2, len(word) - 1):
        if word[:end] in known and (rest := word[end:]) in known:
            return [*_parts(word[:end], known), *_parts(rest, known)]
    return [word]
