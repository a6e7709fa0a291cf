"""Recipes: read, written back, and every mistake named with its file, line and nearest key."""

from __future__ import annotations

import re
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import fenjie
from fenjie.errors import FenjieError, FileError
from fenjie.models import SEGMENTERS, TAGGERS
from fenjie.models.flat import FlatConfig
from fenjie.recipe.datasets import DataRecipe
from fenjie.recipe.recipe import (
    MissingError,
    TrainingRecipe,
    VocabularyRecipe,
    difference,
    dumps,
    load,
    loads,
    locate,
    reading,
)
from fenjie.recipe.toml import Document

SHIPPED = Path(fenjie.__file__).parent / "shipped"


SMALL = """\
[data]
train = ["train.txt", "more.jsonl"]
dev = 0.2

[model]
dim = 64
directions = ["center"]

[training]
betas = [0.9, 0.999]
learning_rate = 2
"""


def test_values_and_defaults() -> None:
    recipe = loads(SMALL)
    assert recipe.data.train == ("train.txt", "more.jsonl")
    assert recipe.data.dev == 0.2
    assert recipe.model.dim == 64
    assert recipe.model.directions == ("center",)
    assert recipe.model.layers == 6
    assert recipe.training.betas == (0.9, 0.999)
    assert isinstance(recipe.training.learning_rate, float)
    assert (recipe.task, recipe.architecture) == ("segment", "sams")
    assert recipe.text.width and not recipe.text.digits


def test_dev_may_be_files() -> None:
    assert loads('[data]\ntrain = ["a"]\ndev = ["b", "c"]').data.dev == ("b", "c")


def test_written_and_read_again() -> None:
    recipe = loads(SMALL)
    assert loads(dumps(recipe)) == recipe
    odd = replace(recipe, data=replace(recipe.data, test=('a"b\\c', "数据\x7f\t.txt")))
    assert loads(dumps(odd)) == odd


def test_difference_is_named() -> None:
    recipe = loads(SMALL)
    assert difference(recipe, recipe) is None
    other = replace(recipe, training=replace(recipe.training, seed=5))
    assert difference(recipe, other) == "training.seed was 1, now 5"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[data]\ntrain = ['a']\n[training]\nepoch = 3", 4, "epoch in [training]; did you mean ep"),
        ("[data]\ntrain = ['a']\n[trainning]\n", 3, "unknown key trainning; did you mean training"),
        ("[data]\ntrian = ['a']", 2, "unknown key trian in [data]; did you mean train?"),
        ("[data]\ntrain = ['a']\n[model]\n\nsigmas = 1", 5, "did you mean sigma?"),
        (
            "[data]\ntrain = ['a']\nepochs = 3",
            3,
            "unknown key epochs in [data]; known are train, dev",
        ),
        ("[data]\ntrain = ['a']\n[text]\nfull = true", 4, "unknown key full in [text]"),
        ("data.train = ['a']\ndata.tset = ['b']", 2, "unknown key tset in [data]"),
        ("[data]\ntrain = 'a'", 2, "data.train has a wrong type or value; found 'a'; expected a l"),
        ("[data]\ntrain = ['a', 3]", 2, "expected a list of which each item is a string"),
        ("[data]\ntrain = ['a']\ndev = 'x'", 3, "expected a number above 0 and below 1 or a list"),
        ("[data]\ntrain = ['a']\n[training]\nseed = 1.5", 4, "found 1.5; expected an integer"),
        ("[data]\ntrain = ['a']\n[training]\nseed = true", 4, "expected an integer"),
        ("[data]\ntrain = ['a']\n[training]\nschedule = 'cosine'", 4, 'expected "noam" or "linear'),
        (
            "[data]\ntrain = ['a']\n[training]\nbetas = [0.9]",
            4,
            "a list of 2: a number from 0 and below 1, ",
        ),
        (
            "task = 'ner'\narchitecture = 'bilstm_crf'\ndata.train = ['a']\n"
            "training.schedule = 'noam'",
            4,
            "schedule is noam, which needs an architecture with a setting dim; expected linear, ",
        ),
        ("task = 'ner'\narchitecture = 'lgn'\ndata.train = ['a']", 2, "schedule is noam, which"),
        ("[data]\ntrain = ['a']\n[text]\nwidth = 1", 4, "expected true or false"),
        ("[data]\ntrain = ['a']\n[model]\nlayers = 3", 4, "layers must be even"),
        (
            "[data]\ntrain = ['a']\n[training]\naverage = 1",
            4,
            "found 1; expected a number from 0 and below 1",
        ),
        (
            "[data]\ntrain = ['a']\n[training]\nepochs = 0",
            4,
            "found 0; expected an integer from 1 to 10,000",
        ),
        ("[data]\ntrain = ['a']\ndev = 2.0", 3, "found 2.0; expected a number above 0 and below 1"),
        ("[data]\ntrain = []", 2, "train names no file"),
        ("[data]\ndev = 0.1", 1, "train names no file"),
        ("data = 3", 1, "expected a table"),
        ("model = 3\n[data]\ntrain = ['a']", 1, "expected a table"),
        ("architecture = 'sam'\n[data]\ntrain = ['a']", 1, "unknown architecture; found 'sam'"),
        ("architecture = ['sams']\n[data]\ntrain = ['a']", 1, "architecture has a wrong type"),
        ("task = 'parse'\n[data]\ntrain = ['a']", 1, 'expected "segment"'),
        ("\ntask = 'ner'\ntraining.unknown = 0.1\ndata.train = ['a']", 2, "unknown is for words"),
        ("task = 'segment'\n[data]\ntrain = ['a']\nlists = ['PER']", 1, "lists is for entities"),
        (
            "[data]\ntrain = ['a']\n[vocabulary]\nbigrams = 2\n[training]\nstart = 'runs/a'",
            4,
            "bigrams is that of the model to start from",
        ),
        ("[data]\ntrain = ['a']\nlists = ['PER']", 3, "lists is for entities"),
        ("[data]\ntrain = ['a']\npassage = 64", 3, "passage is for entities"),
        ("[vocabulary]\ncomponents = 'c'\n[data]\ntrain = ['a']", 2, "components is for entities"),
        ("[vocabulary]\nlexicon_limit = 9\n[data]\ntrain = ['a']", 2, "lexicon_limit is for ent"),
        ("training.tables = 0.1\ndata.train = ['a']", 1, "tables is for entities"),
        (
            "data.train = ['a']\n[training]\nstart_labels = { A = 'B' }",
            3,
            "start_labels is for a model that",
        ),
        (
            "data.train = ['a']\n[training]\nstart = 'segment'\nstart_labels = { A = 'B' }",
            4,
            "start_labels is for entities",
        ),
        (
            "data.train = ['a']\ntraining.pretrained_rate = 0.1",
            2,
            "pretrained_rate is for entities",
        ),
        ("task = 'ner'\nvocabulary.lexicon = ['d']\ndata.train = ['a']", 1, "lexicon is for words"),
        ("vocabulary.words = 2\ntask = 'ner'\ndata.train = ['a']", 2, "words is for words (task"),
        ("task = 'ner'\nvocabulary.ngrams = 64\ndata.train = ['a']", 1, "ngrams is for words"),
        ("\n[[data.corpora]]\ntrain = ['a']", 2, "standard is missing beside a"),
        ("[data]\ntrain = ['a'", 2, "not TOML"),
        ("# \u2028 \x85\n[data]\ntrain = 3", 3, "data.train has a wrong type"),
        ("# \u2028 \x85\n[data]\ntrain = [\n", 3, "not TOML"),
        ("[data]\ntrain = ['a']\n[data]\n", 3, "not TOML"),
    ],
)
def test_mistakes(text: str, line: int, message: str) -> None:
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        loads(text, "my.toml")
    assert str(caught.value).startswith(f"my.toml:{line}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("training.learning_rate", "nan"),
        ("training.learning_rate", "inf"),
        ("training.learning_rate", "1" + 400 * "0"),
        ("training.warmup_epochs", "1e308"),
        ("training.epochs", "1000000000"),
        ("training.steps", "1000000000"),
        ("training.seed", "-1"),
        ("training.betas", "[0.9, nan]"),
        ("vocabulary.minimum", "0"),
        ("model.dim", "0"),
        ("model.heads", "0"),
        ("model.hidden", "-1"),
        ("model.layers", "1000000"),
        ("model.dropout", "1.0"),
        ("model.sigma", "0"),
        ("model.selection.amplification", "nan"),
        ("data.dev", "nan"),
    ],
)
def test_numbers_out_of_range(setting: str, value: str) -> None:
    with pytest.raises(
        FileError, match=rf"my.toml:1: {setting} has a wrong .*; expected a"
    ) as caught:
        loads(f"{setting} = {value}\ndata.train = ['a']", "my.toml")
    assert "\n" not in str(caught.value)


def test_all_numbers_have_a_range() -> None:
    """A number without one would let NaN, infinity or a size beyond any memory through."""
    tables: list[Any] = [DataRecipe, TrainingRecipe, VocabularyRecipe]
    tables += [system.Config for system in (*SEGMENTERS.values(), *TAGGERS.values())]
    for table in tables:
        for name, hint in get_type_hints(table, include_extras=True).items():
            assert hint not in (int, float), f"{table.__name__}.{name}"
            if is_dataclass(hint):
                tables.append(hint)


def test_without_data() -> None:
    with pytest.raises(FileError, match=r"my.toml: the table \[data\] is missing"):
        loads("task = 'segment'", "my.toml")


def test_unreadable(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path / "none.toml")
    path = tmp_path / "odd.toml"
    path.write_bytes(b"task = '\xff\xfe'")
    with pytest.raises(FileError, match="not UTF-8"):
        load(path)
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert load(path) == loads(SMALL)


def test_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, here = tmp_path / "data", tmp_path / "here"
    for folder, names in ((data, ("a", "b")), (here, ("b", "c"))):
        folder.mkdir()
        for name in names:
            (folder / name).write_text("x")
    monkeypatch.chdir(here)
    monkeypatch.setenv("FENJIE_DATA", str(data))
    assert [locate(name).resolve() for name in "abc"] == [data / "a", data / "b", here / "c"]
    assert locate(str(here / "b")) == here / "b"
    with pytest.raises(FenjieError, match=f"d: no such file; looked for {re.escape(str(data))}"):
        locate("d")
    monkeypatch.delenv("FENJIE_DATA")
    with pytest.raises(FenjieError, match="FENJIE_DATA is not set"):
        locate("a")


def test_what_is_missing_is_named_with_the_line_of_the_recipe(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(SMALL)
    expected = r"a\.toml:2: more\.jsonl: no such file; looked for"
    with pytest.raises(FileError, match=expected), reading(path):
        locate("more.jsonl")
    with pytest.raises(MissingError, match=r"^other: no such file"), reading(path):
        locate("other")
    with pytest.raises(FileError, match=r"a\.toml:2: not so$"), reading(path):
        raise MissingError("not so", "nowhere", "more.jsonl")


def test_a_setting_that_was_removed_may_stand_at_its_old_default() -> None:
    head = 'task = "ner"\narchitecture = "flat"\ndata.train = ["a"]\n[model.selection]\n'
    assert loads(f"{head}temperature = 1.0") == loads(head)
    message = r"my.toml:5: the setting model.selection.temperature was removed; found 0.5"
    with pytest.raises(FileError, match=message):
        loads(f"{head}temperature = 0.5", "my.toml")


def test_the_config_of_an_old_folder_is_read() -> None:
    """The shipped tagger was made when FLAT's settings held a temperature."""
    document = Document.read(SHIPPED / "ner-small" / "config.toml")
    model = document.values["model"]
    assert model["selection"]["temperature"] == 1.0
    config = document.build(FlatConfig, model, ("model",))
    assert config == FlatConfig(
        dim=128,
        hidden=384,
        output_dropout=0.5,
        word_dropout=0.05,
        attention_dropout=0.1,
        feed_forward_dropout=0.3,
    )
