"""The words of a vectors folder that no raw text has, and what they change for mentions.

    python -m benchmarks.raw_words FOLDER TEXTS… -o WORDS --annotated FILES…

A lexicon that is gathered from annotated text, too, has names that it knows from there alone: in
that text more mentions are words than in any other. Writes the words that do not occur in the raw
texts, one a line, as `fenjie vectors enrich --without` takes them. Where annotated files are given,
prints the share of the mentions of each type in them that are words, of all and of those that raw
text has, and writes it to `benchmarks/results/raw-words.json`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.coverage import normalised
from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.files import atomic, read_lines
from fenjie.lexicon import Lexicon
from fenjie.lexicon.units import UnitVectors
from fenjie.recipe.recipe import locate
from fenjie.text.normalise import Normaliser


def main() -> None:
    """Count, write the words, print and save the shares of annotated files."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="a vectors folder")
    options.add_argument("texts", nargs="+", help="files of raw text")
    options.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    options.add_argument("--annotated", nargs="+", default=[], help="annotated files")
    chosen = options.parse_args()
    names = UnitVectors.open(chosen.folder, "words").units.names
    lexicon = Lexicon.build(names)
    there = seen(lexicon, chosen.texts)[lexicon.ids(names)].tolist()
    kept = [name for name, found in zip(names, there, strict=True) if found]
    others = [name for name, found in zip(names, there, strict=True) if not found]
    with atomic(chosen.output) as made:
        made.write_text("".join(f"{name}\n" for name in others), encoding="utf-8")
    print(f"{len(names):,} words, {len(kept):,} of them in raw text")
    if not chosen.annotated:
        return
    known = {"all": lexicon, "in raw text": Lexicon.build(kept)}
    shares = {path: shares_of(path, known) for path in chosen.annotated}
    print(shares)
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
