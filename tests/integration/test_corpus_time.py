"""The time that readers and writers take grows with the size of a file, not with its square."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fenjie.corpus import read, write
from fenjie.corpus.formats import NAMES
from fenjie.text.span import Sentence, Span

SMALL, TIMES = 1500, 8


def seconds(work: Callable[[], object]) -> float:
    """CPU time of some work, the least of three."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def corpus(name: str, sentences: int) -> list[Sentence]:
    if name in ("spaced", "conllu"):
        return [Sentence.from_words(["我", "在", "北京", "😀"])] * sentences
    return [Sentence("我在北京😀", (Span(2, 4, "LOC"),))] * sentences


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, True], ids=["many sentences", "a long sentence"])
@pytest.mark.parametrize("name", NAMES)
def test_linear(name: str, long: bool, tmp_path: Path) -> None:
    def there_and_back(path: Path, count: int) -> float:
        made = corpus(name, count)
        if long:
            joined = "".join(sentence.text for sentence in made)
            spans = (
                Span(5 * place + span.start, 5 * place + span.end, span.label)
                for place, sentence in enumerate(made)
                for span in sentence.spans
            )
            made = [Sentence(joined, tuple(spans))]
        write(made, path, name)
        assert read(path, name).sentences == made
        return seconds(lambda: read(path, name)) + seconds(lambda: write(made, path, name))

    small = there_and_back(tmp_path / "small.txt", SMALL)
    large = there_and_back(tmp_path / "large.txt", TIMES * SMALL)
    assert large < 3 * TIMES * small  # a quadratic one takes TIMES times TIMES as long


@pytest.mark.slow
def test_old_label_studio(tmp_path: Path) -> None:
    """Offsets in UTF-16 units: the text is counted once a task, not once a label."""

    def reading(count: int) -> float:
        text = "".join(f"😀{number:05}" for number in range(count))
        labels = [
            {"start": 7 * n + 2, "end": 7 * n + 7, "text": f"{n:05}", "labels": ["N"]}
            for n in range(count)
        ]
        path = tmp_path / "old.json"
        path.write_text(json.dumps([{"text": text, "label": labels}]), encoding="utf-8")
        assert len(read(path).sentences[0].spans) == count
        return seconds(lambda: read(path))

    assert reading(250 * TIMES) < 3 * TIMES * reading(250)
