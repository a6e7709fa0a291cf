"""What known words decide where `segment` is in doubt: F1 on dev, by standard and by the doubt.

    python -m benchmarks.doubt [MODEL]

A gap is doubtful if its log-odds are nearer to 0 than a number, `doubt` under `[segment]` of a
model's config.toml (`fenjie.runtime.decoding.doubtful`). Scored are the sentences on which the
model was chosen: the held-out part of each corpus of `recipes/segment-standards.toml`. Writes
`benchmarks/results/doubt.json`.
"""

from __future__ import annotations

from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.agreed_words import RECIPE
from fenjie.corpus.splits import last_share
from fenjie.evaluation.word_scores import score
from fenjie.recipe.recipe import load
from fenjie.runtime.load import load_segmenter
from fenjie.runtime.scorer import OnnxScorer
from fenjie.runtime.sentences import LIMITS, SentenceReader
from fenjie.tasks.corpora import read_parts
from fenjie.tasks.segmentation import not_segmented

DOUBTS = (0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 3.0)


def main() -> None:
    """Score each standard with each doubt, print and save."""
    options = parser(__doc__)
    options.add_argument("model", nargs="?", default="segment", help="a name or folder")
    folder = load_segmenter(options.parse_args().model).folder
    by = OnnxScorer.of(folder, (1, 2), threads=1)
    found: dict[str, dict[str, float]] = {}
    for part in read_parts(load(RECIPE).data, not_segmented, last_share):
        gold = part.corpora.dev
        texts = [sentence.text for sentence in gold]
        indexer = folder.indexer.of(part.standard)
        found[str(part.standard)] = scores = {}
        for doubt in DOUBTS:
            settings = folder.normaliser, indexer, folder.keeps_unsplittable, LIMITS, doubt
            words = SentenceReader(*settings).read(texts).sentences(by)
            scores[str(doubt)] = score(gold, words).f1
        said = "  ".join(f"{doubt} {100 * f1:.2f}" for doubt, f1 in scores.items())
        print(f"{part.standard}: {said}", flush=True)
    save("doubt", {"command": typed(), "found": found})


if __name__ == "__main__":
    run(main)
