"""Places of words in a piece of any length, as an entity may have that is never cut; labels."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.corpus import write
from fenjie.errors import FenjieError
from fenjie.recipe.recipe import loads
from fenjie.tasks.ner import (
    Entities,
    in_passages,
    labels_of,
    not_learnt,
    not_taggable,
    without_whitespace,
)
from fenjie.tasks.partial import PartialTags
from fenjie.text.span import Sentence, Span
from fenjie.text.split import passages
from fenjie.text.tags import TagSet

CPU = torch.device("cpu")
RECIPE = """\
task = "ner"
architecture = "bilstm_crf"

[training]
schedule = "constant"

"""


def test_beyond_sixteen_bits() -> None:
    text = "长" * 40_000
    places = np.array([0, 32_767, 39_998])
    words = places, places + 2, np.arange(3), np.ones(3)
    inputs = SimpleNamespace(
        indexer=lambda text: np.zeros((len(text), 1)), words=lambda _: words, pieces=None
    )
    task: Any = SimpleNamespace(inputs=inputs, _tags=PartialTags(TagSet(["LOC"]), [None]))
    sentence = Sentence(text, (Span(0, len(text), "LOC"),))
    example = cast(Any, Entities)._example(task, sentence, 0)
    assert example.start.tolist() == places.tolist()
    assert example.end.tolist() == (places + 1).tolist()


def test_a_label_is_one_line() -> None:
    assert not_taggable(Sentence("北京", (Span(0, 2, "LOC city"),))) is None
    wrong = not_taggable(Sentence("北京", (Span(0, 2, "LOC\ncity"),)))
    assert wrong == "has a label with a line end: 'LOC\\ncity'"
    wrong = not_taggable(Sentence("北京", (Span(0, 2, "LOC\ud800"),)))
    assert wrong == "has a label with a lone surrogate: 'LOC\\ud800'"


def test_words_are_not_learnt_beside_entities() -> None:
    words = Sentence("上海", (Span(0, 2),))
    entities = Sentence("北京", (Span(0, 2, "LOC"),))
    assert labels_of([words]) == ["W"]
    assert labels_of([entities, entities]) == ["LOC"]
    message = r"words \(label W\), as of '上海', beside LOC, as of '北京'$"
    with pytest.raises(FenjieError, match=message):
        labels_of([Sentence("好"), entities, words])


def test_words_tile_their_sentence() -> None:
    words, part = Sentence.from_words(["北京", "好"]), Sentence("北京好", (Span(0, 2),))
    assert not_taggable(words) is None
    assert not_taggable(part) == "is not segmented: its spans are not words that tile it"
    with pytest.raises(FenjieError, match=r"a sentence is not segmented: .*; found '北京好'"):
        labels_of([words, Sentence("北京好")])


def test_labels_that_no_training_sentence_has() -> None:
    assert not_learnt(["LOC", "PER"], {"PER"}) == ""
    assert not_learnt(["LOC", "PER"], {"per", "PER", "Loc"}).endswith("as missed: Loc, per")
    for learnt, scored in (["LOC"], {"LOC", "W"}), (["W"], {"LOC"}):
        with pytest.raises(FenjieError, match="learnt apart: the training files have"):
            not_learnt(learnt, scored)


def test_whitespace_is_not_learnt_and_spans_stay_where_they_are() -> None:
    spans = Span(0, 4, "PER"), Span(4, 5, "PER"), Span(7, 9, "LOC")
    found = without_whitespace(Sentence("王 小明 在\u3000北京", spans))
    assert found == Sentence("王小明在北京", (Span(0, 3, "PER"), Span(4, 6, "LOC")))


def test_passages_are_those_of_the_tagger_but_for_entities_that_they_would_cut() -> None:
    text = "他说，今天很好。" * 4
    assert [end for _, end in passages(text, 8)] == [8, 16, 24, 32]
    spans = Span(6, 8, "LOC"), Span(14, 17, "PER"), Span(24, 26, "LOC")
    found = list(in_passages(Sentence(text, spans), 8))
    assert found == [
        Sentence(text[:8], (Span(6, 8, "LOC"),)),
        Sentence(text[8:24], (Span(6, 9, "PER"),)),
        Sentence(text[24:], (Span(0, 2, "LOC"),)),
    ]


def test_mentions_of_the_held_out_share_are_new_on_dev_and_known_on_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    names = [f"{a}{b}" for a in "王李张刘" for b in "一二三四五"]
    write([Sentence(f"{name}来了", (Span(0, 2, "PER"),)) for name in names], "all.jsonl", "jsonl")
    files = '[data]\ntrain = ["all.jsonl"]\ndev = 0.2\ntest = ["all.jsonl"]\n'
    task = Entities(loads(RECIPE + files))
    dev, test = task.dev(CPU), task.test("all.jsonl", CPU)
    assert (dev.gold, dev.seen.gold) == (4, 0)
    assert (test.gold, test.seen.gold) == (20, 20)


def test_types_that_a_corpus_does_not_mark_are_not_scored_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    data = RECIPE
    for label, text in (("LOC", "北京很大"), ("PER", "李雷在上海")):
        write([Sentence(text, (Span(0, 2, label),))], f"{label}.jsonl", "jsonl")
        files = f'train = ["{label}.jsonl"]\ndev = ["{label}.jsonl"]\ntest = ["{label}.jsonl"]\n'
        data += f"[[data.corpora]]\n{files}labels = {{ {label} = '{label}' }}\n"
    task = Entities(loads(data))
    with torch.no_grad():  # each character is a place
        task.module.output.bias[task.tagset.tags.index("S-LOC")] = 99.0
    scores = [task.dev(CPU), task.test("LOC.jsonl", CPU), task.test("PER.jsonl", CPU)]
    assert [(s.gold, s.predicted) for s in scores] == [(2, 4), (1, 4), (1, 0)]
