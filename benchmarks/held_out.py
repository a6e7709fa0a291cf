"""The sentences of the corpora of `recipes/ner-modern.toml` that no model learns from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.machine import ROOT
from fenjie.corpus.splits import in_blocks
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.recipe.recipe import load
from fenjie.tasks.corpora import read_parts, read_sentences
from fenjie.tasks.mapping import LabelMap
from fenjie.tasks.ner import not_taggable
from fenjie.text.span import Sentence

RECIPE = ROOT / "recipes" / "ner-modern.toml"

Corpora = dict[str, tuple[frozenset[str], list[Sentence]]]
"""The types that each corpus marks, and its sentences."""


def held_out() -> Corpora:
    """The sentences of each corpus that are held out of training."""
    data = as_published()
    parts = read_parts(data, not_taggable, in_blocks)
    return {
        name_of(corpus): (corpus.types, part.corpora.dev)
        for corpus, part in zip(data.corpora, parts, strict=True)
    }


def test_files() -> Corpora:
    """The test sentences of each corpus that has any."""
    return {
        name_of(corpus): (
            corpus.types,
            [s for name in corpus.test for s in read_sentences(name, corpus, not_taggable, labels)],
        )
        for corpus in as_published().corpora
        if corpus.test and (labels := LabelMap(corpus))
    }


def as_published() -> DataRecipe:
    """The corpora with all spans of the types that they mark."""
    data = load(RECIPE).data
    return replace(data, corpora=tuple(replace(one, unmarked=()) for one in data.corpora))


def name_of(corpus: CorpusRecipe) -> str:
    """The name of a corpus: that of its folder."""
    return Path(corpus.train[0]).parent.name
