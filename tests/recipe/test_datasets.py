"""Several corpora in one recipe, each with labels of its own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.recipe.recipe import difference, dumps, loads
from fenjie.text.split import PASSAGE

TWO = """\
task = "ner"

[data]
lists = ["PER"]
passage = 64

[[data.corpora]]
train = ["news.bio"]
labels = { PER = "PER", LOC = "LOC" }
dev = ["news.dev"]
test = ["news.test"]
weight = 0.25

[[data.corpora]]
train = ["posts.conll"]
drop = ["PER.NOM"]
annotates = ["PER"]

[data.corpora.labels]
"PER.NAM" = "PER"
"GPE.NAM" = "LOC"
"""


def test_read_and_written_and_read_again() -> None:
    recipe = loads(TWO)
    news, posts = recipe.data.corpora
    assert news.labels == {"PER": "PER", "LOC": "LOC"} and news.types == {"PER", "LOC"}
    assert posts.labels == {"PER.NAM": "PER", "GPE.NAM": "LOC"} and posts.types == {"PER"}
    assert (news.weight, posts.dev, recipe.data.passage) == (0.25, 0.1, 64)
    assert recipe.data.parts == recipe.data.corpora
    assert recipe.data.tests == ("news.test",)
    assert recipe.data.files == ("news.bio", "news.dev", "news.test", "posts.conll")
    assert loads(dumps(recipe)) == recipe


def test_one_corpus_is_the_only_part() -> None:
    data = DataRecipe(train=("a", "b"), dev=("c",), test=("d",))
    assert data.parts == (data,)
    assert (data.tests, data.files) == (("d",), ("a", "b", "c", "d"))
    assert "corpora" not in dumps(loads("[data]\ntrain = ['a']"))


def test_a_difference_names_the_corpus() -> None:
    recipe = loads(TWO)
    other = loads(TWO.replace('"GPE.NAM" = "LOC"', '"GPE.NAM" = "PER"'))
    expected = "data.corpora.2.labels.GPE.NAM was 'LOC', now 'PER'"
    assert difference(recipe, other) == expected


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("weight = 0.25", "weight = 0", 12, "data.corpora.1.weight has a wrong type or value"),
        ('drop = ["PER.NOM"]', "dropp = []", 16, "unknown key dropp in [data.corpora.2]; did you"),
        ('drop = ["PER.NOM"]', 'drop = ["PER.NAM"]', 16, "drop names a label that labels maps"),
        ('train = ["posts.conll"]', "train = []", 15, "train names no file"),
        ('train = ["posts.conll"]\n', "", 14, "the key data.corpora.2.train is missing"),
        ('annotates = ["PER"]', 'annotates = ["GPE"]', 3, "annotates names a type that no corpus"),
        ("lists = [", 'train = ["a"]\nlists = [', 3, "corpora have files of their own"),
        ('"PER.NAM" = "PER"', '"PER.NAM" = 1', 19, "a table of which each value is a string"),
        ('"GPE.NAM" = "LOC"', '"GPE.NAM" = ""', 19, "labels maps to an empty type"),
        (
            'drop = ["PER.NOM"]',
            'unmarked = ["奥"]',
            16,
            "words of two characters or more; found '奥'",
        ),
        ('drop = ["PER.NOM"]', 'test = ["news.test"]', 3, "two of them name the same test file"),
        ('task = "ner"', 'task = "segment"', 1, "lists is for entities (task ner)"),
        ("passage = 64", "passage = 8", 5, "data.passage has a wrong type or value"),
    ],
)
def test_mistakes(old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        loads(TWO.replace(old, new, 1), "my.toml")
    assert caught.value.line == line and "\n" not in str(caught.value)


STANDARDS = """\
[[data.corpora]]
standard = "pku"
train = ["news.txt"]
test = ["news.test"]

[[data.corpora]]
standard = "msr"
train = ["more.txt"]

[[data.corpora]]
standard = "pku"
train = ["rest.txt"]
"""


def test_corpora_of_several_standards() -> None:
    recipe = loads(STANDARDS)
    assert recipe.data.standards == ("pku", "msr")
    assert "labels" not in dumps(recipe) and loads(dumps(recipe)) == recipe
    assert loads("[data]\ntrain = ['a']").data.standards == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('standard = "msr"\n', "", "standard is missing beside more.txt"),
        ('"msr"', '"m s r"', "standard 'm s r' is no name of a standard"),
        ('"msr"', '"msr"\ndrop = ["X"]', "drop is for entities (task ner); found task segment"),
        ('"msr"', '"msr"\nlongest = true', "longest is for entities"),
        ('"msr"', '"msr"\nunmarked = ["奥运会"]', "unmarked is for entities"),
        ("[[", 'task = "ner"\n[[', "standard is for words (task segment); found task ner"),
        ("[[", "[vocabulary]\nngrams = 256\n[[", "ngrams have weights of one standard"),
    ],
)
def test_mistakes_with_standards(old: str, new: str, message: str) -> None:
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        loads(STANDARDS.replace(old, new, 1))
    assert "\n" not in str(caught.value)


def test_a_task_needs_its_settings() -> None:
    recipe = loads(TWO)
    with pytest.raises(FenjieError, match=r"standard is missing beside news\.bio"):
        replace(recipe, task="segment", data=replace(recipe.data, lists=(), passage=PASSAGE))
    with pytest.raises(FenjieError, match="labels is missing beside a"):
        replace(recipe, data=DataRecipe(corpora=(CorpusRecipe(("a",)),)))


def test_mistakes_from_python() -> None:
    with pytest.raises(FenjieError, match="dev names no file"):
        CorpusRecipe(train=("a",), labels={"A": "A"}, dev=())
