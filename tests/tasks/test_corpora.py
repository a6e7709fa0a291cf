"""The sentences of a run, as they stand in the files that a recipe names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fenjie.corpus import write
from fenjie.corpus.splits import last_share
from fenjie.errors import FenjieError, FileError
from fenjie.files import sha256
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.tasks.corpora import (
    Corpora,
    Part,
    checksums,
    fingerprint,
    forget,
    one_side,
    read_corpora,
    read_parts,
    read_sentences,
)
from fenjie.tasks.ner import not_taggable
from fenjie.text.span import Sentence, Span
from fenjie.text.vocabulary import PADDING, UNKNOWN

WORDS = [Sentence.from_words([word, "好"]) for word in ("今天", "天气", "北京", "上海")]


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataRecipe:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    write(WORDS, "a.txt", "spaced")
    write(WORDS[:1], "b.jsonl", "jsonl")
    return DataRecipe(train=("a.txt", "b.jsonl"), dev=0.25)


def anything(_: Sentence) -> None:
    return None


def test_a_share_of_the_first_file_is_held_out(recipe: DataRecipe) -> None:
    corpora = read_corpora(recipe, anything, last_share)
    assert corpora.dev == WORDS[3:]
    assert corpora.train == [*WORDS[:3], WORDS[0]]
    assert corpora.all == [*WORDS, WORDS[0]]


def test_one_sentence_cannot_be_split(recipe: DataRecipe) -> None:
    alone = DataRecipe(train=("b.jsonl",), dev=0.25)
    with pytest.raises(FileError, match=r"b\.jsonl: has one sentence, .*; expected at least 2"):
        read_corpora(alone, anything, last_share)


def test_both_files_of_brat_have_a_checksum(recipe: DataRecipe) -> None:
    write([Sentence("北京很大", (Span(0, 2, "LOC"),))], "b.ann", "brat")
    for name in ("b.txt", "b.ann"):
        assert set(checksums(DataRecipe(train=(name,), format="brat"))) == {"b.txt", "b.ann"}
    assert set(checksums(recipe)) == {"a.txt", "b.jsonl"}


def test_dev_may_be_files(recipe: DataRecipe) -> None:
    files = DataRecipe(train=("a.txt",), dev=("b.jsonl",))
    corpora = read_corpora(files, anything, last_share)
    assert (corpora.train, corpora.dev) == (WORDS, WORDS[:1])
    assert checksums(files) == {"a.txt": sha256("a.txt"), "b.jsonl": sha256("b.jsonl")}


def test_sentences_that_cannot_be_learnt_from(recipe: DataRecipe) -> None:
    def long(sentence: Sentence) -> str | None:
        return "is about Beijing" if "北京" in sentence.text else None

    with pytest.raises(FileError, match=r"a\.txt: sentence 3 is about Beijing; found '北京好'"):
        read_sentences("a.txt", recipe, long)
    Path("empty.txt").write_text("\n")
    with pytest.raises(FileError, match=r"empty\.txt: holds no sentence"):
        read_sentences("empty.txt", DataRecipe(train=("empty.txt",), format="spaced"), anything)
    with pytest.raises(FenjieError, match="no such file"):
        read_sentences("none.txt", recipe, anything)


def test_ids_become_unknown_at_a_rate_and_padding_stays() -> None:
    ids = np.tile([PADDING, 7], (1000, 1))
    found = forget(ids, 0.3, np.random.default_rng(0))
    assert (found[:, 0] == PADDING).all()
    assert set(found[:, 1].tolist()) == {UNKNOWN, 7}
    assert 0.25 < (found[:, 1] == UNKNOWN).mean() < 0.35
    assert (forget(ids, 0.0, np.random.default_rng(0)) == ids).all()


def test_a_fingerprint_knows_other_data() -> None:
    one, other = np.arange(3), np.arange(4)
    assert fingerprint([one, other]) == fingerprint([one.copy(), other])
    assert fingerprint([one, other]) != fingerprint([other, one])


ENTITIES = [
    Sentence(text, (Span(0, 2, label),))
    for text, label in [
        ("李雷来了", "name"),
        ("北京很大", "city"),
        ("李雷来了", "name"),
        ("上海", "city"),
    ]
]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CorpusRecipe:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    write(ENTITIES, "a.jsonl", "jsonl")
    return CorpusRecipe(("a.jsonl",), labels={"name": "PER"}, drop=("city",), dev=0.25, weight=2.0)


def test_corpora_have_labels_of_their_own(corpus: CorpusRecipe) -> None:
    (part,) = read_parts(DataRecipe(corpora=(corpus,)), anything, last_share)
    assert (part.types, part.weight) == ({"PER"}, 2.0)
    assert [s.spans for s in part.corpora.all] == [(Span(0, 2, "PER"),), ()] * 2
    assert part.corpora.dev == [Sentence("上海")]


def test_one_corpus_has_the_labels_of_its_files(corpus: CorpusRecipe) -> None:
    recipe = DataRecipe(train=("a.jsonl",), dev=0.25)
    assert read_parts(recipe, anything, last_share) == [
        Part(Corpora(ENTITIES[:3], ENTITIES[3:], ENTITIES))
    ]


def test_the_labels_of_test_files_are_known(corpus: CorpusRecipe) -> None:
    recipe = DataRecipe(train=("a.jsonl",), dev=0.25, test=("a.jsonl",))
    (part,) = read_parts(recipe, anything, last_share)
    assert part.tested == {"name", "city"}
    mapped = DataRecipe(corpora=(replace(corpus, test=("a.jsonl",)),))
    assert read_parts(mapped, anything, last_share)[0].tested == {"PER"}


def test_the_same_text_stays_on_one_side() -> None:
    corpora = one_side(Corpora(ENTITIES[:2], ENTITIES[2:], ENTITIES))
    assert corpora.train == [ENTITIES[1]]
    assert corpora.dev == [*ENTITIES[2:], ENTITIES[0]]


def test_labels_of_a_test_file_are_checked_before_training(corpus: CorpusRecipe) -> None:
    write([Sentence("苹果", (Span(0, 2, "fruit"),))], "test.jsonl", "jsonl")
    recipe = DataRecipe(corpora=(replace(corpus, test=("test.jsonl",)),))
    with pytest.raises(FileError, match=r"test\.jsonl: sentence 1 has a label .* found 'fruit'"):
        read_parts(recipe, anything, last_share)


def test_a_test_file_is_looked_at_before_training(recipe: DataRecipe) -> None:
    Path("test.txt").write_bytes(b"\xff\n")
    with pytest.raises(FileError, match=r"test\.txt:1: not utf-8 text"):
        read_parts(replace(recipe, test=("test.txt",)), anything, last_share)
    several = tuple(
        CorpusRecipe((name,), standard="pku", dev=("b.jsonl",), test=test)
        for name, test in (("a.txt", ()), ("b.jsonl", ("test.txt",)))
    )
    with pytest.raises(FileError, match=r"test\.txt:1: not utf-8 text"):
        read_parts(DataRecipe(corpora=several), anything, last_share)


def test_overlaps_that_are_left_after_mapping(corpus: CorpusRecipe) -> None:
    nested = '{"text": "北京大学", "spans": [[0, 2, "city"], [0, 4, "name"]]}\n'
    Path("a.jsonl").write_text(nested * 4, encoding="utf-8")
    (part,) = read_parts(DataRecipe(corpora=(corpus,)), not_taggable, last_share)
    assert part.corpora.dev[0].spans == (Span(0, 4, "PER"),)
    both = replace(corpus, labels={"name": "PER", "city": "LOC"}, drop=())
    with pytest.raises(FileError, match=r"a\.jsonl: sentence 1 has overlapping spans at 0–4"):
        read_parts(DataRecipe(corpora=(both,)), not_taggable, last_share)
