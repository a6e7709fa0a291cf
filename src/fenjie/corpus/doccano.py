r"""JSON Lines of doccano, for sequence labelling: two forms are read, the first is written.

```
{"text": "我在北京", "label": [[2, 4, "LOC"]]}
{"text": "我在北京", "entities": [{"start_offset": 2, "end_offset": 4, "label": "LOC"}]}
```

`labels` for `label` and lists for the objects are read too. doccano counts offsets as JavaScript
does, in UTF-16 code units, and so does this format: an emoji is two. For text within the first
65,536 code points that makes no difference.
"""

from __future__ import annotations

import re

from fenjie.corpus.jsonl import dump, read_objects, utf16
from fenjie.corpus.lines import Corpus, FilePath, Lines, check_apart
from fenjie.text.span import Sentence

KEYS = ("label", "labels", "entities")
"""The keys under which the spans may stand."""

PLACE = ("start_offset", "end_offset", "label")
"""The keys of a span that is an object."""

_LOOKS = re.compile(r'[{,]\s*"(?:label|labels|entities)"\s*:\s*\[')
_SPANS = re.compile(r'[{,]\s*"spans"\s*:\s*\[')


def looks_so(line: str) -> bool:
    """Whether a line may be of this format, and not of the format `jsonl`."""
    start = re.match(r'\s*\{\s*"', line)
    return bool(start and _LOOKS.search(line) and not _SPANS.search(line))


def read(lines: Lines, path: FilePath) -> Corpus:
    """Read sentences with spans; other keys (`id`, `relations`, `Comments`, …) are ignored."""
    return read_objects(lines, path, KEYS, PLACE, utf16)


def render(sentence: Sentence) -> str:
    """The line of a sentence."""
    check_apart(sentence)
    units = list(utf16(sentence.text))
    spans = [[units[span.start], units[span.end], span.label] for span in sentence.spans]
    return dump({"text": sentence.text, "label": spans}, sentence) + "\n"
