"""Words by how much `segment` reads at once, and text without sentence ends.

    python -m benchmarks.word_windows [MODEL]

A sentence that is longer than a window is read through overlapping windows, which share a quarter
(`fenjie.runtime.sentences.LIMITS`). Scored by each standard are the sentences on which the model
was chosen, the held-out part of each corpus of `recipes/segment-standards.toml`: as they are, and
in lines of 3,000 characters or more without 。！？…；, as text from speech recognition. Speed is in
characters per second of CPU time, one thread, over all standards; the lengths take turns, and the
fastest of three passes counts. Writes `benchmarks/results/word-windows.json`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from benchmarks import passages
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.agreed_words import RECIPE
from fenjie.corpus.splits import last_share
from fenjie.evaluation.word_scores import score
from fenjie.recipe.recipe import load
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.load import load_segmenter
from fenjie.runtime.scorer import OnnxScorer
from fenjie.runtime.sentences import LIMITS, SentenceReader
from fenjie.tasks.corpora import read_parts
from fenjie.tasks.segmentation import not_segmented
from fenjie.text.span import Sentence

WINDOWS = (64, 96, 128, 192, 256, 512)
PASSES = 3

FORMS = {name: passages.FORMS[name] for name in ("sentences", "without ends")}


class Measured(NamedTuple):
    """F1 by standard, and the seconds that it took."""

    f1: dict[str, float]
    seconds: float


def main() -> None:
    """Score and time each window in each form, print and save."""
    options = parser(__doc__)
    options.add_argument("model", nargs="?", default="segment", help="a name or folder")
    folder = load_segmenter(options.parse_args().model).folder
    by = OnnxScorer.of(folder, (1, 2), threads=1)
    parts = read_parts(load(RECIPE).data, not_segmented, last_share)
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for form, made in FORMS.items():
        gold = {str(part.standard): list(made(part.corpora.dev)) for part in parts}
        passes = [{w: measured(folder, by, w, gold) for w in WINDOWS} for _ in range(PASSES)]
        characters = sum(len(one.text) for sentences in gold.values() for one in sentences)
        found[form] = {}
        for window in WINDOWS:
            f1 = passes[0][window].f1
            speed = characters / min(one[window].seconds for one in passes)
            mean = sum(f1.values()) / len(f1)
            found[form][window] = {"f1": f1, "mean": mean, "characters_per_second": speed}
            said = "  ".join(f"{standard} {value:.2f}" for standard, value in f1.items())
            print(f"{form:12}  {window:3}  {said}  mean {mean:.2f}  {speed:,.0f} a second")
    save("word-windows", {"command": typed(), "found": found})


def measured(
    folder: ModelFolder, by: OnnxScorer, window: int, gold: dict[str, list[Sentence]]
) -> Measured:
    """Score each standard's sentences, read through windows of a length."""
    limits = replace(LIMITS, window=window, overlap=window // 4)
    f1, seconds = {}, 0.0
    for standard, sentences in gold.items():
        reader = SentenceReader.of(folder, limits, standard)
        start = time.process_time()
        words = reader.read([sentence.text for sentence in sentences]).sentences(by)
        seconds += time.process_time() - start
        f1[standard] = 100 * score(sentences, words).f1
    return Measured(f1, seconds)


if __name__ == "__main__":
    run(main)
