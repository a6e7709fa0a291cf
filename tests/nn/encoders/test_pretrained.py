"""A pretrained encoder's vectors of the characters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
import transformers

from fenjie.errors import FenjieError
from fenjie.lexicon.word_pieces import NONE
from fenjie.models.bert_crf import BertCrfConfig
from fenjie.nn.encoders.hugging_face import Encoder, open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeVectors
from tests.encoders import TEXTS, lattice
from tests.tiny_encoder import CHARACTERS, FAMILIES


def literal(encoder: Encoder, text: str, layers: int = 1) -> torch.Tensor:
    """The vectors of a text's characters, window by window and piece by piece."""
    found, states, begin = encoder.pieces(text), [], 0
    for length in found.windows.tolist():
        ids = torch.tensor(found.pieces[None, begin : begin + length].astype(np.int64))
        made = encoder.model(input_ids=ids, output_hidden_states=True)
        last = [states[0] for states in made.hidden_states[-layers:]]
        if layers > 1:  # side by side, each vector with a mean square of 1
            last = [one / one.square().mean(dim=-1, keepdim=True).sqrt() for one in last]
        states.append(torch.cat(last, dim=-1))
        begin += length
    rows = torch.cat(states)
    return torch.stack([
        torch.stack([rows[place] for place in places if place != NONE]).mean(dim=0)
        for places in found.piece.tolist()
    ])  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("layers", [1, 2])
def test_each_text_as_if_alone(encoders: dict[str, Encoder], family: str, layers: int) -> None:
    encoder = encoders[family]
    module = Pretrained(encoder.model, PretrainedConfig("x", layers=layers)).eval()
    with torch.no_grad():
        together = module(lattice(encoder, TEXTS)).split([len(text) for text in TEXTS])
        for text, found in zip(TEXTS, together, strict=True):
            assert found.shape == (len(text), module.dim)
            assert torch.allclose(found, literal(encoder, text, layers), atol=1e-5)
            assert torch.allclose(found, module(lattice(encoder, [text])), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_room_is_used_to_its_end(encoders: dict[str, Encoder], family: str) -> None:
    encoder = encoders[family]
    assert encoder.max_positions == 32
    assert encoder.pieces(CHARACTERS * 3).windows.max() == 32


def test_a_text_within_the_room_is_read_as_transformers_reads_it(folders: dict[str, Path]) -> None:
    encoder, text = open_encoder(str(folders["roberta-wwm"])), "北京大学abc我ab"
    cut = transformers.BertTokenizerFast(str(folders["roberta-wwm"] / "vocab.txt"))
    expected = encoder.model(**cut(text, return_tensors="pt")).last_hidden_state[0, 1:-1]
    module = Pretrained(encoder.model, PretrainedConfig("x")).eval()
    found = module(lattice(encoder, [text]))
    names = cut.convert_ids_to_tokens(cut(text)["input_ids"])[1:-1]
    assert names == [*"北京大学", "ab", "##c", "我", "ab"]
    pieces = [0, 1, 2, 3, 4, 4, 5, 6, 7, 7]
    assert torch.allclose(found, expected[pieces], atol=1e-5)


def test_frozen_and_tuned(folders: dict[str, Path]) -> None:
    text = TEXTS[:2]
    for frozen in (True, False):
        encoder = open_encoder(str(folders["bert"]))
        module = Pretrained(encoder.model, PretrainedConfig("x", frozen=frozen, dropout=0.5))
        vectors = LatticeVectors((5, 0, 4), None, (2, 0, 4), 0.0, 0.0, module).train()
        assert vectors.dim == 4 + 16
        assert encoder.model.training is not frozen
        made = vectors.of_characters(lattice(encoder, text))
        assert (made[:, 4:] == 0).any(), "its own dropout"
        assert (made[:, :4] != 0).all()
        made.square().sum().backward()
        touched = [weight.grad is not None for weight in encoder.model.parameters()]
        assert any(touched) is not frozen
        assert vectors.characters is not None and vectors.characters.weight.grad is not None


def test_beside_tables_a_vector_has_their_length(encoders: dict[str, Encoder]) -> None:
    encoder = encoders["bert"]
    module = Pretrained(encoder.model, PretrainedConfig("x")).eval()
    given = lattice(encoder, TEXTS[:2])
    alone = LatticeVectors(None, None, (2, 0, 4), 0.0, 0.0, module).eval()
    beside = LatticeVectors((5, 0, 4), None, (2, 0, 4), 0.0, 0.0, module).eval()
    with torch.no_grad():
        found, own = beside.of_characters(given)[:, 4:], module(given)
        assert torch.equal(alone.of_characters(given), own)
    assert torch.allclose(found.norm(dim=-1), torch.ones(len(found)))
    assert torch.allclose(found * own.norm(dim=-1, keepdim=True), own, atol=1e-5)


def test_settings_are_checked(encoders: dict[str, Encoder]) -> None:
    with pytest.raises(FenjieError, match="but the encoder has 2"):
        Pretrained(encoders["bert"].model, PretrainedConfig("x", layers=3))
    with pytest.raises(FenjieError, match="names no encoder"):
        BertCrfConfig(pretrained=PretrainedConfig())
    module = Pretrained(encoders["bert"].model, PretrainedConfig("x"))
    none = torch.zeros(1, 0, dtype=torch.int64)
    ids = torch.ones(1, 1, 1, dtype=torch.int64)
    bare = Lattice(ids, torch.tensor([1]), none, none, torch.tensor([0]), word=none)
    with pytest.raises(FenjieError, match="word pieces"):
        module(bare)
