"""User words on real text: how many are found, what it does to F1, and what it costs in time.

    python -m benchmarks.user_words [dev|test] [MODEL…] [--words 2000] [--rounds 5]

From each annotated set, words, and for models of entities names with their types, that its training
text lacks are given as user words: all of them, or as many as `--words` says, chosen at random.
Recall is that of the given ones; F1 that of all. `dev` tries bonuses on the held-out part of each
training text, of segmenters its last tenth; `test` compares no user words, preferred and forced
ones on the test files. Texts are worked on in the ways in turn; the cost is the median of the
ratios of CPU time. The sets are those under FENJIE_DATA; words are cut by the standard of each
set, where a model knows it. Writes `benchmarks/results/user-words.json` or `user-words-dev.json`;
`python -m benchmarks.tables` shows them in the pages.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import fenjie
from benchmarks.held_out import RECIPE, held_out, name_of, test_files
from benchmarks.machine import RESULTS, ROOT, save, where
from benchmarks.scale import titled
from benchmarks.scripts import parser, run, typed
from benchmarks.timing import fastest
from fenjie import EntityTagger, Segmenter, corpus
from fenjie.corpus.splits import in_blocks, last_share
from fenjie.evaluation import word_scores
from fenjie.evaluation.entity_scores import score
from fenjie.recipe.recipe import load, locate
from fenjie.runtime.words import preferred
from fenjie.tasks.corpora import read_parts
from fenjie.tasks.ner import not_taggable
from fenjie.text.span import Sentence

SEGMENTERS, TAGGERS = ("segment", "segment-fast"), ("ner", "ner-small")
SETS = {
    "pku": ("cws/pku/train.utf8", "cws/pku/pku_test_gold.utf8"),
    "sxu": ("cws/sxu/train.txt", "cws/sxu/test.txt"),
    "ud": ("cws/ud/train.conll", "cws/ud/test.conll"),
    "msr": ("cws/msr/train_part.utf8", "cws/msr/msr_test_gold.utf8"),
}
BONUSES = (4, 6, 8, 10, 12, 14)
"""The bonuses that are tried, in log-odds."""

ROUNDS = 5
"""With fewer, times are not shown."""

NONE, FORCED = "none", "forced"
PREFERRED = "preferred"

Labels = dict[str, str | None]
"""User words; for entities with their types."""


class Set(NamedTuple):
    """Annotated text and the user words for it.

    Attributes:
        name: of the set.
        gold: its sentences.
        words: what is new in them.
        types: of entities that it marks; none for words.
    """

    name: str
    gold: list[Sentence]
    words: Labels
    types: frozenset[str] = frozenset()


def main() -> None:
    """Measure every model on every set, write the result."""
    options = parser(
        __doc__, words=(2000, "user words of a set, at most"), rounds=(ROUNDS, "rounds")
    )
    options.add_argument("part", nargs="?", choices=("dev", "test"), default="test")
    options.add_argument("models", nargs="*", default=[*SEGMENTERS, *TAGGERS])
    chosen = options.parse_args()
    is_dev = chosen.part == "dev"
    name = "user-words-dev" if is_dev else "user-words"
    rows = [row for row in _rows(name) if row["model"] not in chosen.models]
    for models, sets in (
        (SEGMENTERS, word_sets(chosen.words, is_dev)),
        (TAGGERS, entity_sets(chosen.words, is_dev)),
    ):
        own = [model for model in models if model in chosen.models]
        for some in sets if own else ():
            for model in own:
                tagger = loaded(model, some.name)
                types = some.types & set(tagger.labels)
                if some.types and not types:
                    continue
                ways = tried(tagger, some.words, is_dev)
                row = measured(ways, some._replace(types=types), 0 if is_dev else chosen.rounds)
                about = {"set": some.name, "model": model, "words": len(some.words)}
                timed = {} if is_dev else {"rounds": chosen.rounds}
                rows.append({**about, **timed, **row})
                print(rows[-1], flush=True)
    print(save(name, {"command": typed(), "rows": rows}).relative_to(ROOT))


def loaded(model: str, name: str) -> Segmenter | EntityTagger:
    """A model, which cuts words by the standard of a set if it knows that."""
    tagger = fenjie.load(model)
    return fenjie.load(model, standard=name) if name in tagger.folder.standards else tagger


def word_sets(number: int, is_dev: bool) -> Iterable[Set]:
    """The held-out or the test sentences of the sets of words, with their new words."""
    for name, (train, test) in SETS.items():
        learnt, gold = read(train), [] if is_dev else read(test)
        if is_dev:
            learnt, gold = last_share(learnt, 0.1)
        new = words_of(gold) - words_of(learnt)
        words: Labels = dict.fromkeys(sampled((word for word in new if len(word) > 1), number))
        yield Set(name, gold, words)


def entity_sets(number: int, is_dev: bool) -> Iterable[Set]:
    """The held-out or the test sentences of the sets of entities, with their new names."""
    recipe = load(RECIPE)
    parts = read_parts(recipe.data, not_taggable, in_blocks)
    corpora = held_out() if is_dev else test_files()
    for own, part in zip(recipe.data.corpora, parts, strict=True):
        name = name_of(own)
        if name not in corpora:
            continue
        types, gold = corpora[name]
        learnt = names_of(part.corpora.train if is_dev else part.corpora.all)
        found = Counter(
            (entity.text, entity.label)
            for sentence in gold
            for entity in sentence.entities
            if entity.label in types and not any(map(str.isspace, entity.text))
        )
        labels: Labels = {}
        for (text, label), _ in found.most_common():
            if text not in learnt:
                labels.setdefault(text, label)
        yield Set(name, gold, {word: labels[word] for word in sampled(labels, number)}, types)


def read(path: str) -> list[Sentence]:
    """The sentences of a file that are not empty."""
    form = "spaced" if "ud" not in path else None
    return [sentence for sentence in corpus.read(locate(path), form).sentences if sentence.text]


def words_of(sentences: Iterable[Sentence]) -> set[str]:
    """The words of sentences."""
    return {word for sentence in sentences for word in sentence.words}


def names_of(sentences: Iterable[Sentence]) -> set[str]:
    """The texts of the entities of sentences."""
    return {entity.text for sentence in sentences for entity in sentence.entities}


def sampled(words: Iterable[str], number: int) -> list[str]:
    """Some words, at most so many, the same each time."""
    listed = sorted(words)
    return random.Random(1).sample(listed, min(number, len(listed)))


def tried(
    tagger: Segmenter | EntityTagger, words: Labels, is_dev: bool
) -> dict[str, Segmenter | EntityTagger]:
    """The tagger without the words and with them, by the names of the ways."""
    ways: dict[str, Segmenter | EntityTagger] = {NONE: tagger}
    for name in map(bonus_name, BONUSES) if is_dev else (PREFERRED,):
        ways[name] = with_words(tagger, words, False)
    ways[FORCED] = with_words(tagger, words, True)
    return ways


def bonus_name(bonus: int) -> str:
    """The name of the way with this bonus."""
    return f"bonus {bonus}"


@contextmanager
def bonus_of(way: str) -> Iterator[None]:
    """Where user words have the bonus of a way."""
    usual = preferred.BONUS, preferred.ENTITY_BONUS
    own = {bonus_name(bonus): (float(bonus), float(bonus)) for bonus in BONUSES}
    preferred.BONUS, preferred.ENTITY_BONUS = own.get(way, usual)
    yield
    preferred.BONUS, preferred.ENTITY_BONUS = usual


def with_words(
    tagger: Segmenter | EntityTagger, words: Labels, force: bool
) -> Segmenter | EntityTagger:
    """A copy of a tagger with user words; entities of types that it does not know are left out."""
    other = tagger.copy()
    if isinstance(other, Segmenter):
        other.words.add(list(words), force=force)
    else:
        known = {word: label for word, label in words.items() if label in other.labels}
        other.lexicon.update(known, force=force)
    return other


def measured(ways: dict[str, Segmenter | EntityTagger], some: Set, rounds: int) -> dict[str, Any]:
    """F1 of all and recall of the user words in each way; with rounds, the times beside NONE."""
    texts = [sentence.text for sentence in some.gold]

    def found(way: str) -> list[Sentence]:
        with bonus_of(way):
            return ways[way](texts)

    row: dict[str, Any] = {way: scored(some, found(way)) for way in ways}
    if rounds:
        times = fastest({way: partial(found, way) for way in ways}, rounds)
        for way in ways:
            row[way]["time"] = round(times[way] / times[NONE], 3)
    return row


def scored(some: Set, found: Sequence[Sentence]) -> dict[str, float]:
    """F1 and the recall of the user words, in per cent."""
    if not some.types:
        words = word_scores.score(some.gold, found, words_of(some.gold) - some.words.keys())
        return {"f1": round(100 * words.f1, 2), "recall": round(100 * words.oov_recall, 2)}
    gold = [sentence.only(some.types) for sentence in some.gold]
    answers = [sentence.only(some.types) for sentence in found]
    counts = score(gold, answers).counts
    right = given = 0
    for sentence, answer in zip(gold, answers, strict=True):
        those = {(e.start, e.end, e.label) for e in answer.entities}
        for entity in sentence.entities:
            if some.words.get(entity.text) == entity.label:
                given += 1
                right += (entity.start, entity.end, entity.label) in those
    recall = 100 * right / given if given else math.nan
    return {"f1": round(100 * counts.f1, 2), "recall": round(recall, 2)}


def markdown() -> str:
    """The tables of the test files and of the bonuses, as far as they were measured."""
    return "\n".join(filter(None, (_of_test(), _of_bonuses())))


def _rows(name: str) -> list[dict[str, Any]]:
    path = RESULTS / f"{name}.json"
    found: list[dict[str, Any]] = []
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return found


def _of_test() -> str:
    ways = {NONE: "none", PREFERRED: "preferred", FORCED: "forced"}
    heads = ["set", "model", "words"]
    heads += [f"{what}, {way}" for what in ("recall", "F1") for way in ways.values()]
    lines = []
    for row in _rows("user-words"):
        figures = [f"{row[way][what]:.2f}" for what in ("recall", "f1") for way in ways]
        cost = f"{row[PREFERRED]['time']:.2f}" if row.get("rounds", 1) >= ROUNDS else ""
        lines.append([row["set"], f"`{row['model']}`", f"{row['words']:,}", *figures, cost])
    title = (
        "Recall is that of the given words, F1 that of all; × time is the CPU time with preferred "
        "words beside\nthat without any, the fastest of five passes each"
    )
    return titled(f"{title} ({where(RESULTS / 'user-words.json')}):", [*heads, "× time"], lines)


def _of_bonuses() -> str:
    ways = [NONE, *map(bonus_name, BONUSES), FORCED]
    lines = []
    for model in (*SEGMENTERS, *TAGGERS):
        own = [row for row in _rows("user-words-dev") if row["model"] == model]
        if not own:
            continue
        means = (
            [sum(row[way][what] for row in own) / len(own) for what in ("recall", "f1")]
            for way in ways
        )
        lines.append([f"`{model}`", *(f"{recall:.1f} / {f1:.2f}" for recall, f1 in means)])
    title = (
        "The bonus was chosen on held-out training text, by `python -m benchmarks.user_words dev`; "
        "recall of\nthe given words / F1 of all, means over the sets"
    )
    return titled(f"{title} ({where(RESULTS / 'user-words-dev.json')}):", ["model", *ways], lines)


if __name__ == "__main__":
    run(main)
