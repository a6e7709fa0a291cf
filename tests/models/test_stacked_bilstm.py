"""The stacked BiLSTM of words: its equations, padding, batches, saving, learning, ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="needs the extra `train`")

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError
from fenjie.lexicon.indexer import Sizes
from fenjie.models.stacked_bilstm import StackedBilstm, StackedBilstmConfig, gaps_of, tags_of
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import IGNORED, boundaries
from tests.exported import Exported, gap_batches
from tests.lattices import assert_same, gradients, moved
from tests.reference.stacked_bilstm import gap_scores
from tests.small_sams import batch

SMALL: dict[str, Any] = {"character_dim": 6, "bigram_dim": 4, "hidden": 8}


def build(columns: int = 2, **settings: Any) -> StackedBilstm:
    torch.manual_seed(3)
    config = StackedBilstmConfig(**SMALL, **settings)
    model: StackedBilstm = moved(StackedBilstm(config, Sizes(*(50, 70)[:columns])))
    return model


@pytest.mark.parametrize(("columns", "layers"), [(1, 2), (2, 1), (2, 2), (2, 3)])
def test_equations(columns: int, layers: int) -> None:
    model, texts = build(columns, layers=layers), batch([9, 23, 1, 14], columns)
    found = model(texts).final[texts.mask[:, 1:]]
    rows = [
        gap_scores(model, ids[:length])
        for ids, length in zip(texts.ids, texts.lengths.tolist(), strict=True)
    ]
    expected = torch.cat(rows)
    assert torch.allclose(found, expected, rtol=0, atol=1e-9)
    one, other = gradients(model, found), gradients(model, expected)
    if columns == 2:
        assert {name.partition(".")[0] for name in one} == {"embedding", "encoder", "output"}
    assert_same(one, other, 1e-8)


def test_a_batch_is_its_sentences_one_by_one_and_padding_never_counts() -> None:
    model, texts = build(), batch([9, 23, 1], 2)
    scores = model(texts).final
    wide = Batch(F.pad(texts.ids, (0, 0, 0, 7), value=5), texts.lengths)
    padded = model(wide).final
    for row, length in enumerate(texts.lengths.tolist()):
        alone = model(Batch(texts.ids[row : row + 1, :length], texts.lengths[row : row + 1]))
        for found in (scores, padded):
            assert torch.allclose(found[row, : length - 1], alone.final[0], rtol=0, atol=1e-12)


def test_a_hidden_state_loses_the_same_numbers_at_each_step() -> None:
    """Without the rate, the loop of training gives what evaluation does; with it, other scores."""
    model, texts = build(input_dropout=0.0), batch([9, 23], 2)
    expected = model(texts).final
    model.train()
    assert not torch.equal(model(texts).final, expected)
    for layer in model.encoder.layers:
        layer.dropout = 1e-12
    real = texts.mask[:, 1:]
    assert torch.allclose(model(texts).final[real], expected[real], rtol=0, atol=1e-5)


def test_saving_and_loading_change_nothing(tmp_path: Path) -> None:
    model, other, texts = build(), build(), batch([9, 23], 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    other.load_state_dict(load_file(tmp_path / "model.safetensors"))
    assert torch.equal(model(texts).final, other(texts).final)


def test_tags_are_those_of_the_gaps() -> None:
    gold = torch.tensor([[1, 0, 0, 1], [0, IGNORED, IGNORED, IGNORED], [IGNORED] * 4])
    begin, inside, end, single, none = 0, 1, 2, 3, IGNORED
    assert tags_of(gold).tolist() == [
        [single, begin, inside, end, single],
        [begin, end, none, none, none],
        [single, none, none, none, none],
    ]
    assert tags_of(gold[:, :0]).tolist() == [[single]] * 3


def test_tags_that_are_certain_decide_the_gaps() -> None:
    gold = torch.tensor([[1, 0, 0, 1, 1, 0]])
    tags = F.one_hot(tags_of(gold), 4).double().mul(20).log_softmax(dim=-1)
    assert boundaries(gaps_of(tags)).long().tolist() == gold.tolist()


def test_it_learns() -> None:
    model, texts = build().float(), batch([9, 23, 1], 2)
    gold = (torch.arange(22) % 3 == 0).long().expand(3, -1)
    gold = gold.masked_fill(~texts.mask[:, 1:], IGNORED)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    model.train()
    for _ in range(80):
        optimizer.zero_grad()
        model.loss(model(texts), gold).backward()
        optimizer.step()
    found = boundaries(model.eval()(texts).final).long()
    assert torch.equal(found[texts.mask[:, 1:]], gold[gold != IGNORED])


def test_it_reads_characters_and_bigrams_alone() -> None:
    with pytest.raises(FenjieError, match="set no lexicon"):
        StackedBilstm(StackedBilstmConfig(), Sizes(50, 70, lexicons=1))


@pytest.mark.slow
def test_the_exported_model_gives_the_same_scores(tmp_path: Path) -> None:
    exported = Exported(build(layers=3).float(), 2, tmp_path)
    exported.check(gap_batches((2, 3, 9, 40, 150), columns=2))
