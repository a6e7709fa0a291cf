"""Sentences of medical text that hold drugs, in which nothing is a name, as training data.

    python -m benchmarks.silver.drugs TEXT… -o drugs.jsonl

The name of a drug is spelt as one of a person abroad is, and `ner` takes it for one. Here sentences
are sought that hold what `recipes/words/drugs.txt` lists. `ner` tags them; what it finds in such a
word is taken away, and a sentence is left out in which it finds another person, place or
organisation, which may be a drug, too. Those in which it erred are written three times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from benchmarks.modern import NAMES
from benchmarks.scripts import run
from benchmarks.silver.agreed import every_sentence, from_texts
from benchmarks.silver.corrected import Tagged, answers, matches, with_known, with_model
from benchmarks.silver.crossed import EACH, TIMES
from benchmarks.silver.known_names import DRUGS, NONE, listed, without_none
from fenjie.corpus import write
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence


def main() -> None:
    """Search, tag, take away, write, say how many there are."""
    options = from_texts(__doc__)
    with_model(options)
    chosen = options.parse_args()
    drugs = Lexicon.build(listed(DRUGS))
    found = list(holding(every_sentence(chosen.texts), drugs))
    right, mended = parted(answers(chosen.model, found, False), drugs)
    write([*right, *mended * TIMES], chosen.output, "jsonl")
    print(f"{len(right):,} sentences as `ner` tags them, {len(mended):,} mended")


def holding(texts: Iterable[str], drugs: Lexicon) -> Iterator[str]:
    """The texts that hold drugs, at most so many for each."""
    counts: Counter[str] = Counter()
    for text in texts:
        found = {text[start:end] for start, end, _ in matches(drugs, text)}
        if any(counts[name] < EACH for name in found):
            counts.update(found)
            yield text


def parted(tagged: Iterable[Tagged], drugs: Lexicon) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences with drugs alone that `ner` has right, and the others, mended."""
    labels = dict.fromkeys(drugs, NONE)
    right: list[Sentence] = []
    mended: list[Sentence] = []
    for one in tagged:
        sentence = without_none(with_known(one, drugs, labels))
        if not any(span.label in NAMES for span in sentence.spans):
            (right if sentence.spans == one.names.spans else mended).append(sentence)
    return right, mended


if __name__ == "__main__":
    run(main)
