"""A frozen encoder that reads each window once."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.nn.encoders import read_once
from fenjie.nn.encoders.hugging_face import Encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.nn.encoders.read_once import ReadOnce
from tests.encoders import TEXTS, lattice
from tests.tiny_encoder import FAMILIES

PIECES = torch.tensor([[5, 6, 7], [5, 6, 0], [5, 6, 7]])
LENGTHS = torch.tensor([3, 2, 3])


class Reader:
    """Counts what it reads; the state of a piece is the piece, twice."""

    def __init__(self) -> None:
        self.read: list[list[int]] = []

    def __call__(self, pieces: Tensor, mask: Tensor) -> Tensor:
        assert mask.all() and mask.shape == pieces.shape
        self.read.extend(pieces.tolist())
        return pieces[..., None].expand(*pieces.shape, 2).double()


def test_each_window_once() -> None:
    reader, kept = Reader(), ReadOnce()
    for _ in range(2):
        made = kept(PIECES, LENGTHS, reader)
        assert torch.equal(made, PIECES[..., None].expand(3, 3, 2).double())
    assert reader.read == [[5, 6, 7], [5, 6]]


def test_what_finds_no_room_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_once, "memory", lambda _: 4 * (3 * 2 * 8))
    reader, kept = Reader(), ReadOnce()
    for _ in range(2):
        made = kept(PIECES, LENGTHS, reader)
        assert torch.equal(made[..., 0].long(), PIECES)
    assert reader.read == [[5, 6, 7], [5, 6], [5, 6]]


def test_a_machine_that_does_not_tell_its_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    device = torch.device("cpu")
    assert read_once.memory(device) > 0
    monkeypatch.delattr(read_once.os, "sysconf")
    monkeypatch.setattr(read_once, "CONTAINER", tmp_path / "memory.max")
    assert read_once.memory(device) == 2**33
    (tmp_path / "memory.max").write_text("max\n")
    assert read_once.memory(device) == 2**33
    (tmp_path / "memory.max").write_text(f"{2**30}\n")
    assert read_once.memory(device) == 2**30


@pytest.mark.parametrize("family", FAMILIES)
def test_the_vectors_of_characters_stay_the_same(encoders: dict[str, Encoder], family: str) -> None:
    encoder = encoders[family]
    module = Pretrained(encoder.model, PretrainedConfig("x", frozen=True)).eval()
    given = lattice(encoder, TEXTS)
    expected = module(given)
    module.read_once()
    first = module(given)
    assert torch.allclose(first, expected, atol=1e-5)
    assert torch.equal(module(given), first)
    alone = [module(lattice(encoder, [text])) for text in TEXTS]
    assert torch.equal(torch.cat(alone), first)


def test_an_encoder_that_changes_cannot(encoders: dict[str, Encoder]) -> None:
    module = Pretrained(encoders["bert"].model, PretrainedConfig("x"))
    with pytest.raises(FenjieError, match="has to read each window anew"):
        module.read_once()
