"""The CRF of training beside its definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from fenjie.nn.crf import Crf
from fenjie.nn.gaps import IGNORED
from fenjie.text.tags import TagSet
from tests.reference import crf as literal

TAGS = {"BMES": TagSet(["A"]), "BIO": TagSet(["A", "B"], "BIO"), "BIOES": TagSet(["A"], "BIOES")}
LENGTHS = torch.tensor([4, 1, 3, 2])
KINDS = [(name, *flags) for name in TAGS for flags in [(True, True), (False, False), (True, False)]]


def make(name: str, constrained: bool, boundary: bool, seed: int = 0) -> tuple[Crf, Tensor, Tensor]:
    """A random CRF, scores `[4, 4, tags]` and legal gold tags; in float64."""
    torch.manual_seed(seed)
    tags = TAGS[name]
    crf = Crf(tags, constrained=constrained, boundary=boundary).double()
    with torch.no_grad():
        crf.transition.normal_()
        if boundary:
            crf.begin.normal_()
            crf.end.normal_()
    scores = 2 * torch.randn(4, 4, len(tags), dtype=torch.float64)
    gold = torch.full((4, 4), IGNORED)
    for row, length in enumerate(LENGTHS.tolist()):
        table = crf.table().numpy()
        every = literal.paths(scores[row, :length].numpy(), table)
        gold[row, :length] = torch.tensor(every[len(every) // 2][1])
    return crf, scores, gold


def rows(scores: Tensor) -> list[np.ndarray]:
    return [row[:length].numpy() for row, length in zip(scores, LENGTHS.tolist(), strict=True)]


@pytest.mark.parametrize(("name", "constrained", "boundary"), KINDS)
def test_it_is_what_the_definition_says(name: str, constrained: bool, boundary: bool) -> None:
    crf, scores, gold = make(name, constrained, boundary)
    table = crf.table().numpy()
    expected = np.mean(
        [
            literal.log_z(row, table) - literal.score(row, table, tuple(path[: len(row)].tolist()))
            for row, path in zip(rows(scores), gold, strict=True)
        ]
    )
    np.testing.assert_allclose(crf.loss(scores, gold, LENGTHS).item(), expected, rtol=1e-12)
    marginals = crf.marginals(scores, LENGTHS)
    paths, values = crf.k_best(scores, LENGTHS, 7)
    best = crf.decode(scores, LENGTHS)
    for number, row in enumerate(rows(scores)):
        length = len(row)
        every = literal.paths(row, table)
        np.testing.assert_allclose(marginals[number, :length], literal.marginals(row, table))
        assert marginals[number, length:].abs().sum() == 0
        assert tuple(best[number]) == every[0][1]
        for rank in range(7):
            path = paths[number, rank].tolist()
            if rank < len(every):
                assert path == [*every[rank][1], *[IGNORED] * (4 - length)]
                np.testing.assert_allclose(values[number, rank].item(), every[rank][0])
            else:
                assert path == [IGNORED] * 4
                assert values[number, rank] == -torch.inf


@pytest.mark.parametrize(("name", "constrained", "boundary"), KINDS)
def test_gradient(name: str, constrained: bool, boundary: bool) -> None:
    crf, scores, gold = make(name, constrained, boundary)
    scores.requires_grad_()
    parameters = [each for each in crf.parameters() if each.requires_grad]
    assert len(parameters) == (3 if boundary else 1)
    assert torch.autograd.gradcheck(
        lambda scores, *_: crf.loss(scores, gold, LENGTHS), (scores, *parameters)
    )
    crf.loss(scores, gold, LENGTHS).backward()
    assert crf.transition.grad is not None
    if constrained:
        assert (crf.transition.grad[torch.from_numpy(~TAGS[name].allowed)] == 0).all()
