r"""JSON of Label Studio: an array of tasks, each a text with labelled stretches.

The export "JSON" is read and written, and "JSON-MIN" is read:

```
[{"data": {"text": "我在北京"}, "annotations": [{"result": [
   {"type": "labels", "from_name": "label", "to_name": "text",
    "value": {"start": 2, "end": 4, "text": "北京", "labels": ["LOC"]}}]}]}]
[{"text": "我在北京", "label": [{"start": 2, "end": 4, "text": "北京", "labels": ["LOC"]}]}]
```

Offsets are characters, as Label Studio has counted since version 1.5; older versions counted UTF-16
code units, in which an emoji is two. The text that stands beside the offsets tells which. Its
whitespace may differ: it is what a browser has selected, which shows a run of spaces as one, with
`\n` (two characters) for a line end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from fenjie.corpus.jsonl import Units, dump, marked, utf16
from fenjie.corpus.lines import Corpus, FilePath, Lines, check_apart
from fenjie.errors import FileError, shorten
from fenjie.text.span import Sentence

OPENING, BETWEEN, CLOSING = "[\n", ",\n", "\n]\n"
"""The text before, between and after the tasks of a file."""

_SPACE = re.compile(r"[ \t\n\r]*")


_ELSEWHERE = ("hypertextlabels", "paragraphlabels")
"""Types of labels whose offsets are not into the text of the task."""


def looks_so(head: str) -> bool:
    """Whether a file that begins with `head` may be of this format."""
    return re.match(r"\s*\[\s*\{\s*\"", head) is not None


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read tasks with their annotations; relations, choices and predictions are ignored."""
    corpus = Corpus()
    numbered = list(lines)
    text = "\n".join(line for _, line in numbered)
    if text.strip():
        first = line = numbered[0][0]
        counted = 0
        for place, task in _tasks(text, first, path):
            line += text.count("\n", counted, place)
            counted = place
            fail = partial(FileError, path, line=line)
            content, items = _content(task, fail), _items(task, fail)
            units = cache(partial(utf16, content))  # for old files alone, and once for a task
            spans = [_span(content, item, units, fail) for item in items]
            corpus.add(marked(content, spans, path, line), line)
    return corpus


def _tasks(text: str, first: int, path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each task of the array and where it begins."""
    decoder = json.JSONDecoder()

    def skip(place: int) -> int:
        match = _SPACE.match(text, place)
        return match.end() if match else place

    def fail(place: int, expected: str) -> FileError:
        line, found = first + text.count("\n", 0, place), text[place : place + 20]
        message = "not JSON of Label Studio"
        return FileError(path, message, line=line, found=found, expected=expected)

    def after(place: int, marks: str, expected: str) -> tuple[str, int]:
        """The mark that must come next, and the place of the first thing after it."""
        place = skip(place)
        if not text.startswith(tuple(marks), place):
            raise fail(place, expected)
        return text[place], skip(place + 1)

    mark, place = after(0, "[", "an array of tasks: [{…}, …]")
    if text.startswith("]", place):
        mark, place = after(place, "]", "")
    while mark != "]":
        try:
            task, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            at = error.pos if isinstance(error, json.JSONDecodeError) else place
            raise fail(at, "a task, in JSON") from error
        if not isinstance(task, dict):
            raise fail(place, 'a task: {"data": …, "annotations": …}')
        yield place, task
        mark, place = after(end, ",]", "a comma or ] after a task")
    if place < len(text):
        raise fail(place, "nothing after the array")


def _content(task: dict[str, Any], fail: Callable[..., FileError]) -> str:
    """The text of a task: `text`, or else the only string among its data."""
    data = task.get("data", task)
    if isinstance(data, dict):
        if isinstance(data.get("text"), str):
            return str(data["text"])
        texts = [value for value in data.values() if isinstance(value, str)]
        if "data" in task and len(texts) == 1:
            return texts[0]
    raise fail("a task without a text", found=data, expected='"text": "…"')


def _items(task: dict[str, Any], fail: Callable[..., FileError]) -> list[dict[str, Any]]:
    """The labelled stretches of a task."""
    items: Any
    if "data" in task:
        annotations = task.get("annotations", task.get("completions"))
        kept = [
            annotation
            for annotation in (annotations if isinstance(annotations, list) else [])
            if isinstance(annotation, dict) and not annotation.get("was_cancelled")
        ]
        if len(kept) != 1:
            expected = "one: export one for each task, and tasks that are annotated"
            raise fail(f"a task with {len(kept)} annotations", expected=expected)
        results = kept[0].get("result")
        items = results if isinstance(results, list) else [None]
        if all(isinstance(result, dict) for result in items):
            for result in items:
                if result.get("type") in _ELSEWHERE:
                    expected = '"labels": those of a Text, with offsets into it'
                    raise fail("labels of another kind", found=result["type"], expected=expected)
            items = [result.get("value") for result in items if result.get("type") == "labels"]
    else:
        lists = [value for value in task.values() if isinstance(value, list)]
        items = task.get("label", lists[0] if len(lists) == 1 else [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        expected = '[{"start": …, "end": …, "text": "…", "labels": ["…"]}, …]'
        raise fail("not labels", found=items, expected=expected)
    return items


def _span(
    content: str,
    item: dict[str, Any],
    units: Callable[[], Units],
    fail: Callable[..., FileError],
) -> object:
    """Start, end and label, in characters, of a stretch."""
    start, end, labels = item.get("start"), item.get("end"), item.get("labels")
    if not isinstance(labels, list) or len(labels) != 1:
        if "labels" not in item and isinstance(item.get("label"), str):
            expected = "an object a line, without the array, or labels of Label Studio"
            raise fail("a span of the format jsonl in an array", found=item, expected=expected)
        raise fail("not one label", found=item, expected='"labels": ["label"]')
    text = item.get("text")
    if isinstance(text, str) and type(start) is type(end) is int:
        place = _place(content, start, end, text, units)
        if place is None:
            message = f"the text from {start} to {end} is not what the label says"
            raise fail(message, found=content[start:end], expected=shorten(text))
        start, end = place
    return [start, end, labels[0]]


def _place(
    content: str, start: int, end: int, text: str, units: Callable[[], Units]
) -> tuple[int, int] | None:
    """Start and end in characters of the text that stands at them; None where it does not."""
    if content[start:end] == text:
        return start, end
    places = [(start, end)]
    first, last = units().get(start), units().get(end)
    if first is not None and last is not None:
        places.insert(0, (first, last))
        if content[first:last] == text:
            return first, last
    alike = (place for place in places if _bare(content[slice(*place)]) == _bare(text))
    return next(alike, None)


def _bare(text: str) -> str:
    """A text without whitespace, a line end that is written as two characters included."""
    return "".join(text.replace("\\n", " ").split())


def render(sentence: Sentence) -> str:
    """The task of a sentence, in one line without its end."""
    check_apart(sentence)
    result = [
        {
            "type": "labels",
            "from_name": "label",
            "to_name": "text",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": span.of(sentence.text),
                "labels": [span.label],
            },
        }
        for span in sentence.spans
    ]
    task = {"data": {"text": sentence.text}, "annotations": [{"result": result}]}
    return dump(task, sentence)
