"""A vectors folder without the words that no raw text has, and what that changes for mentions.

    python -m benchmarks.raw_words FOLDER OUTPUT TEXTS… --annotated FILES…

A lexicon that is gathered from annotated text, too, has names that it knows from there alone: in
that text more mentions are words than in any other. OUTPUT is the folder without the words that
do not occur in the raw texts. Prints and saves, for each annotated file, the share of the mentions
of each type that are words of either; writes `benchmarks/results/raw-words.json`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.coverage import normalised
from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.files import read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.units import TABLES, UnitVectors
from fenjie.recipe.recipe import locate
from fenjie.text.normalise import Normaliser
from fenjie.vectors.writing import CARD, write_folder


def main() -> None:
    """Count, write the folder, print and save the shares."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="a vectors folder")
    options.add_argument("output", type=Path, help="the folder to write")
    options.add_argument("texts", nargs="+", help="files of raw text")
    options.add_argument("--annotated", nargs="+", default=[], help="annotated files")
    chosen = options.parse_args()
    tables = {name: UnitVectors.open(chosen.folder, name) for name in TABLES}
    all_words = tables["words"]
    names, counts = all_words.units
    lexicon = Lexicon.build(names)
    rows = np.flatnonzero(seen(lexicon, chosen.texts)[lexicon.ids(names)])
    kept = [names[row] for row in rows]
    tables["words"] = UnitVectors.build(kept, counts[rows], all_words(rows)).halved()
    card = (chosen.folder / CARD).read_text(encoding="utf-8")
    note = f"\n`{typed()}` left {len(names) - len(kept):,} words out.\n"
    write_folder(chosen.output, tables, card + note)
    known = {"all": lexicon, "in raw text": Lexicon.build(kept)}
    shares = {path: shares_of(path, known) for path in chosen.annotated}
    print(f"{len(names):,} words, {len(kept):,} of them in raw text", shares, sep="\n")
    sizes = {"words": len(names), "in raw text": len(kept)}
    result = {"command": typed(), **sizes, "mentions that are words": shares}
    print(save("raw-words", result).relative_to(ROOT))


def seen(lexicon: Lexicon, texts: Iterable[str]) -> np.ndarray:
    """Whether each word of a lexicon occurs in some files, by its number, `[words]`."""
    found = np.zeros(len(lexicon), dtype=bool)
    normaliser = Normaliser(width=True)
    for path in texts:
        for _, line in read_lines(locate(path)):
            found[lexicon.match(normaliser(line).text).word] = True
    return found


def shares_of(path: str, lexicons: dict[str, Lexicon]) -> dict[str, dict[str, float]]:
    """The share of the mentions of each type that are words of each lexicon, in per cent."""
    mentions: dict[str, list[str]] = defaultdict(list)
    for sentence in normalised(path):
        for span in sentence.spans:
            mentions[span.label].append(sentence.text[span.start : span.end])
    return {
        label: {
            name: round(100 * float((lexicon.ids(found) >= 0).mean()), 1)
            for name, lexicon in lexicons.items()
        }
        for label, found in sorted(mentions.items())
    }


if __name__ == "__main__":
    run(main)
