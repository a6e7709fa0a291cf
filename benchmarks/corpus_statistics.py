"""The statistics of data sets that the papers' first tables give, of each part and of all together.

    python -m benchmarks.corpus_statistics

Sentences, characters, words of the lexicon, entities; of segmented text its words. The words of
entities' corpora are those of our own lexicon (`vectors`) that occur, as FLAT counts them. Writes
`benchmarks/results/statistics.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.corpus.statistics import measure
from fenjie.lexicon import WordVectors
from fenjie.recipe.recipe import locate
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence

CORPORA = {
    "weibo": {part: f"ner/weibo/weiboNER_2nd_conll.{part}" for part in ("train", "dev", "test")},
    "resume": {part: f"ner/resume/{part}.char.bmes" for part in ("train", "dev", "test")},
    "msra": {"train": "ner/msra/train.lines_approx.bio", "test": "ner/msra/test.bio"},
    "pku": {"train": "cws/pku/train.utf8"},
}
"""The files by data set and part."""

SEGMENTED = {"pku"}


def main() -> None:
    """Count, print and save."""
    parser(__doc__).parse_args()
    lexicon = WordVectors.open(ROOT / "vectors").lexicon
    normaliser = Normaliser(width=True)

    def sentences(name: str, path: str) -> list[Sentence]:
        form = "spaced" if name in SEGMENTED else None
        return [sentence for sentence in read(locate(path), form).sentences if sentence.text]

    def counted(name: str, sentences: Sequence[Sentence]) -> dict[str, Any]:
        found = measure(sentences)
        values: dict[str, Any] = {
            "sentences": found.sentences,
            "characters": found.characters,
            "character types": found.character_types,
            "longest": found.longest,
            "characters a sentence": round(found.mean_length, 2),
        }
        if name in SEGMENTED:
            return values | {
                "words": found.words,
                "word types": found.word_types,
                "most words": found.most_words,
            }
        words = sum(len(lexicon.match(normaliser(s.text).text).start) for s in sentences)
        return values | {
            "words a sentence": round(words / found.sentences, 2),
            "entities a sentence": round(found.mean_entities, 2),
        }

    found = {}
    for name, files in CORPORA.items():
        parts = {part: sentences(name, path) for part, path in files.items()}
        if len(parts) > 1:
            parts["all"] = [sentence for part in parts.values() for sentence in part]
        found[name] = {part: counted(name, some) for part, some in parts.items()}
    print(json.dumps(found, indent=2))
    print(save("statistics", {"command": typed(), **found}).relative_to(ROOT))


if __name__ == "__main__":
    run(main)
