r"""One JSON object a line: `{"text": "…", "spans": [[start, end, "label"], …]}`.

A span may be an object, too, with `start`, `end` and `label`, as Prodigy writes it, and the spans
may stand under `entities`. Examples that Prodigy says were rejected or ignored are left out. The
offsets count characters (code points). The only format that holds every text: whitespace, line
ends, empty texts, and lone surrogates, which are written as escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from fenjie.corpus.lines import Corpus, FilePath, Lines, check_apart
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.text.span import Sentence, Span

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LABELS = re.compile(r'[{,]\s*"labels?"\s*:\s*\[')
_OBJECTS = re.compile(r'[{,]\s*"entities"\s*:\s*\[\s*\{[^{}]*"start"\s*:')

PLACE = ("start", "end", "label")
"""The keys of a span that is an object."""

NOT_ACCEPTED = "rejected or ignored example left out"
"""What is counted for a line whose `answer` is that of Prodigy for an example that is no gold."""

Units = dict[int, int]
"""From an offset in other units to the character that begins there, or ends the text."""


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read sentences with spans; keys other than `text`, `spans` and `entities` are ignored.

    `fenjie tag` adds entities to the spans of a line: where they differ, one reader would take
    these for the annotation, another those.
    """
    keys = ("spans", "entities")
    return read_objects(lines, path, keys, PLACE, agrees=_agrees, accepted=_accepted)


def has_objects(line: str) -> bool:
    """Whether a line has entities with `start` and `end`, and no spans in doccano's form."""
    return bool(_OBJECTS.search(line)) and not _LABELS.search(line)


def _accepted(entry: dict[str, Any]) -> bool:
    """Whether a line is gold: in Prodigy an annotator accepts, rejects or ignores an example."""
    return entry.get("answer") not in ("reject", "ignore")


def _agrees(entry: dict[str, Any], sentence: Sentence) -> bool:
    """Whether the entities of a line, if it has any, are its spans."""
    entities = entry.get("entities")
    if not isinstance(entities, list):
        return True
    if not all(isinstance(entity, dict) and entity.keys() >= set(PLACE) for entity in entities):
        return True
    spans = {repr([span.start, span.end, span.label]) for span in sentence.spans}
    return spans == {repr(_listed(entity, PLACE)) for entity in entities}


def read_objects(
    lines: Lines,
    path: FilePath,
    keys: Sequence[str],
    place: tuple[str, str, str],
    units: Callable[[str], Units | None] = lambda text: None,
    agrees: Callable[[dict[str, Any], Sentence], bool] = lambda entry, sentence: True,
    accepted: Callable[[dict[str, Any]], bool] = lambda entry: True,
) -> Corpus:
    """Read a sentence from the object of each line that is not empty.

    Args:
        lines: the lines.
        path: the file, for messages.
        keys: the keys under which the spans may stand.
        place: the keys of start, end and label in a span that is an object.
        units: gives the unit that the offsets of a text count; None for characters.
        agrees: whether nothing else in an object contradicts its sentence.
        accepted: whether an object is read; each that is not is counted as `NOT_ACCEPTED`.

    Raises:
        FileError: a line is not such an object or contradicts itself, or a span is empty or outside
            of the text.
    """
    corpus = Corpus()
    for number, line in lines:
        if not line or line.isspace():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise FileError(path, f"not JSON ({reason})", line=number, found=line) from error
        entry = entry if isinstance(entry, dict) else {}
        if not accepted(entry):
            corpus.repairs[NOT_ACCEPTED] += 1
            continue
        text, spans = entry.get("text"), next((entry[key] for key in keys if key in entry), None)
        if not isinstance(text, str) or not isinstance(spans, list):
            expected = f'{{"text": "…", "{keys[0]}": [[start, end, "label"], …]}}'
            raise FileError(path, "not a sentence", line=number, found=line, expected=expected)
        sentence = marked(text, (_listed(item, place) for item in spans), path, number, units(text))
        if not agrees(entry, sentence):
            reason = f"`{keys[0]}` and `entities` differ, as where an annotated file was tagged"
            raise FileError(path, reason, line=number, found=line, expected="one of the two")
        corpus.add(sentence, number)
    return corpus


def _listed(item: Any, place: tuple[str, str, str]) -> Any:
    """An object with these keys as the list that it stands for; anything else as it is."""
    if isinstance(item, dict) and item.keys() >= set(place):
        return [item[key] for key in place]
    return item


def marked(
    text: str, items: Iterable[object], path: FilePath, line: int, units: Units | None = None
) -> Sentence:
    """The sentence of a text and items `[start, end, label]`, in any order.

    Args:
        text: the text.
        items: what should be such items.
        path: the file, for messages.
        line: the line that they stand in.
        units: the unit that the offsets count; characters without it.

    Raises:
        FileError: an item is no span of the text.
    """
    spans = sorted(_span(item, len(text), path, line, units) for item in items)
    return Sentence(text, tuple(spans))


def _span(item: object, length: int, path: FilePath, line: int, units: Units | None) -> Span:
    match item:
        case [int(start), int(end), str(label)] if type(start) is type(end) is int and label:
            first, last = (units.get(start), units.get(end)) if units else (start, end)
            if first is not None and last is not None and 0 <= first < last <= length:
                return Span(first, last, label)
    limit = max(units) if units else length
    expected = f"[start, end, label] with 0 <= start < end <= {limit}"
    if limit > length:
        expected += " at the edges of characters, in UTF-16 code units, of which an emoji has two"
    raise FileError(path, "not a span", line=line, found=item, expected=expected)


def render(sentence: Sentence) -> str:
    """The line of a sentence."""
    check_apart(sentence)
    spans = [[span.start, span.end, span.label] for span in sentence.spans]
    return dump({"text": sentence.text, "spans": spans}, sentence) + "\n"


def dump(value: object, sentence: Sentence) -> str:
    """The JSON of a value made of a sentence, in one line; lone surrogates are escaped.

    A high surrogate and a low one after it, as two characters, would be read as one: an error.
    """
    line = json.dumps(value, ensure_ascii=False)
    if _SURROGATE.search(line):
        if _PAIR.search(line):
            raise FenjieError(f"found a split surrogate pair in {shorten(sentence.text)}")
        line = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
    return line


def utf16(text: str) -> Units:
    """Where the characters of a text begin when it is counted in UTF-16 code units.

    JavaScript counts so, and with it the annotation tools that run in a browser: characters beyond
    U+FFFF, such as emoji, are two units.
    """
    sizes = (1 + (character > "\uffff") for character in text)
    return {unit: place for place, unit in enumerate(accumulate(sizes, initial=0))}
