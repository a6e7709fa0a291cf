"""TENER and ATSSA as ONNX programs."""

from __future__ import annotations

from typing import Any

from fenjie.export.parts import CharacterInputs, Parts
from fenjie.export.relative import RelativeWriter
from fenjie.export.word_fusion import word_fusion
from fenjie.models.atssa import Atssa
from fenjie.models.fusing import FusingTagger
from fenjie.models.tener import Tener


def tener_program(model: Tener) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters = parts.characters(model.embedding)
    x = parts.linear(characters.vectors, model.project)
    x = RelativeWriter(parts, characters).encoder(model.encoder, x)
    return parts.program(parts.linear(x, model.output), len(model.tags))


def atssa_program(model: Atssa) -> Any:
    """Likewise."""
    parts = Parts()
    characters, x = joined(parts, model)
    x = RelativeWriter(parts, characters).encoder(model.encoder, x)
    return parts.program(parts.linear(x, model.output), len(model.tags))


def joined(parts: Parts, model: FusingTagger) -> tuple[CharacterInputs, str]:
    """The inputs of a model, and each character joined to the mixture of its words.

    Returns:
        The characters, and `[batch, length, dim]`.
    """
    characters = parts.characters(model.embedding)
    x = parts.linear(characters.vectors, model.project_characters)
    if model.lexicon:
        words = parts.words(model.embedding)
        w = parts.linear(words.vectors, model.project_words)
        found = word_fusion(parts, model.fusion, characters, words, x, w)
        x = parts.linear(parts.add("Concat", x, found, axis=2), model.join)
    return characters, x
