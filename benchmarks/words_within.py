"""What a user's entity should have less within a longer one of the model: 斯坦福 in 斯坦福大学.

    python -m benchmarks.words_within [MODEL]

Two lists are given to a model of entities as user words: the new names of each held-out part, as in
`benchmarks.user_words`, and the names of `recipes/words/known-names.txt`, which was written for
other text, as a user's dictionary is. F1 on the held-out parts by what the bonus has less there,
and of the new names recall, too; the last value is more than any bonus. Writes
`benchmarks/results/words-within.json`.
"""

from __future__ import annotations

from typing import Any

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.silver.known_names import NONE, listed_names
from benchmarks.user_words import Labels, entity_sets, scored, with_words
from fenjie.runtime.words import preferred

LESS = (0.0, 4.0, 6.0, 8.0, 10.0, 14.0, 100.0)
"""What is tried, in log-odds."""


def main() -> None:
    """Try each value with both lists, print and save."""
    options = parser(__doc__)
    options.add_argument("model", nargs="?", default="ner", help="a shipped model or a folder")
    tagger = fenjie.load(options.parse_args().model)
    listed: Labels = {name: label for name, label in listed_names().items() if label != NONE}
    listed = {name: label for name, label in listed.items() if name[1:] and name.split() == [name]}
    sets = [
        some._replace(types=some.types & set(tagger.labels)) for some in entity_sets(2000, True)
    ]
    with_listed = with_words(tagger, listed, False)
    own = {some.name: with_words(tagger, some.words, False) for some in sets}
    rows: list[dict[str, Any]] = []
    for less in LESS:
        preferred.WITHIN = less
        for some in sets:
            texts = [sentence.text for sentence in some.gold]
            new = scored(some, own[some.name](texts))
            f1 = scored(some, with_listed(texts))["f1"]
            rows.append({"set": some.name, "less": less, "new": new, "listed": f1})
            print(rows[-1], flush=True)
    save("words-within", {"command": typed(), "rows": rows})


if __name__ == "__main__":
    run(main)
