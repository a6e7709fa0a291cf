"""CGN gives what its equations give, in float64, gradients included."""

from __future__ import annotations

import torch

from fenjie.models.cgn import Cgn, CgnConfig, links
from tests.lattices import (
    BATCHES,
    SIZES,
    assert_all_learn,
    assert_equations,
    collated,
    moved,
    numbers,
    sentences,
)
from tests.reference.cgn import LiteralCgn


def small() -> Cgn:
    torch.manual_seed(3)
    made: Cgn = moved(Cgn(CgnConfig(hidden=4, graph_dim=3, graph_heads=2), SIZES))
    return made


def test_equations() -> None:
    model = small()
    for batch, _ in BATCHES.values():
        given = sentences(*batch)
        assert_equations(model, given, LiteralCgn(model)(given)[given.mask])


def test_every_parameter_learns() -> None:
    assert_all_learn(small(), sentences([9, 14], [6, 9]))


def test_the_graphs_of_the_papers_example() -> None:
    """希尔顿离开北京机场了, with 希尔顿, 离开, 北京, 北京机场 and 机场."""
    ids = torch.arange(20).reshape(10, 2).numpy() + 2
    given = collated((ids, numbers(0, 3, 5, 5, 7), numbers(2, 4, 6, 8, 8), numbers(2, 3, 4, 5, 6)))
    containing, transition, lattice = (graph[0] for graph in links(given))
    airport, leave, beijing, whole, field = 7, 11, 12, 13, 14  # 机 and the words
    assert containing[airport].nonzero()[:, 0].tolist() == [airport, whole, field]
    assert transition[2].nonzero()[:, 0].tolist() == [1, 2, 3, leave]  # 顿 sees 离开
    assert transition[leave].nonzero()[:, 0].tolist() == [2, 5, 10, leave, beijing, whole]
    assert lattice[airport].nonzero()[:, 0].tolist() == [6, airport, 8, field]
    assert all(torch.equal(graph, graph.T) for graph in (containing, transition, lattice))
