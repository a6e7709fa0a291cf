"""Two corpora with labels of their own train one model."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from fenjie.corpus import read, write
from fenjie.errors import FileError
from fenjie.recipe.recipe import loads
from fenjie.runtime.folder import ModelFolder
from fenjie.tasks.ner import Entities
from fenjie.text.span import Sentence, Span
from fenjie.training.run import run_training
from tests.integration.tiny_entities import RECIPE, sentence

DATA = """\
[[data.corpora]]
train = ["train.bmes"]
dev = 0.2
test = ["test.jsonl"]
labels = { PER = "PER", LOC = "LOC" }
weight = 0.5

[[data.corpora]]
train = ["persons.jsonl"]
labels = { name = "PER" }
drop = ["thing"]
"""


@pytest.fixture
def text(folder: Path) -> str:
    """A recipe of a corpus of persons and places and one that marks persons alone."""
    chance = random.Random(1)
    persons = [sentence(chance, False).only({"PER"}) for _ in range(40)]
    renamed = [
        Sentence(s.text, tuple(Span(p.start, p.end, "name") for p in s.spans)) for s in persons
    ]
    things = [Sentence("天气好", (Span(0, 2, "thing"),))] * 5
    write([*renamed, *things], folder / "persons.jsonl", "jsonl")
    before, after = RECIPE.partition("[data]")[0], RECIPE[RECIPE.index("[vocabulary]") :]
    return before + DATA + after.replace("learning_rate = 0.01", "learning_rate = 0.05")


def test_what_a_corpus_does_not_mark_may_be_there(text: str) -> None:
    task = Entities(loads(text))
    first = [index for index, weight in enumerate(task.weights) if weight == 0.5]
    second = sorted(set(range(len(task.lengths))) - set(first))
    assert (len(first), len(second), task.held) == (48, 37, 12 + 8)
    random = np.random.default_rng(0)
    assert task.batch(np.array(first[:4]), random)[1].dim() == 2
    _, gold = task.batch(np.array([first[0], *second[:4]]), random)
    assert gold.shape[2] == len(task.tagset)
    open_places = gold[1:, :, 1 : 1 + len(task.tagset) // 2].any(dim=2)
    assert open_places.any() and not (gold[0].sum(dim=1) > 1).any()


def test_places_are_learnt_from_one_persons_from_both(text: str) -> None:
    Path("two.toml").write_text(text, encoding="utf-8")
    result = run_training(Path("two.toml"), Path("out"))
    assert list(result.test) == ["test.jsonl"]
    card = Path("out/model/README.md").read_text(encoding="utf-8")
    assert "- trained on `train.bmes`, `persons.jsonl`\n" in card
    assert "chosen on 20% of `train.bmes`, in blocks spread over it, 10% of `persons.jsonl`" in card
    assert "| `test.jsonl` |" in card
    again = run_training(Path("two.toml"), Path("out"), resume=True)
    assert (again.dev, again.test) == (result.dev, result.test)


def test_passages_are_as_long_in_training_as_after_it(text: str) -> None:
    short = text.replace("[[data.corpora]]", "[data]\npassage = 16\n\n[[data.corpora]]", 1)
    Path("two.toml").write_text(short, encoding="utf-8")
    lines = [Sentence("他说，天气很好，我们走。" * times) for times in range(2, 12)]
    write([*read("persons.jsonl").sentences, *lines], "persons.jsonl", "jsonl")
    whole, task = Entities(loads(text)), Entities(loads(short))
    assert max(whole.lengths) >= 60 and max(task.lengths) <= 17
    assert sum(task.lengths) == sum(whole.lengths)
    run_training(Path("two.toml"), Path("out"))
    assert ModelFolder.open("out/model").passage == 16


def test_a_mapping_that_does_not_fit_is_one_line(text: str) -> None:
    Path("two.toml").write_text(text.replace('"thing"', '"object"'), encoding="utf-8")
    with pytest.raises(FileError, match=r"persons\.jsonl: sentence 41 has a label") as caught:
        run_training(Path("two.toml"), Path("out"))
    assert "\n" not in str(caught.value)
    assert not Path("out").exists()
