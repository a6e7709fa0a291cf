"""The files that a run reads, by whose checksums a resumed run knows that they are the same."""

from __future__ import annotations

from pathlib import Path

from fenjie.files import sha256
from fenjie.recipe.recipe import Recipe, VocabularyRecipe, locate
from fenjie.runtime.model_files import CHECKSUMS
from fenjie.tasks.corpora import checksums
from fenjie.tasks.encoder_inputs import encoder_folder
from fenjie.tasks.start import start_folder

TABLES = (".npy", ".txt")
"""The ends of the names of the files in a folder of vectors that are read."""

ENCODERS = (".bin", ".json", ".model", ".safetensors", ".txt")
"""Those of an encoder's settings, weights and tokenizer."""


def read_by(recipe: Recipe) -> dict[str, str]:
    """The SHA-256 of each file that a run reads, by its name in the recipe.

    They are those of the data, of the vocabulary, of the pretrained encoder, and that of the model
    to start from, which holds the checksums of its own files. An encoder on the hub has none here.

    Raises:
        FenjieError: a file is missing or cannot be read.
    """
    found = checksums(recipe.data) | _of_vocabulary(recipe.vocabulary)
    if recipe.task == "ner":
        config = recipe.model.pretrained
        if (folder := encoder_folder(config)) is not None and folder.is_dir():
            found |= _inside(config.name, folder, ENCODERS)
    if (start := recipe.training.start) is not None:
        found[start] = sha256(start_folder(start) / CHECKSUMS)
    return found


def _of_vocabulary(recipe: VocabularyRecipe) -> dict[str, str]:
    """Those of the dictionaries, the components and the tables of vectors."""
    names = [*recipe.lexicon, *([] if recipe.components is None else [recipe.components])]
    found = {name: sha256(locate(name)) for name in names}
    if (vectors := recipe.vectors) is not None:
        found |= _inside(vectors, locate(vectors), TABLES)
    return found


def _inside(name: str, folder: Path, ends: tuple[str, ...]) -> dict[str, str]:
    """Those of the files in a folder that a recipe names, if their names end so."""
    paths = sorted(path for path in folder.iterdir() if path.suffix in ends)
    return {f"{name}/{path.name}": sha256(path) for path in paths}
