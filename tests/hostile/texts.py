"""Random texts through both shipped models: nothing is lost, and all ways give the same."""

from __future__ import annotations

import random
import time
from typing import Any

import fenjie
from tests.hostile.case import Outcome, chance

CASES = 16_000
BLOCK = 8
"""Number of texts in a list."""

COMMON = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生"
    "到作地于出就分对成会可主发年动同工也能下过子说产种面"
)
ALPHABETS = [
    COMMON,
    "北京上海张三李四公司大学，。！？、；：“”（）",
    "0123456789.,%+-",
    "abcXYZ @:/.-_#?=&",
    "１２３ＡＢＣ％．",
    " \t\u3000\u00a0\u2028\r\v\f\x1c\x85",
    "😀👩\u200d👩\u200d👧🏽🇨🇳\ufe0f⃣",
    "\u0301\u0308e\u0300\u20dd\u3099",
    "\x00\x01\x1b\x7f\x9b\ufeff\ufffe\uffff\ufffd",
    "\u202e\u2066\u200f\u061c",
    "ㄅㄆ한국어ไทยالعربيةनमस्ते",
    "㐀𠀀𪛖𫝀豈龜",
    "\ud800\udfff\udc00",
    ".-=_~*…—·哈呵",
]


def text(source: random.Random, longest: int = 60) -> str:
    """A text of several stretches, each of one alphabet, or of one character again and again."""
    size = source.choice([0, 1, 2, 3, source.randrange(longest), source.randrange(longest)])
    if source.random() < 0.02:
        size = source.randrange(200, 2000)
    parts: list[str] = []
    while size > 0:
        count = min(size, source.randint(1, max(1, size)))
        match source.randrange(6):
            case 0:
                part = chr(source.randrange(0x110000)) * count
            case 1:
                part = "".join(chr(source.randrange(0x110000)) for _ in range(count))
            case 2:
                alphabet = source.choice(ALPHABETS)
                part = source.choice(alphabet) * count
            case _:
                part = "".join(source.choices(source.choice(ALPHABETS), k=count))
        parts.append(part)
        size -= count
    return "".join(parts)


def run(outcome: Outcome, model: str, share: float, seed: int) -> None:
    """Read texts alone, in a list and as a stream."""
    tagger: Any = fenjie.load(model)
    segments = model == "segment"
    for block in range(round(CASES * share / BLOCK)):
        source = chance(outcome.kind, seed, block)
        texts = [text(source) for _ in range(BLOCK)]
        together: list[Any] = []
        streamed: list[Any] = []
        try:
            together = tagger(texts)
            streamed = list(tagger.stream(iter(texts)))
        except Exception as error:
            outcome.fail(f"list {block}", f"{type(error).__name__}: {error}")
        for number, one in enumerate(texts):
            with outcome.case(f"{block}.{number} {one[:80]!r}"):
                start = time.process_time()
                alone = tagger(one)
                outcome.took(time.process_time() - start, len(one))
                assert alone.text == one, "the text is changed"
                spans = [(span.start, span.end) for span in alone.spans]
                assert all(start < end for start, end in spans), "an empty span"
                ends = [0, *(end for _, end in spans)]
                gaps = [start - end for end, (start, _) in zip(ends, spans, strict=False)]
                assert all(gap == 0 if segments else gap >= 0 for gap in gaps), "spans overlap"
                assert ends[-1] <= len(one), "a span beyond the text"
                if segments:
                    assert ends[-1] == len(one), "the words do not tile the text"
                    assert "".join(alone.words) == one, "text is lost"
                same = [(s.start, s.end, s.label) for s in alone.spans]
                for other in (together, streamed):
                    found = [(s.start, s.end, s.label) for s in other[number].spans]
                    assert found == same, "alone it is read in another way"
