"""FLAT: settings, padding, loss, and what it learns."""

from __future__ import annotations

import copy
import dataclasses
import math

import numpy as np
import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.models.flat import Flat, FlatConfig
from fenjie.nn.attention.selection import Kind, SelectionConfig
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.lattice import Lattice
from fenjie.runtime.decoding.crf import viterbi
from tests.lattices import SENTENCES, SIZES, TAGS, collated, learn, parts

SMALL = FlatConfig(dim=16, heads=2, hidden=24)


def build(**settings: object) -> Flat:
    torch.manual_seed(3)
    return Flat(dataclasses.replace(SMALL, **settings), SIZES)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("settings", [{}, {"self_matched": False, "reach": 3}])
def test_a_batch_is_its_sentences_one_by_one(layers: int, settings: dict[str, object]) -> None:
    model = build(layers=layers, **settings).double().eval()
    together = model(collated(*SENTENCES)).tags
    for row, sentence in zip(together, SENTENCES, strict=True):
        alone = model(collated(sentence)).tags[0]
        assert torch.allclose(row[: len(alone)], alone, rtol=0, atol=1e-12)
        assert (row[len(alone) :] == 0).all()


@pytest.mark.parametrize("kind", ["top-k", "sparsemax", "threshold"])
@pytest.mark.parametrize("settings", [{"layers": 2}, {"self_matched": False, "reach": 3}], ids=str)
def test_keys_are_selected_for_all_blocks_at_once(kind: Kind, settings: dict[str, object]) -> None:
    if kind == "sparsemax":
        pytest.importorskip("entmax", reason="needs the extra `train`")
    model = build(selection=SelectionConfig(kind), **settings).double().eval()
    by_block = model(collated(*SENTENCES)).tags
    with torch.no_grad():
        assert torch.allclose(model(collated(*SENTENCES)).tags, by_block, rtol=0, atol=1e-12)


def test_padding_never_counts() -> None:
    model = build().double().eval()
    given = collated(*SENTENCES)
    wide = Lattice(
        torch.nn.functional.pad(given.ids, (0, 0, 0, 7), value=5),
        given.lengths,
        torch.nn.functional.pad(given.start, (0, 3), value=2),
        torch.nn.functional.pad(given.end, (0, 3), value=4),
        given.words,
        word=torch.nn.functional.pad(given.word, (0, 3), value=6),
    )
    scores, padded = model(given), model(wide)
    length = scores.tags.shape[1]
    assert torch.allclose(scores.tags, padded.tags[:, :length], rtol=0, atol=1e-12)
    gold = torch.zeros(scores.tags.shape[:2], dtype=torch.int64).masked_fill(~given.mask, IGNORED)
    more = torch.nn.functional.pad(gold, (0, 7), value=IGNORED)
    assert torch.allclose(model.loss(scores, gold), model.loss(padded, more))


def test_words_matter_and_their_order_does_not() -> None:
    model = build().double().eval()
    ids, start, end, word = parts(12, 8, 5)
    scores = model(collated((ids, start, end, word))).tags
    order = np.random.default_rng(0).permutation(len(start))
    shuffled = model(collated((ids, start[order], end[order], word[order]))).tags
    assert torch.allclose(scores, shuffled, rtol=0, atol=1e-12)
    fewer = model(collated((ids, start[1:], end[1:], word[1:]))).tags
    assert not torch.allclose(scores, fewer)


def test_two_thousand_words() -> None:
    scores = build().eval()(collated(parts(600, 2000, 1))).tags
    assert scores.shape == (1, 600, len(TAGS))
    assert scores.isfinite().all()


def test_a_word_of_one_character_is_a_key_and_no_query() -> None:
    model = build().eval()
    ids, start, end, word = parts(5, 2, 1)
    start, end = np.append(start, 3), np.append(end, 3)
    scores = model(collated((ids, start, end, np.append(word, 7)))).tags
    assert scores.shape == (1, 5, len(TAGS))


def test_impossible_settings() -> None:
    with pytest.raises(FenjieError, match="is odd or no multiple"):
        FlatConfig(dim=20, heads=3)


def test_it_learns() -> None:
    torch.manual_seed(0)
    model = build(word_dropout=0.0, embedding_dropout=0.0)
    given = collated(*SENTENCES)
    gold, losses = learn(model, given, rate=0.01)
    assert losses[-1] < 0.1 * losses[0]
    with torch.no_grad():
        scores = model.eval()(given).tags.numpy()
    best = viterbi(scores, given.lengths.numpy(), model.crf.table().numpy())
    for row, tags in zip(gold, best, strict=True):
        assert tags[row != IGNORED].tolist() == row[row != IGNORED].tolist()


def test_scores_of_a_new_model_have_a_sensible_size() -> None:
    scores = build().eval()(collated(*SENTENCES))
    assert 0.1 < scores.tags[scores.tags != 0].std() < 3
    gold = torch.zeros(scores.tags.shape[:2], dtype=torch.int64)
    assert math.isfinite(build().loss(scores, gold).item())


def test_position_keys_are_remembered_until_a_weight_changes() -> None:
    model = build(layers=2).double().eval()
    batches = [collated(parts(6, 3, 0)), collated(*SENTENCES), collated(parts(7, 9, 4))]
    for _ in range(2):
        for given in batches:
            exact = model(given).tags
            with torch.inference_mode():
                assert torch.allclose(model(given).tags, exact, rtol=0, atol=1e-12)
            with torch.no_grad():
                assert torch.allclose(model(given).tags, exact, rtol=0, atol=1e-12)
        with torch.no_grad():
            model.positions.weight.mul_(1.5)
            model.layers[0].attention.position.weight.add_(0.1)


def test_a_copy_remembers_for_itself() -> None:
    model = build().eval()
    given = collated(*SENTENCES)
    with torch.no_grad():
        before = model(given).tags
        other = copy.deepcopy(model)
        other.layers[0].attention.position.weight.mul_(2)
        assert torch.equal(model(given).tags, before)
        assert not torch.allclose(other(given).tags, before)
