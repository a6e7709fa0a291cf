"""Sentences of raw text in which the names that a model knows are marked throughout, to learn from.

    fenjie tag --format jsonl -o tagged.jsonl TEXT…
    python -m benchmarks.consistent tagged.jsonl -o consistent.jsonl [--sentences 25000]

A model that finds a name in most of its places leaves it out in some, or doubts it there. A name
counts as known if the model finds it five times or more, nearly always of one type, mostly with
confidence, and in half of the places at least that no longer entity covers. In the others it is
marked then. A sentence is kept if the model is sure of each entity that is no known name. Three of
ten are sentences in which a known name was left out or doubted, as far as there are so many; of the
others a quarter has no entity.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.confident import KNOWN, SURE, sentences, spread, with_marks
from benchmarks.scripts import parser, run
from fenjie.corpus import write
from fenjie.lexicon.lexicon import Lexicon
from fenjie.text.span import Sentence
from fenjie.vectors.tagged_names import FOUND, standing_alone

SAME_TYPE = 0.85
"""The share of the places where a known name is found in which it has one type, at least."""

HALF = 0.5
"""The share of its places in which a known name is found, and its confidence there, at least."""

IMPROVED = 0.3
"""The share of the sentences in which a known name was left out or doubted, at most."""


def main() -> None:
    """Gather the known names, mark them, write the sentences."""
    options = parser(__doc__)
    options.add_argument("tagged", type=Path, help="JSONL that `fenjie tag` wrote")
    options.add_argument("-o", "--output", type=Path, required=True, help="a file of JSONL")
    options.add_argument("--sentences", type=int, default=25000, help="how many are written")
    chosen = options.parse_args()
    tagged = list(sentences(chosen.tagged))
    names = known_names(tagged)
    kept = list(marked(tagged, names))
    improved = [new for old, new in kept if doubts(old, new)]
    better = spread(improved, round(IMPROVED * chosen.sentences))
    others = [new for old, new in kept if not doubts(old, new)]
    rest = chosen.sentences - len(better)
    full = spread([one for one in others if one.spans], round(0.75 * rest))
    empty = spread([one for one in others if not one.spans], rest - round(0.75 * rest))
    write([*better, *full, *empty], chosen.output, "jsonl")
    print(f"{len(tagged):,} sentences, {len(kept):,} of them sure, {len(names):,} names")
    print(
        f"{len(better):,} sentences with names added or doubted, {len(full) + len(empty):,} others"
    )


def known_names(tagged: Sequence[Sentence]) -> dict[str, str]:
    """The names that a model finds in most of their places, with their types."""
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    values: defaultdict[str, list[float]] = defaultdict(list)
    for sentence in tagged:
        for span in sentence.spans:
            name = span.of(sentence.text)
            types[name][span.label] += 1
            values[name].append(span.confidence or 0)
    often = {
        name
        for name, found in types.items()
        if len(name) > 1 and found.total() >= FOUND and median(values[name]) >= KNOWN
    }
    alone = standing_alone(often, tagged)
    known = {}
    for name in sorted(often):
        (label, times), *_ = types[name].most_common(1)
        total = types[name].total()
        if times >= SAME_TYPE * total and total >= HALF * alone[name]:
            known[name] = label
    return known


def marked(
    tagged: Iterable[Sentence], names: Mapping[str, str]
) -> Iterator[tuple[Sentence, Sentence]]:
    """The sentences of which a model is sure, as it tagged them and with all known names marked."""
    lexicon = Lexicon.build(names)
    for sentence in tagged:
        doubtful = (span for span in sentence.spans if (span.confidence or 0) < SURE)
        if any(
            names.get(span.of(sentence.text)) != span.label or (span.confidence or 0) < HALF
            for span in doubtful
        ):
            continue
        yield sentence, with_marks(sentence, lexicon, names)


def doubts(old: Sentence, new: Sentence) -> bool:
    """Whether a sentence has a name that was left out, or that the model was not sure of."""
    return new.spans != old.spans or any((span.confidence or 0) < SURE for span in old.spans)


if __name__ == "__main__":
    run(main)
