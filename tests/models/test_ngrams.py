"""The linear model of gaps, alone and beside SAMS."""

from __future__ import annotations

import pytest
import torch

from fenjie.errors import FenjieError
from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer, ngram_columns
from fenjie.models.ngrams import Ngrams, NgramsConfig
from fenjie.models.sams import Sams, SamsConfig
from fenjie.nn.batch import Batch
from fenjie.nn.decoders.gaps import NgramGaps, boundaries
from fenjie.text.vocabulary import Vocabulary

TEXTS = ["中国人民银行", "人民", "国"]


@pytest.fixture
def indexer() -> Indexer:
    return Indexer(Vocabulary("中国人民"), None, [Lexicon.build(["中国", "人民"])], ngrams=512)


def test_a_score_is_the_sum_of_the_weights_of_its_ngrams(indexer: Indexer) -> None:
    torch.manual_seed(0)
    model = Ngrams(NgramsConfig(), indexer.sizes).eval()
    torch.nn.init.normal_(model.ngrams.weights.weight)
    batch = Batch.of([indexer(text) for text in TEXTS])
    scores = model(batch).final
    columns = ngram_columns(indexer.sizes)
    for row, text in enumerate(TEXTS):
        for gap in range(len(text) - 1):
            features = indexer(text)[gap, -columns:].tolist()
            weights = [model.ngrams.weights.weight[feature].item() for feature in features]
            expected = NgramGaps.STEP * sum(weights)
            difference = (scores[row, gap, 1] - scores[row, gap, 0]).item()
            assert difference == pytest.approx(expected, abs=1e-4)


def test_it_learns(indexer: Indexer) -> None:
    model = Ngrams(NgramsConfig(), indexer.sizes)
    batch = Batch.of([indexer("中国人民")])
    gold = torch.tensor([[0, 1, 0]])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        model.loss(model(batch), gold).backward()
        optimizer.step()
    assert boundaries(model(batch).final).tolist() == [[False, True, False]]


def test_without_ngrams_there_is_no_model() -> None:
    with pytest.raises(FenjieError, match="set ngrams in"):
        Ngrams(NgramsConfig(), Indexer(Vocabulary("中")).sizes)


def test_beside_sams_they_add_to_both_scores(indexer: Indexer) -> None:
    torch.manual_seed(0)
    config = SamsConfig(dim=8, layers=2, heads=2, hidden=8)
    model = Sams(config, indexer.sizes).eval()
    assert model.ngrams is not None
    batch = Batch.of([indexer(text) for text in TEXTS])
    before = model(batch)
    torch.nn.init.constant_(model.ngrams.weights.weight, 1 / 16)
    after = model(batch)
    # All decisions in the middle now fall alike, so that the end may change too; the middle shows
    # the sum itself.
    added = after.middle - before.middle
    assert torch.allclose(added[..., 1], torch.tensor(float(ngram_columns(indexer.sizes))))
    assert torch.equal(added[..., 0], torch.zeros_like(added[..., 0]))
