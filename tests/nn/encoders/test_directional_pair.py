"""The pair of language models: what each has read, padding, saving, and slowly by the equations."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoModel

from fenjie.nn.encoders.directional_pair import PairConfig, PairModel, register

WIDTH, DIM = 9, 8


@pytest.fixture(scope="module")
def pair() -> PairModel:
    torch.manual_seed(1)
    config = PairConfig(
        vocab_size=30,
        hidden_size=2 * DIM,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=16,
    )
    made = PairModel(config).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(torch.randn_like(weight) / 3)
    return made


def test_each_half_has_read_its_side_alone(pair: PairModel) -> None:
    ids = torch.randint(5, 30, (1, WIDTH))
    other = ids.clone()
    other[0, 4] = 5 + (other[0, 4] - 4) % 25
    with torch.no_grad():
        moved = (pair(ids).last_hidden_state - pair(other).last_hidden_state)[0].abs()
    assert torch.equal(moved[:, :DIM].amax(1) > 0, torch.arange(WIDTH) >= 4)
    assert torch.equal(moved[:, DIM:].amax(1) > 0, torch.arange(WIDTH) <= 4)


def test_padding_changes_nothing(pair: PairModel) -> None:
    ids = torch.randint(5, 30, (2, WIDTH))
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    with torch.no_grad():
        together = pair(ids, mask, output_hidden_states=True)
        alone = pair(ids[1:, :6], output_hidden_states=True)
    assert len(together.hidden_states) == 1 + pair.config.num_hidden_layers
    for one, other in zip(together.hidden_states, alone.hidden_states, strict=True):
        torch.testing.assert_close(one[1:, :6], other)
    assert torch.equal(together.last_hidden_state, together.hidden_states[-1])


def test_saved_and_opened(pair: PairModel, tmp_path: Path) -> None:
    register()
    pair.save_pretrained(tmp_path)
    again = AutoModel.from_pretrained(tmp_path).eval()
    ids = torch.randint(5, 30, (2, WIDTH))
    with torch.no_grad():
        assert torch.equal(pair(ids).last_hidden_state, again(ids).last_hidden_state)


def test_slowly(pair: PairModel) -> None:
    ids = torch.randint(5, 30, (1, WIDTH))
    with torch.no_grad():
        found = pair(ids).last_hidden_state[0]
        forwards = slow(pair.forwards, pair.vectors(ids[0]))
        backwards = slow(pair.backwards, pair.vectors(ids[0].flip(0))).flip(0)
    torch.testing.assert_close(found, torch.cat((forwards, backwards), -1), rtol=1e-4, atol=1e-5)


def slow(model: nn.Module, vectors: Tensor) -> Tensor:
    """One model, a piece and a head at a time: `[width, dim] -> [width, dim]`."""
    states = model.get_submodule("embeddings.norm")(vectors)
    for number, layer in enumerate(model.get_submodule("layers").children()):
        attention, mlp = layer.get_submodule("attn"), layer.get_submodule("mlp")
        # The embeddings are normed already.
        normed = layer.get_submodule("attn_norm")(states) if number else states
        q, k, v = (
            attention.get_submodule(f"{name}_proj")(normed).view(WIDTH, 2, DIM // 2)
            for name in "qkv"
        )
        mixed = torch.zeros(WIDTH, 2, DIM // 2)
        for place in range(WIDTH):
            for head in range(2):
                scores = torch.stack(
                    [
                        rotated(q[place, head], place) @ rotated(k[j, head], j)
                        for j in range(place + 1)
                    ]
                )
                weights = torch.softmax(scores / (DIM // 2) ** 0.5, 0)
                mixed[place, head] = weights @ v[: place + 1, head]
        states = states + attention.get_submodule("Wo")(mixed.flatten(1))
        given, gate = mlp.get_submodule("Wi")(layer.get_submodule("mlp_norm")(states)).chunk(2, -1)
        states = states + mlp.get_submodule("Wo")(F.gelu(given) * gate)
    normed: Tensor = model.get_submodule("final_norm")(states)
    return normed


def rotated(vector: Tensor, place: int, base: float = 160_000.0) -> Tensor:
    """A vector turned by its place (Su et al. 2021), its halves as real and imaginary parts."""
    half = len(vector) // 2
    turned = vector.clone()
    for i in range(half):
        angle = torch.tensor(place * base ** (-i / half))
        one, other = vector[i], vector[i + half]
        turned[i] = one * angle.cos() - other * angle.sin()
        turned[i + half] = other * angle.cos() + one * angle.sin()
    return turned
