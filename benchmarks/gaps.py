"""Gaps that a reader is sure of, in sentences that are easily cut wrong, by segmenters.

    python -m benchmarks.gaps [MODEL…]

The sentences of `benchmarks/modern/gaps.txt` were written for this purpose; marks in them say where
a word ends (`|`) and where none does (`_`), by the standard of PKU. A sentence is right if all of
its marked gaps are. No model learns from them. Writes `benchmarks/results/gaps.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
        places = {len("".join(words[:count])) for count in range(len(words))}
        return self.ends <= places and not self.inside & places


def main() -> None:
    """Cut the sentences by each model, print and save the share that is right."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["segment", "segment-fast"], help="models")
    models = options.parse_args().models
    sentences = list(marked(SENTENCES))
    found = {}
    for model in models:
        answers = [words_of(model, one.text) for one in sentences]
        right = [one.is_right(words) for one, words in zip(sentences, answers, strict=True)]
        parts = dict.fromkeys((one.part for one in sentences), 0.0)
        for part in parts:
            own = [good for one, good in zip(sentences, right, strict=True) if one.part == part]
            parts[part] = sum(own) / len(own)
            print(f"{model}  {part:10}  {sum(own)} of {len(own)}", flush=True)
        wrong = [words for words, good in zip(answers, right, strict=True) if not good]
        found[model] = {"right": parts, "wrong": [" ".join(words) for words in wrong]}
    save("gaps", {"command": typed(), "found": found})


def words_of(model: str, text: str) -> list[str]:
    """The words of a text, by a segmenter."""
    return list(fenjie.load(model)(text).words)


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
