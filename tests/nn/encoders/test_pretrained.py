"""A pretrained encoder's vectors of the characters."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

import torch
import transformers
from safetensors.torch import load_file, save_file

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon.word_pieces import NONE, WordPieceBatch
from fenjie.models.bert_crf import BertCrf, BertCrfConfig
from fenjie.models.tagger import TaggerSizes
from fenjie.nn.encoders.hugging_face import Encoder, empty_encoder, open_encoder
from fenjie.nn.encoders.pretrained import Pretrained, PretrainedConfig
from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_vectors import LatticeVectors
from fenjie.recipe.recipe import TrainingRecipe
from fenjie.text.tags import TagSet
from fenjie.training.optimizers import make_optimizer
from tests.tiny_encoder import CHARACTERS, FAMILIES, VOCABULARY, tiny_encoder, word_piece

TEXTS = ["北京大学abcab", "鬱", "12天气\x00", "😀我们cafe", CHARACTERS * 2]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("encoders")
    return {family: tiny_encoder(folder / family, family) for family in FAMILIES}


@pytest.fixture(scope="module")
def encoders(folders: dict[str, Path]) -> dict[str, Encoder]:
    return {family: open_encoder(str(folder)) for family, folder in folders.items()}


def lattice(encoder: Encoder, texts: list[str]) -> Lattice:
    none = [np.empty(0, dtype=np.int64)] * len(texts)
    return Lattice.of(
        [np.full((len(text), 1), 1) for text in texts],
        none,
        none,
        word=none,
        word_pieces=WordPieceBatch.of([encoder.pieces(text) for text in texts]),
    )


def literal(encoder: Encoder, text: str, layers: int = 1) -> torch.Tensor:
    """The vectors of a text's characters, window by window and piece by piece."""
    found, states, begin = encoder.pieces(text), [], 0
    for length in found.windows.tolist():
        ids = torch.tensor(found.pieces[None, begin : begin + length].astype(np.int64))
        made = encoder.model(input_ids=ids, output_hidden_states=True)
        states.append(sum(made.hidden_states[-1 - i][0] for i in range(layers)) / layers)
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


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("lstm", [True, False])
def test_two_steps(folders: dict[str, Path], optimizer: str, frozen: bool, lstm: bool) -> None:
    encoder, tags = open_encoder(str(folders["electra"])), TagSet(["PER"])
    config = PretrainedConfig("x", frozen=frozen)
    sizes = TaggerSizes((5, 0, 4), None, (2, 0, 4), tags, Pretrained(encoder.model, config))
    model = BertCrf(BertCrfConfig(lstm=lstm, hidden=5, pretrained=config), sizes).train()
    settings = TrainingRecipe(optimizer=optimizer, pretrained_rate=0.25)  # type: ignore[arg-type]
    steps = make_optimizer(model, settings)
    assert [group["factor"] for group in steps.param_groups][-1] == (1.0 if frozen else 0.25)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    batch = lattice(encoder, TEXTS[:3])
    gold = torch.where(batch.mask, 0, -100)
    losses = []
    for _ in range(2):
        for group in steps.param_groups:
            group["lr"] = 0.02 * group["factor"]
        loss = model.loss(model(batch), gold)
        loss.backward()
        steps.step()
        steps.zero_grad()
        losses.append(loss.item())
    after = model.state_dict()
    moved = {n: (after[n] - before[n]).abs().max().item() for n in before if before[n].numel()}
    inner = [value for name, value in moved.items() if "pretrained.encoder" in name]
    assert moved["output.weight"] > 0
    assert (max(inner) > 0) is not frozen
    if optimizer == "adam" and not frozen:
        assert max(inner) < 0.6 * moved["output.weight"], "a rate of its own"


def test_settings_make_the_same_encoder(encoders: dict[str, Encoder], tmp_path: Path) -> None:
    for family, encoder in encoders.items():
        path = tmp_path / f"{family}.json"
        path.write_text(encoder.settings, encoding="utf-8")
        again = empty_encoder(path)
        again.load_state_dict(encoder.model.state_dict())
        ids = torch.tensor([[2, 9, 8, 7, 3]])
        first, second = (m.eval()(input_ids=ids)[0] for m in (encoder.model, again))
        assert torch.equal(first, second)
        assert not any("pooler" in name for name in encoder.model.state_dict())
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FileError, match="not the settings of an encoder"):
        empty_encoder(path)


def test_files_of_an_older_tokenizer(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(altered(folders["roberta"], tmp_path / "old"))
    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    merges = "".join(f"{' '.join(pair)}\n" for pair in model["merges"])
    (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}", encoding="utf-8")
    one, other = (open_encoder(str(name)).pieces for name in (folders["roberta"], folder))
    for text in TEXTS:
        assert [part.tolist() for part in one(text)] == [part.tolist() for part in other(text)]


def altered(folder: Path, target: Path, **settings: Any) -> str:
    """A copy of an encoder with other settings."""
    shutil.copytree(folder, target)
    path = target / "config.json"
    values = json.loads(path.read_text(encoding="utf-8")) | settings
    path.write_text(json.dumps(values), encoding="utf-8")
    return str(target)


def test_what_is_no_encoder(folders: dict[str, Path], tmp_path: Path) -> None:
    bert = folders["bert"]
    wrong = {
        "is no encoder that learns from masked text": altered(
            bert, tmp_path / "gpt", model_type="gpt2"
        ),
        "is a decoder": altered(bert, tmp_path / "decoder", is_decoder=True),
        "is an encoder with a decoder": altered(bert, tmp_path / "bart", model_type="bart"),
        "no encoder": altered(bert, tmp_path / "none", model_type="nothing"),
        "weights of other sizes": altered(bert, tmp_path / "size", hidden_size=24),
        "has vectors for 57 pieces, but its tokenizer has 58": altered(bert, tmp_path / "more"),
        "no such folder": str(tmp_path / "nowhere"),
    }
    (tmp_path / "vocab.txt").write_text("\n".join([*VOCABULARY, "more"]), encoding="utf-8")
    (tmp_path / "more" / "tokenizer.json").write_text(word_piece(tmp_path), encoding="utf-8")
    empty = altered(bert, tmp_path / "bald")
    (tmp_path / "bald" / "config.json").unlink()
    bare = altered(bert, tmp_path / "bare")
    (tmp_path / "bare" / "tokenizer.json").unlink()
    (tmp_path / "bare" / "tokenizer_config.json").unlink(missing_ok=True)
    weightless = altered(bert, tmp_path / "weightless")
    (tmp_path / "weightless" / "model.safetensors").unlink()
    part = altered(bert, tmp_path / "part")
    tensors = load_file(tmp_path / "part" / "model.safetensors")
    kept = {name: value for name, value in tensors.items() if "layer.1" not in name}
    save_file(kept, tmp_path / "part" / "model.safetensors", {"format": "pt"})
    pickled = shutil.copytree(weightless, tmp_path / "pickled")
    torch.save(kept, pickled / "pytorch_model.bin")
    wrong |= {"no encoder '": empty, "has no tokenizer": bare}
    for message, name in [
        *wrong.items(),
        ("cannot be loaded", weightless),
        ("cannot be loaded", pickled),  # unpickling may run code
        ("lacks weights", part),
    ]:
        with pytest.raises(FenjieError) as caught:
            open_encoder(name)
        assert message in str(caught.value), caught.value
        assert "\n" not in str(caught.value)


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


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, folders: dict[str, Path]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(FenjieError, match=r"pip install 'fenjie\[bert\]'"):
        open_encoder(str(folders["bert"]))
