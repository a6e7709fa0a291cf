"""The base of all taggers: scores, loss, and the layers that they share."""

from __future__ import annotations

import torch

from fenjie.models.tagger import Tagger, TaggerConfig, TagScores
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.lattice import Lattice
from tests.lattices import TAGS, sentences


class Packed(Tagger):
    """Gives each character its own first id, without padding."""

    def encode(self, lattice: Lattice) -> Encoded:
        return Encoded(lattice.ids[lattice.mask][:, :1].double(), 0.5)


class Padded(Packed):
    """The same with padding."""

    def encode(self, lattice: Lattice) -> Encoded:
        x, penalty = super().encode(lattice)
        return Encoded(lattice.pad_characters(x), penalty)


def build(kind: type[Tagger]) -> Tagger:
    torch.manual_seed(0)
    return kind(TaggerConfig(), TAGS, 1).double().eval()


def test_vectors_may_come_with_padding_or_without() -> None:
    given = sentences([3, 5], [0, 0])
    packed, padded = build(Packed)(given), build(Padded)(given)
    assert packed.tags.shape == (2, 5, len(TAGS))
    assert torch.equal(packed.tags[given.mask], padded.tags[given.mask])
    assert packed.penalty == 0.5


def test_the_loss_is_the_mean_likelihood_and_the_penalty() -> None:
    model = build(Packed)
    scores = torch.randn(2, 5, len(TAGS)).double()
    gold = torch.full((2, 5), IGNORED)
    gold[0, :3], gold[1] = 0, 0
    likelihood = model.crf.loss(scores, gold, torch.tensor([3, 5]))
    assert torch.isclose(model.loss(TagScores(scores), gold), likelihood)
    assert torch.isclose(model.loss(TagScores(scores, 3.0), gold), likelihood + 1.5)
