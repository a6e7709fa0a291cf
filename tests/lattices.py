"""Random lattices, and comparisons of what models make of them, in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fenjie.models.flat import Flat, FlatConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.attention.window_partition import Round, partition
from fenjie.nn.decoders.gaps import IGNORED
from fenjie.nn.lattice import Lattice
from fenjie.text.tags import TagSet

TAGS = TagSet(("PER", "LOC"))
SIZES = TaggerSizes((50, 0, 6), (70, 0, 4), (40, 0, 5), TAGS)
"""The sizes of the tables of a tagger that reads these lattices."""

Parts = tuple[np.ndarray, ...]


def sentences(
    lengths: Sequence[int],
    words: Sequence[int],
    *,
    columns: int = 2,
    trained: bool = True,
    seed: int = 0,
) -> Lattice:
    """Random sentences; words of two to six characters, as far as their sentence has room.

    Args:
        lengths: number of characters of each sentence.
        words: number of words of each sentence.
        columns: number of ids of a character.
        trained: whether a word is a row of a table, or else a vector of 5 numbers.
        seed: of the random numbers.
    """
    random = np.random.default_rng(seed)
    start, end, word, vectors = [], [], [], []
    for length, count in zip(lengths, words, strict=True):
        spans = sorted((a, b) for a in range(length) for b in range(a + 1, min(a + 6, length)))
        chosen = random.permutation(len(spans))[:count]
        start.append(np.array([spans[i][0] for i in chosen], dtype=np.int64))
        end.append(np.array([spans[i][1] for i in chosen], dtype=np.int64))
        word.append(random.integers(1, 40, len(chosen)))
        vectors.append(random.normal(size=(len(chosen), 5)))
    ids = [random.integers(1, 50, (length, columns)) for length in lengths]
    made = Lattice.of(ids, start, end, word=word)
    if trained:
        return made
    side_by_side = nn.utils.rnn.pad_sequence(list(map(torch.from_numpy, vectors)), True)
    return replace(made, word=None, vectors=side_by_side)


def parts(length: int, words: int, seed: int) -> Parts:
    """Ids, starts, ends and rows of a random sentence, words of two to five characters."""
    random = np.random.default_rng(seed)
    spans = [(a, b) for a in range(length) for b in range(a + 1, min(a + 5, length))]
    chosen = np.array(spans, dtype=np.int64).reshape(-1, 2)[random.permutation(len(spans))[:words]]
    ids = random.integers(2, 50, (length, 2))
    return ids, chosen[:, 0], chosen[:, 1], random.integers(1, 40, len(chosen))


def collated(*given: Parts) -> Lattice:
    """Sentences, as `parts` gives them, in one batch."""
    ids, start, end, word = zip(*given, strict=True)
    return Lattice.of(ids, start, end, word=word)


SENTENCES = [parts(9, 4, 0), parts(33, 25, 1), parts(1, 0, 2), parts(12, 0, 3)]
"""A short and a long sentence, one of a single character and one without words."""


def flat(**settings: object) -> Flat:
    """A small FLAT with random weights."""
    torch.manual_seed(3)
    return Flat(FlatConfig(**{"dim": 16, "heads": 2, "hidden": 24, **settings}), SIZES)


def one(given: Lattice, row: int) -> Lattice:
    """One sentence of a batch, without padding."""
    length, count = int(given.lengths[row]), int(given.words[row])
    assert given.word is not None
    return Lattice(
        given.ids[row : row + 1, :length],
        given.lengths[row : row + 1],
        given.start[row : row + 1, :count],
        given.end[row : row + 1, :count],
        given.words[row : row + 1],
        word=given.word[row : row + 1, :count],
    )


def moved(model: nn.Module, seed: int | None = 4) -> Any:
    """The model in float64, away from zeros and ones, so that every parameter matters."""
    if seed is not None:
        torch.manual_seed(seed)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def gradients(model: nn.Module, values: Tensor, *inputs: Tensor) -> dict[str, Tensor]:
    """The gradients, by name, of a function of some values that has no symmetry.

    Args:
        model: the gradients are those of its parameters.
        values: computed by the model.
        inputs: gradients of these are given too, by their number.

    Returns:
        The gradients that are not zero.
    """
    named = {**dict(model.named_parameters()), **{str(n): x for n, x in enumerate(inputs)}}
    wanted = {name: tensor for name, tensor in named.items() if tensor.requires_grad}
    weight = torch.randn(values.shape, generator=torch.Generator().manual_seed(1)).double()
    loss = (values * weight).sum() + (values**2).sum()
    found = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    return {
        name: gradient
        for name, gradient in zip(wanted, found, strict=True)
        if gradient is not None and gradient.abs().max() > 0
    }


def assert_same(
    found: dict[str, Tensor], expected: dict[str, Tensor], within: float = 1e-6
) -> None:
    """Assert that two models have the same gradients, up to an absolute and relative difference."""
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        assert torch.allclose(gradient, expected[name], rtol=within, atol=within), name


def assert_equations(model: nn.Module, given: Lattice, literal: Tensor) -> None:
    """Assert that a tagger in float64 has the scores and gradients of its literal equations.

    A gradient that is 0 up to rounding, as that of a softmax over one thing, counts as none.

    Args:
        model: the tagger.
        given: a batch.
        literal: the scores of the tags by the equations, of all real characters of the batch.
    """
    found = model(given).tags[given.mask]
    assert torch.allclose(found, literal, rtol=0, atol=1e-9)
    both = (gradients(model, values) for values in (found, literal))
    learnt = ({n: g for n, g in every.items() if g.abs().max() > 1e-12} for every in both)
    assert_same(*learnt, 1e-8)


def assert_all_learn(model: nn.Module, given: Lattice) -> None:
    """Assert that the scores of a tagger reach all its parameters but those of the CRF."""
    learnt = gradients(model, model(given).tags[given.mask])
    named = {name for name, _ in model.named_parameters() if not name.startswith("crf.")}
    assert learnt.keys() == named


def learn(model: nn.Module, given: Lattice, rate: float) -> tuple[Tensor, list[float]]:
    """Let a tagger learn a place of three characters in each sentence that has room for it.

    Returns:
        The tags, and the loss before each of sixty steps of Adam.
    """
    gold = torch.full(given.mask.shape, IGNORED)
    random = np.random.default_rng(0)
    for row, length in enumerate(given.lengths.tolist()):
        gold[row, :length] = 0
        if length > 4:
            at = int(random.integers(0, length - 3))
            gold[row, at : at + 3] = torch.tensor([TAGS.tags.index(f"{p}-LOC") for p in "BME"])
    return gold, descend(model, given, gold, rate, 60)


def descend(model: nn.Module, given: Lattice, gold: Tensor, rate: float, steps: int) -> list[float]:
    """Let a tagger learn these tags: the loss before each step of Adam."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model.loss(model.train()(given), gold)
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    return losses


def differentiated(
    function: Callable[[Tensor], Tensor], x: Tensor, module: nn.Module
) -> dict[str, Tensor]:
    """The values of a function, and the gradients of something made of them without symmetry."""
    x = x.clone().requires_grad_()
    module.zero_grad()
    found = function(x)
    weight = torch.randn(found.shape, generator=torch.Generator().manual_seed(1))
    ((found * weight).sum() + (found**2).sum()).backward()
    gradients = {name: p.grad for name, p in module.named_parameters()}
    made = {name: torch.zeros(1) if g is None else g.clone() for name, g in gradients.items()}
    assert x.grad is not None
    return {"value": found.detach(), "input": x.grad} | made


def check_function(
    module: nn.Module, x: Tensor, fast: Callable[[Tensor], Tensor], text: Callable[[Tensor], Tensor]
) -> None:
    """Assert that a fast function and the one that follows the text have the same gradients."""
    found, expected = differentiated(fast, x, module), differentiated(text, x, module)
    for name, value in found.items():
        assert torch.isfinite(value).all(), name
        assert torch.allclose(value, expected[name], rtol=1e-6, atol=1e-6), name


def counted(given: Lattice, singles: int = 0, seed: int = 0) -> Lattice:
    """The same lattice with counts, and with some words of one character."""
    random = np.random.default_rng(seed)
    start, end, word, counts = [], [], [], []
    for row, length in enumerate(given.lengths.tolist()):
        many = int(given.words[row])
        alone = random.permutation(length)[:singles]
        start.append(np.concatenate((given.start[row, :many].numpy(), alone)))
        end.append(np.concatenate((given.end[row, :many].numpy(), alone)))
        word.append(random.integers(1, 40, len(start[-1])))
        counts.append(random.integers(1, 900, len(start[-1])).astype(np.float32))
    ids = [row[:length].numpy() for row, length in zip(given.ids, given.lengths, strict=True)]
    return Lattice.of(ids, start, end, word=word, counts=counts)


BATCHES = {
    "ragged": (([9, 23, 1, 14], [6, 30, 0, 12]), 5),
    "no words": (([9, 3], [0, 0]), 0),
    "single characters alone": (([4, 1], [0, 0]), 9),
}


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def example() -> Lattice:
    """重庆人和药店 with its five words, and 你 with none."""
    ids = [np.arange(12).reshape(6, 2) + 2, np.array([[3, 4]])]
    start, end = numbers(0, 4, 2, 0, 2), numbers(1, 5, 3, 2, 5)
    return Lattice.of(
        ids, [start, numbers()], [end, numbers()], word=[numbers(2, 3, 4, 5, 6), numbers()]
    )


def together(length: int, size: int, stride: int, shifted: bool) -> set[tuple[int, ...]]:
    """The positions of each window of one sentence."""
    found = partition([length], size, Round(stride, shifted), torch.device("cpu"))
    if found is None:
        return set()
    take, real = found.take.view(-1, size), found.real
    return {tuple(row[seen].tolist()) for row, seen in zip(take, real, strict=True)}


def wider(given: Lattice) -> Lattice:
    """The same sentences with more padding."""
    assert given.word is not None
    return Lattice(
        torch.nn.functional.pad(given.ids, (0, 0, 0, 7)),
        given.lengths,
        *(torch.nn.functional.pad(part, (0, 5)) for part in (given.start, given.end)),
        given.words,
        word=torch.nn.functional.pad(given.word, (0, 5)),
    )
