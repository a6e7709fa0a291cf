"""Sentences of raw text cut by a better model than `segment`, as training data.

    python -m benchmarks.silver.agreed_words TEXT… -o words.txt --millions 0.3 --teacher MODEL

Of each text sentences of so many million characters are chosen as `agreed` does, none of
which stands in a test file of `recipes/segment-standards.toml`. The words are those of the teacher,
a model that tags words by one standard (`recipes/best/pku.toml`). A sentence is left out where the
teacher is in doubt of a word and `segment`, by the same standard, does not find the same one, or
where it cuts a short name that `ner` takes for an organisation, such as 华为.
"""

from __future__ import annotations

from collections.abc import Iterator

import fenjie
from benchmarks.machine import ROOT
from benchmarks.scripts import run
from benchmarks.silver.agreed import options_of, sample, split
from fenjie.corpus import write
from fenjie.recipe.recipe import load
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.folder import ModelFolder
from fenjie.tasks.corpora import read_sentences
from fenjie.tasks.segmentation import not_segmented
from fenjie.text.span import Sentence

RECIPE = ROOT / "recipes" / "segment-standards.toml"

SURE = 0.8
"""The teacher has no doubt of a word of so much confidence."""

SHORT = 3
"""The most characters of a name that is one word by any standard."""


def main() -> None:
    """Choose sentences, cut them, write those of which there is no doubt."""
    options = options_of(__doc__)
    options.add_argument("--teacher", help="the name or folder of a model; otherwise `segment`")
    options.add_argument("--standard", default="pku", help="the teacher's, one of `segment`'s")
    chosen = options.parse_args()
    texts = sample(chosen, set(tested()))
    own = fenjie.load("segment", standard=chosen.standard)(texts)
    taught = own
    if chosen.teacher:  # as spans, for their confidence
        taught = EntityTagger(ModelFolder.open(chosen.teacher))(texts)
    clear = [first for first, second in zip(taught, own, strict=True) if is_clear(first, second)]
    named = fenjie.load("ner")(sentence.text for sentence in clear)
    clear = [words for words, names in zip(clear, named, strict=True) if not cuts(words, names)]
    write(clear, chosen.output, "spaced")
    changed = sum(one.words != other.words for one, other in zip(taught, own, strict=True))
    print(f"{len(texts):,} sentences, {changed:,} cut otherwise than by segment")
    print(f"{len(clear):,} without doubt, {sum(len(one.text) for one in clear):,} characters")


def tested() -> Iterator[str]:
    """The sentences of all test files."""
    for part in load(RECIPE).data.parts:
        for name in part.test:
            for sentence in read_sentences(name, part, not_segmented):
                yield from split(sentence.text)


def is_clear(taught: Sentence, own: Sentence) -> bool:
    """Whether words tile a text without whitespace, the teacher sure of what `segment` lacks."""
    same = {(span.start, span.end) for span in own.spans}
    return (
        taught.tiled
        and len(taught.text.split()) == 1
        and all(
            (span.start, span.end) in same or (span.confidence or 0) >= SURE
            for span in taught.spans
        )
    )


def cuts(words: Sentence, names: Sentence) -> bool:
    """Whether a word begins inside of a short organisation."""
    starts = {span.start for span in words.spans}
    return any(
        name.label == "ORG"
        and name.end - name.start <= SHORT
        and not starts.isdisjoint(range(name.start + 1, name.end))
        for name in names.spans
    )


if __name__ == "__main__":
    run(main)
