"""Prepares a pre-training run: its folder and its text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from fenjie.errors import FileError
from fenjie.files import atomic, sha256
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.pretraining.encoder_folder import WEIGHTS
from fenjie.pretraining.packed_text import PackedText, pack
from fenjie.pretraining.settings import PretrainRecipe
from fenjie.recipe.recipe import differing, locate

TEXT, CHARACTERS = "text.npy", "characters.json"


def difference(one: PretrainRecipe, other: PretrainRecipe) -> str | None:
    """The first setting in which two recipes differ, in words; None where they are one run.

    How long a run goes on, over how much of it the rate falls, and what it keeps on the way may
    change.
    """
    free = {name: getattr(one.training, name) for name in ("millions", "cooldown", "keep")}
    alike = replace(other.training, **free)
    return differing(asdict(one), asdict(replace(other, training=alike)))


def checksums(recipe: PretrainRecipe) -> dict[str, str]:
    """The SHA-256 of each file of a recipe, by its name there, and of the weights it starts from.

    Raises:
        FenjieError: a file is missing or cannot be read.
    """
    start = [f"{recipe.start}/{WEIGHTS}"] if recipe.start else []
    return {name: sha256(locate(name)) for name in (*recipe.texts, *start)}


def packed_text(
    recipe: PretrainRecipe,
    files: Mapping[str, str],
    folder: Path,
    vocabulary: Sequence[str] = (),
) -> PackedText:
    """The text of a recipe, from the run's folder where it is there already.

    Args:
        recipe: which files.
        files: their checksums.
        folder: of the run.
        vocabulary: the characters to use; without it the most frequent ones of the text.

    Raises:
        FenjieError: as `fenjie.pretraining.packed_text.pack` does.
        FileError: the text in the folder is damaged.
    """
    size, encoding = recipe.encoder.characters, recipe.encoding
    texts = [files[name] for name in recipe.texts]
    made_of = {"size": size, "encoding": encoding, "files": texts}
    if vocabulary:
        made_of["vocabulary"] = "".join(vocabulary)
    if not (folder / CHARACTERS).exists() or _read(folder)["made_of"] != made_of:
        paths = [locate(name) for name in recipe.texts]
        text = pack(paths, size, encoding, vocabulary)
        save_array(folder / TEXT, text.ids)
        with atomic(folder / CHARACTERS) as made:
            values = {"made_of": made_of, "characters": text.characters}
            made.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8", newline="\n")
    ids = open_array(folder / TEXT, "the ids of a text")
    if ids.dtype != np.uint16 or ids.ndim != 1:
        raise FileError(folder / TEXT, "is damaged: it holds no ids of a text")
    return PackedText(ids, tuple(_read(folder)["characters"]))


def _read(folder: Path) -> dict[str, Any]:
    path = folder / CHARACTERS
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {name: values[name] for name in ("made_of", "characters")}
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(path, "is damaged; delete it, and it is made anew") from error
