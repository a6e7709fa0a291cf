"""Vectors of characters, and tables of which some rows learn."""

from __future__ import annotations

import numpy as np
import torch

from fenjie.lexicon.indexer import Indexer, Sizes
from fenjie.lexicon.lexicon import Lexicon
from fenjie.nn.embeddings import CharacterEmbedding, TrainedTable, ViewTable
from fenjie.text.vocabulary import RESERVED, UNKNOWN, Vocabulary


def test_a_character_is_its_vector_scaled() -> None:
    embedding = CharacterEmbedding(Sizes(9), dim=4, bigram_dim=2)
    assert torch.equal(embedding(torch.tensor([[[3]]]))[0, 0], embedding.characters.weight[3] * 2)


def test_a_character_takes_the_bigrams_on_both_sides() -> None:
    embedding = CharacterEmbedding(Sizes(9, 7), dim=4, bigram_dim=2)
    assert embedding.bigrams is not None
    ids = torch.tensor([[[2, 3], [4, 5]]])
    before, behind = embedding.bigrams.weight[3], embedding.bigrams.weight[5]
    expected = embedding.characters.weight[4] + embedding.project(torch.cat((before, behind)))
    assert torch.allclose(embedding(ids)[0, 1], expected * 2)


def test_each_lexicon_adds_a_vector() -> None:
    indexer = Indexer(Vocabulary("在北京"), None, [Lexicon.build(["北京"])])
    embedding = CharacterEmbedding(indexer.sizes, dim=4, bigram_dim=2)
    ids = torch.from_numpy(indexer("在北京").astype(np.int64))[None]
    alone = embedding.characters(ids[..., 0]) * 2
    assert torch.allclose(embedding(ids), alone + embedding.lexicons[0](ids[..., 1]))


def test_a_standard_adds_a_vector_and_shares_those_of_lexicons() -> None:
    own = dict.fromkeys(("a", "b"), Lexicon.build(["北京"]))
    indexer = Indexer(Vocabulary("在北京"), standards=own)
    embedding = CharacterEmbedding(indexer.sizes, dim=4, bigram_dim=2)
    one, other = (torch.from_numpy(indexer.of(name)("在北京"))[None] for name in "ab")
    assert embedding.standards is not None
    apart = embedding.standards.weight[RESERVED + 1] - embedding.standards.weight[RESERVED]
    assert torch.allclose(embedding(other) - embedding(one), apart.expand(3, 4), atol=1e-6)
    (table,) = embedding.lexicons
    assert isinstance(table, ViewTable)
    torch.nn.init.normal_(table.own.weight)
    expected = table.shared.weight[one[..., 1]] + table.own.weight[other[..., 1]]
    assert torch.allclose(table(other[..., 1]), expected)
    unknown = torch.tensor([UNKNOWN])
    assert torch.equal(table(unknown), table.shared(unknown) + table.own(unknown))


def test_rows_that_learn_and_rows_that_do_not() -> None:
    table = TrainedTable(3, 2, 4)
    vectors = torch.arange(8.0).reshape(2, 4)
    table.start(torch.tensor([2, 4]), vectors)
    assert table.dim == 4
    assert table.whole()[[2, 4]].tolist() == vectors.tolist()
    table.eval()
    assert torch.equal(table(torch.arange(5)), table.whole())
    table.train()
    table(torch.tensor([0, UNKNOWN, 2])).sum().backward()
    assert table.weight.grad is not None
    assert table.weight.grad.sum(1).tolist() == [0, 4, 4]  # the row of padding never learns
