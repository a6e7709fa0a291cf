"""Gaps that a reader is sure of, in sentences that are easily cut wrong, by segmenters.

    python -m benchmarks.gaps [MODEL…]

The sentences of `benchmarks/modern/gaps.txt` were written for this purpose; marks in them say where
a word ends (`|`) and where none does (`_`), by the standard of PKU. A sentence is right if all of
its marked gaps are. No model learns from them. Writes `benchmarks/results/gaps.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.files import read_lines

SENTENCES = Path(__file__).parent / "modern" / "gaps.txt"
WORD_ENDS, WORD_GOES_ON = "|", "_"


class Marked(NamedTuple):
    """A sentence with marks.

    Attributes:
        part: of the file.
        text: without the marks.
        ends: where a word ends.
        inside: where none does.
    """

    part: str
    text: str
    ends: frozenset[int]
    inside: frozenset[int]

    def is_right(self, words: list[str]) -> bool:
        """Whether some words of the text keep to the marks."""
        places = set(accumulate(map(len, words)))
        return self.ends <= places and not self.inside & places


def main() -> None:
    """Cut the sentences by each model, print and save how many are right."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["segment", "segment-fast"], help="models")
    models = options.parse_args().models
    sentences = list(marked(SENTENCES))
    found = {model: scored(model, sentences) for model in models}
    for model, scores in found.items():
        for part, counts in scores["parts"].items():
            print(f"{model}  {part:10}  {counts['right']} of {counts['sentences']}")
    save("gaps", {"command": typed(), "found": found})


def scored(model: str, sentences: Sequence[Marked]) -> dict[str, Any]:
    """How many sentences of each part are right by a model, and the words of the others."""
    answers = fenjie.load(model)([one.text for one in sentences])
    parts = {one.part: {"right": 0, "sentences": 0} for one in sentences}
    wrong = []
    for one, answer in zip(sentences, answers, strict=True):
        words = list(answer.words)
        right = one.is_right(words)
        parts[one.part]["right"] += right
        parts[one.part]["sentences"] += 1
        if not right:
            wrong.append(" ".join(words))
    return {"parts": parts, "wrong": wrong}


def marked(path: Path) -> Iterator[Marked]:
    """The sentences of a file."""
    part = ""
    for _, line in read_lines(path):
        if line.startswith("#"):
            part = line.lstrip("# ")
            continue
        text, places = "", {WORD_ENDS: set[int](), WORD_GOES_ON: set[int]()}
        for character in line.strip():
            if character in places:
                places[character].add(len(text))
            else:
                text += character
        yield Marked(part, text, *(frozenset(found) for found in places.values()))


if __name__ == "__main__":
    run(main)
