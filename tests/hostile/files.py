"""Damaged annotated files of all formats: read, or refused in one line."""

from __future__ import annotations

import gzip
import lzma
import random
import tempfile
from pathlib import Path

from fenjie.corpus import read, write
from fenjie.corpus.formats import NAMES
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span
from tests.hostile.case import Outcome, chance

CASES = 50_000

ENTITIES = [
    Sentence("我在北京😀大学。", (Span(2, 4, "LOC"), Span(4, 7, "ORG"))),
    Sentence("张三是学生", (Span(0, 2, "PER.NAM"),)),
    Sentence("没有"),
]
WORDS = [Sentence.from_words(words.split()) for words in ("我 在 北京 😀 大学 。", "张三 是 学生")]

TOKENS = [
    *(
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b" ",
        b"  ",
        b"\xe2\x80\xa8",
    ),
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b'"',
        b",",
        b":",
        b"\\",
        b"\\ud800",
        b"null",
        b"-1",
        b"1e999",
        b"9" * 5000,
    ),
    *(b"B-", b"I-LOC", b"E", b"S-", b"O", b"T1\tLOC 0 2\t", b"T2\tX 2 1;3 4\t", b"1-2\t", b"1.1\t"),
    *(
        "我".encode(),
        "😀".encode(),
        b"\x1b[31m",
        b"[" * 3000,
        b'"text": 3',
        b'"spans": [[0,1,"A"]]',
    ),
]


def damage(content: bytes, source: random.Random) -> bytes:
    """A content that was cut, flipped, doubled, or into which something was put."""
    data = bytearray(content)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(data) + 1)
        to = min(len(data), at + source.randrange(1, 12))
        match source.randrange(7):
            case 0:
                data[at:to] = b""
            case 1:
                data[at:at] = source.choice(TOKENS)
            case 2:
                data[at:to] = source.choice(TOKENS)
            case 3:
                data[at:to] = source.randbytes(to - at)
            case 4:
                data[at:at] = data[at:to]
            case 5:
                del data[at:]
            case 6 if data:
                data[source.randrange(len(data))] ^= 1 << source.randrange(8)
    return bytes(data)


def run(outcome: Outcome, share: float, seed: int) -> None:
    """Read damaged files; what can be read is written and read again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole: dict[str, dict[str, bytes]] = {}
        for form in NAMES:
            made = folder / form
            made.mkdir()
            sentences = WORDS if form in ("spaced", "conllu") else ENTITIES
            write(sentences, made / "a.txt", form)
            whole[form] = {path.name: path.read_bytes() for path in made.iterdir()}
        for number in range(round(CASES * share)):
            source = chance(outcome.kind, seed, number)
            form = source.choice(NAMES)
            with outcome.case(f"{number} {form}"):
                hurt = source.choice(sorted(whole[form]))
                for file, content in whole[form].items():
                    if file == hurt:
                        content = damage(content, source)
                        if source.random() < 0.03:
                            content = damage(gzip.compress(content), source)
                        elif source.random() < 0.01:
                            content = damage(lzma.compress(content), source)
                    (folder / file).write_bytes(content)
                named = form if source.random() < 0.7 or form == "brat" else None
                encoding = source.choice(["utf-8", "utf-8", "utf-8", "gb18030", "utf-8-sig"])
                corpus = read(folder / "a.txt", named, encoding=encoding)
                _written_again(corpus.sentences, folder, source)


def _written_again(sentences: list[Sentence], folder: Path, source: random.Random) -> None:
    form = source.choice(NAMES)
    try:
        write(sentences, folder / "b.txt", form)
    except FenjieError:  # this format cannot hold them
        return
    again = read(folder / "b.txt", form).sentences
    if form in ("spaced", "conllu", "columns", "weibo"):
        sentences, again = ([s for s in some if s.text] for some in (sentences, again))
    assert [s.text for s in again] == [s.text for s in sentences], f"text is lost in {form}"
    spans = [[(s.start, s.end) for s in one.spans] for one in sentences]
    assert [[(s.start, s.end) for s in one.spans] for one in again] == spans, f"spans, {form}"
