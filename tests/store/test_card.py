"""The card of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")

from fenjie.cli.models import f1_scores
from fenjie.evaluation.word_scores import score
from fenjie.recipe.recipe import loads
from fenjie.store.card import Origin, card
from fenjie.text.span import Sentence

GOLD = [Sentence.from_words(["今天", "好"]), Sentence.from_words(["北京"])]
FOUND = [Sentence.from_words(["今", "天", "好"]), Sentence.from_words(["北京"])]
RECIPE = """\
[data]
train = ["train.txt", "more.txt"]
dev = 0.1
test = ["test.txt"]
[training]
seed = 7
"""


def test_a_card_says_where_a_model_comes_from(tmp_path: Path) -> None:
    dev, test = score(GOLD, GOLD, set()), score(GOLD, FOUND, set())
    origin = Origin("mine", "fenjie train mine.toml", 2, 1234, 90.0, 2, "a CPU", dev,
                    {"test.txt": test})  # fmt: skip
    text = card(loads(RECIPE), origin, 12_345)
    assert text.startswith("# mine\n")
    for said in (
        "word segmentation (sams, 12,345 parameters)",
        "trained on `train.txt`, `more.txt`",
        "10% of `train.txt`, the last",
        "command: `fenjie train mine.toml`",
        "seed 7; best after step 1,234 (epoch 2",
        "a CPU, 2 processes",
        "versions: fenjie ",
    ):
        assert said in text
    _, _, recipe = text.partition("```toml\n")
    assert loads(recipe.partition("```")[0]) == loads(RECIPE)
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert f1_scores(tmp_path) == {"dev": "100.00", "test.txt": "57.14"}
