"""Behaviour that no change of structure may change; `record.py` says how to record a wanted one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("accelerate", reason="needs the extra `train`")

import torch

from fenjie.runtime.folder import find
from fenjie.runtime.model_files import CONFIG
from tests.golden import observe, texts
from tests.golden.cases import EXPORTED, RECIPES
from tests.golden.record import SHIPPED, read

MODELS = read("models")
CASES = MODELS["cases"]
RECIPE_SETTINGS = read("recipes")
SAME_CHANCE = MODELS["torch"] == torch.__version__.partition("+")[0] and (
    torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
)
"""Whether random numbers are the recorded ones to the last bit."""
SHARED_PIECE = re.compile(r"[^\W\u3400-\u9fff]{2}")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@cache
def tiny(name: str) -> observe.Tiny:
    if "encoder" in CASES[name]["recipe"]:
        pytest.importorskip("transformers", reason="needs the extra `bert`")
    return observe.Tiny(name, CASES[name]["recipe"])


TIED = {"atssa.resume-fixed-threshold": {36}}
"""By case the odd texts whose two best paths are equal but for the last bits of a float, which are
others in ONNX Runtime, by which spans are recorded, than in PyTorch."""


def assert_spans(
    found: list[str],
    expected: list[str],
    page: list[str],
    *,
    encoder: bool = False,
    tied: Collection[int] = (),
) -> None:
    __tracebackhide__ = True
    assert len(found) == len(expected) == len(page)
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        # Letters that share a word piece have equal scores, so paths tie: the last bit decides.
        if number not in tied and not (encoder and SHARED_PIECE.search(page[number])):
            assert one == other, f"text {number}: {page[number][:200]!r}"


@pytest.mark.parametrize("name", CASES)
def test_first_weights(name: str) -> None:
    found, expected = tiny(name).weights(), CASES[name]["weights"]
    assert found["names"] == expected["names"], "names, types or shapes of weights"
    if not SAME_CHANCE:
        pytest.skip(f"the values were recorded with torch {MODELS['torch']} on AVX2 or AVX512")
    assert found["values"] == expected["values"]
    assert found["factorised"] == pytest.approx(expected["factorised"], rel=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_losses(name: str) -> None:
    assert tiny(name).losses() == pytest.approx(CASES[name]["losses"], rel=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_spans(name: str) -> None:
    found, expected = tiny(name).spans_by_torch(), CASES[name]
    encoder, tied = "encoder" in expected["recipe"], TIED.get(name, ())
    assert_spans(found, expected["spans"], texts.ODD, encoder=encoder, tied=tied)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPORTED)
def test_spans_of_the_exported_model(name: str) -> None:
    found, expected = tiny(name).spans(), CASES[name]
    assert_tagged(found, expected, texts.ODD)
    assert found["confidence"] == pytest.approx(expected["confidence"], rel=1e-4)


def with_moved(record: dict[str, Any], key: str) -> list[str]:
    return [record[key].get(str(number), old) for number, old in enumerate(record["spans"])]


def assert_tagged(found: dict[str, Any], expected: dict[str, Any], page: list[str]) -> None:
    __tracebackhide__ = True
    assert_spans(found["spans"], expected["spans"], page)
    assert_spans(with_moved(found, "words"), with_moved(expected, "words"), page)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ner", "ner-small"])
def test_shipped_entities_are_read_without_an_encoder(name: str) -> None:
    config = tomllib.loads((find(name) / CONFIG).read_text(encoding="utf-8"))
    assert config["name"] == name and config["model"]["pretrained"]["name"] == ""


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped(name: str) -> None:
    found, expected = observe.shipped(name), read(f"shipped-{name}")
    page = texts.everyday()
    assert_tagged(found, expected, page)
    rows = zip(found.get("confidences", ()), expected.get("confidences", ()), strict=True)
    for number, (one, other) in enumerate(rows):
        # in units of 0.00001
        assert one == pytest.approx(other, abs=11), f"text {number}: {page[number][:200]!r}"


@pytest.mark.parametrize("name", RECIPE_SETTINGS)
def test_recipe(name: str) -> None:
    # A key may go where its value is the default, and a new one may come: neither is recorded.
    path = RECIPES / name if name.endswith(".toml") else Path(name)  # one of the package
    assert observe.settings_of(path) == RECIPE_SETTINGS[name]
