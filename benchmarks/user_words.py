"""User words on real text: how many are found, what it does to F1, and what it costs in time.

    python -m benchmarks.user_words [--words 2000] [--rounds 3]

From each test set, words that its training text lacks are given as user words: all of them, or as
many as `--words` says, chosen at random. Recall is that of the given words; F1 that of all words.
Texts are worked on with and without the words in turn; the cost is the median of the ratios of CPU
time. The sets are those of the word corpora under FENJIE_DATA; `pku dev` is the last tenth of PKU's
training text, on which a bonus may be chosen.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

import fenjie
from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run
from fenjie import corpus
from fenjie.corpus.splits import last_share
from fenjie.evaluation import word_scores
from fenjie.recipe.recipe import locate
from fenjie.runtime.segmenter import Segmenter
from fenjie.text.span import Sentence

MODELS = ("segment", "segment-fast")
SETS = {
    "pku": ("cws/pku/train.utf8", "cws/pku/pku_test_gold.utf8"),
    "sxu": ("cws/sxu/train.txt", "cws/sxu/test.txt"),
    "ud": ("cws/ud/train.conll", "cws/ud/test.conll"),
    "msr": ("cws/msr/train_part.utf8", "cws/msr/msr_test_gold.utf8"),
}
WAYS = ("none", "preferred", "forced")


def main() -> None:
    """Measure every model on every set, print a table, write the result."""
    options = parser(
        __doc__, words=(2000, "user words of a set, at most"), rounds=(3, "rounds")
    ).parse_args()
    rows = []
    for name, gold, known in sets():
        words = new_words(gold, known, options.words)
        for model in MODELS:
            row = measured(fenjie.load(model), gold, words, options.rounds)
            rows.append({"set": name, "model": model, "words": len(words)} | row)
            print(rows[-1], flush=True)
    show(rows)
    print(save("user-words", {"rounds": options.rounds, "rows": rows}).relative_to(ROOT))


def sets() -> list[tuple[str, list[Sentence], set[str]]]:
    """The name, the gold sentences and the training words of each set; of PKU the dev part too."""
    found = []
    for name, (train, test) in SETS.items():
        learnt = read(train)
        if name == "pku":
            first, held = last_share(learnt)
            found.append(("pku dev", held, words_of(first)))
        found.append((name, read(test), words_of(learnt)))
    return found


def read(path: str) -> list[Sentence]:
    """The sentences of a file that are not empty."""
    form = "spaced" if "ud" not in path else None
    return [sentence for sentence in corpus.read(locate(path), form).sentences if sentence.text]


def words_of(sentences: Sequence[Sentence]) -> set[str]:
    """The words of sentences."""
    return {word for sentence in sentences for word in sentence.words}


def new_words(gold: Sequence[Sentence], known: set[str], number: int) -> list[str]:
    """Words of two and more characters that training lacks, some of them."""
    new = sorted(word for word in words_of(gold) - known if len(word) > 1)
    return random.Random(1).sample(new, min(number, len(new)))


def measured(
    tagger: Segmenter, gold: Sequence[Sentence], words: Sequence[str], rounds: int
) -> dict[str, Any]:
    """Scores and times without the words, with them preferred, and with them forced."""
    taggers = dict(zip(WAYS, (tagger, tagger.copy(), tagger.copy()), strict=True))
    taggers["preferred"].words.add(words)
    taggers["forced"].words.add(words, force=True)
    texts = [sentence.text for sentence in gold]
    others = words_of(gold) - set(words)
    row: dict[str, Any] = {}
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way, each in taggers.items():
            begin = time.process_time()
            found = each(texts)
            times[way].append(time.process_time() - begin)
            if not number:
                scores = word_scores.score(gold, found, others)
                row |= {
                    f"{way}_f1": round(100 * scores.f1, 2),
                    f"{way}_recall": round(100 * scores.oov_recall, 2),
                }
    for way in WAYS[1:]:
        ratios = [one / plain for one, plain in zip(times[way], times["none"], strict=True)]
        row[f"{way}_time"] = round(median(ratios), 3)
    return row


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table."""
    titles = [f"{way} {what}" for way in WAYS for what in ("F1", "recall")]
    table = Table("set", "model", "words", *titles, "× time", box=None, pad_edge=False)
    for row in rows:
        figures = [row[f"{way}_{what}"] for way in WAYS for what in ("f1", "recall")]
        values = [row["words"], *figures, row["preferred_time"]]
        table.add_row(row["set"], row["model"], *map(str, values))
    Console(width=160).print(table)


if __name__ == "__main__":
    run(main)
