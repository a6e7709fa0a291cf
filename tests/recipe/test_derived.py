"""Recipes with a base: what they take over, what they change, and errors that name both files."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.errors import FileError
from fenjie.recipe.derived import BASE, read, self_contained
from fenjie.recipe.recipe import MissingError, dumps, flat, load, loads, reading
from fenjie.recipe.toml import Document, are_tables, numbered

RECIPES = Path(__file__).parents[2] / "recipes"

WHOLE = """\
task = "ner"
[data]
train = ["train.txt"]
[model]
dim = 64
heads = 4
[training]
epochs = 3
betas = [0.9, 0.99]
"""

CORPORA = """\
task = "ner"
[[data.corpora]]
train = ["a.jsonl"]
labels = { PER = "PER" }
[[data.corpora]]
train = ["b.jsonl"]
labels = { NAME = "PER" }
weight = 0.5
"""


def write(folder: Path, **texts: str) -> Path:
    """Write recipes by their names; the path of the last one."""
    path = folder
    for name, text in texts.items():
        path = folder / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_says_only_what_differs(tmp_path: Path) -> None:
    path = write(tmp_path, whole=WHOLE, small='base = "whole.toml"\n[model]\ndim = 32\n')
    assert load(path) == loads(WHOLE.replace("dim = 64", "dim = 32"))


def test_a_list_is_another_one_as_a_whole(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        whole=CORPORA,
        one='base = "whole.toml"\n[[data.corpora]]\ntrain = ["c.jsonl"]\nlabels = { P = "PER" }\n',
    )
    (corpus,) = load(path).data.corpora
    assert corpus.train == ("c.jsonl",)


def test_one_corpus_of_several_is_changed_by_its_number(tmp_path: Path) -> None:
    text = 'base = "whole.toml"\n[data.corpora.2]\ntrain = ["c.jsonl"]\nlabels.ORG = "ORG"\n'
    path = write(tmp_path, whole=CORPORA, other=text)
    first, second = load(path).data.corpora
    assert first == loads(CORPORA).data.corpora[0]
    assert (second.train, second.weight) == (("c.jsonl",), 0.5)
    assert second.labels == {"NAME": "PER", "ORG": "ORG"}


def test_a_base_may_have_a_base_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path, whole=WHOLE)
    write(tmp_path / "inner", middle='base = "../whole.toml"\n[training]\nepochs = 5\n')
    path = write(tmp_path, last='base = "inner/middle.toml"\n[training]\nseed = 7\n')
    training = load(path).training
    assert (training.epochs, training.seed, training.betas) == (5, 7, (0.9, 0.99))


def test_of_several_bases_each_is_laid_over_those_before_it(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        whole=WHOLE,
        long="[training]\nepochs = 9\nseed = 2\n",
        last='base = ["whole.toml", "long.toml"]\n[training]\nseed = 7\n',
    )
    recipe = load(path)
    assert (recipe.training.epochs, recipe.training.seed, recipe.model.dim) == (9, 7, 64)
    assert loads(self_contained(path).decode()) == recipe


def test_a_run_keeps_a_recipe_that_needs_no_other_file(tmp_path: Path) -> None:
    path = write(
        tmp_path, whole=CORPORA, last='base = "whole.toml"\n[data.corpora.1]\nweight = 2\n'
    )
    kept = self_contained(path).decode()
    assert "base" not in kept
    assert dumps(loads(kept)) == dumps(load(path))


def test_the_number_after_the_last_one_adds_a_table(tmp_path: Path) -> None:
    third = '[data.corpora.{}]\ntrain = ["c"]\nlabels = {{ x = "PER" }}\n'
    text = 'base = "corpora.toml"\n' + third.format(3) + third.format(4)
    path = write(tmp_path, corpora=CORPORA, more=text)
    corpora = load(path).data.corpora
    assert len(corpora) == 4 and corpora[:2] == load(tmp_path / "corpora.toml").data.corpora
    assert corpora[2] == corpora[3] and corpora[2].train == ("c",)
    assert dumps(loads(self_contained(path).decode())) == dumps(load(path))
    with pytest.raises(FileError, match=r"a\.toml:2: its base has no \[data\.corpora\.4\]"):
        load(write(tmp_path, a='base = "corpora.toml"\n' + third.format(4) + third.format(3)))


def test_a_run_keeps_a_recipe_without_base_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, whole=f"# why\n{WHOLE}")
    assert self_contained(path) == path.read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "none.toml"', r"a\.toml:1: no such file; found 'none\.toml'$"),
        (
            "base = 3",
            r"a\.toml:1: base has a wrong type or value; found 3; expected a string or a list of "
            r"which each item is a string$",
        ),
        ('base = ["whole.toml", 3]', r"a\.toml:1: base has a wrong type or value"),
        ('base = ["whole.toml", "none.toml"]', r"a\.toml:1: no such file; found 'none\.toml'$"),
        (
            'base = ["odd.toml", "seed.toml"]',
            r"a\.toml:1: its base is wrong: .*odd\.toml:5: .*headz.*did you mean heads\?$",
        ),
        (
            'base = ["seed.toml", "many.toml"]',
            r"a\.toml:1: its base is wrong: .*many\.toml:2: training\.epochs has a wrong type",
        ),
        ('base = "a.toml"', r"a\.toml:1: a recipe is its own base; found 'a\.toml'$"),
        ('base = "loop.toml"', r"loop\.toml:1: a recipe is its own base; found 'a\.toml'$"),
        ('base = "broken.toml"', r"broken\.toml:1: not TOML"),
        ('base = "whole.toml"\n\n[model]\ndimm = 3', r"a\.toml:4: .*dimm.*did you mean dim\?$"),
        ('base = "whole.toml"\nmodel = 3', r"a\.toml:2: "),
        (
            'base = "odd.toml"\n[model]\ndim = 8',
            r"a\.toml:1: its base is wrong: .*odd\.toml:5: .*headz.*did you mean heads\?$",
        ),
        (
            '[training]\nseed = 3\n[data]\ntrain = ["x"]\n[bas]\n',
            r"a\.toml:5: unknown key bas; did you mean base\?$",
        ),
        (
            'base = "corpora.toml"\n[data.corpora.4]\nweight = 2',
            r"a\.toml:2: its base has no \[data\.corpora\.4\]; "
            r"expected a table data\.corpora\.1 to 3, of which the last is new$",
        ),
        (
            'base = "corpora.toml"\n[data.corpora.2]\nweight = "much"',
            r"a\.toml:3: data\.corpora\.2\.weight has a wrong type or value; found 'much'",
        ),
        (
            'base = "corpora.toml"\n[data]\ncorpora = { 01 = { weight = 2 } }',
            r"a\.toml:3: its base has no \[data\.corpora\.01\]",
        ),
    ],
)
def test_errors(tmp_path: Path, text: str, message: str) -> None:
    odd = WHOLE.replace("heads", "headz").replace("task", "\ntask").lstrip("\n")
    write(tmp_path, whole=WHOLE, odd=odd.replace("dim = 64\n", ""), corpora=CORPORA)
    write(tmp_path, loop='base = "a.toml"', broken="x = [")
    write(tmp_path, seed="[training]\nepochs = 5", many='[training]\nepochs = "many"')
    with pytest.raises(FileError, match=message):
        load(write(tmp_path, a=text))


def test_a_missing_file_of_the_base_names_both(tmp_path: Path) -> None:
    path = write(tmp_path, whole=WHOLE, a='base = "whole.toml"\n[training]\nseed = 2\n')
    message = r"a\.toml:1: its base is wrong: .*whole\.toml:3: train\.txt: no such file"
    with pytest.raises(FileError, match=message), reading(path):
        raise MissingError("train.txt: no such file", "train.txt")


def bases(path: Path) -> list[Path]:
    """The files that a recipe of the repository names as its bases."""
    named = Document.read(path).values.get(BASE, [])
    return [path.parent / name for name in ([named] if isinstance(named, str) else named)]


def depth(path: Path) -> int:
    """The number of files that one reads from a recipe to the last of its bases."""
    return max((1 + depth(base) for base in bases(path)), default=0)


def test_recipes_of_the_repository_repeat_nothing_of_their_bases() -> None:
    for path in sorted(RECIPES.rglob("*.toml")):
        own = {name: value for name, value in Document.read(path).values.items() if name != BASE}
        said: dict[str, object] = {}
        for base in bases(path):
            said |= flat({name: with_numbers(value) for name, value in read(base).values.items()})
        repeated = [name for name, value in flat(own).items() if said.get(name) == value]
        assert not repeated, path


def test_recipes_of_the_repository_are_three_steps_from_their_last_base_at_most() -> None:
    assert max(map(depth, RECIPES.rglob("*.toml"))) == 3


def with_numbers(value: object) -> object:
    """A value of TOML with its arrays of tables as tables by number, as a recipe changes them."""
    if are_tables(value):
        value = numbered(value)
    if isinstance(value, dict):
        return {name: with_numbers(item) for name, item in value.items()}
    return value
