"""The words of training texts of several standards: one file, and who has which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fenjie.errors import FileError
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.lexicon.file_names import LEXICON_FILES, SHARED
from fenjie.lexicon.lexicon import Lexicon


def save_words(folder: Path, words: Mapping[str, Lexicon]) -> None:
    """Write the words of each standard into a model folder.

    Raises:
        FileError: a file cannot be written.
    """
    keys = [lexicon.keys for lexicon in words.values()]
    together = np.unique(np.concatenate(keys))
    shared = np.zeros(len(together), dtype=np.min_scalar_type((1 << len(words)) - 1))
    for place, own in enumerate(keys):
        shared[np.searchsorted(together, own)] |= shared.dtype.type(1 << place)
    Lexicon(together).save(folder / LEXICON_FILES[1])
    save_array(folder / SHARED, shared)


def load_words(folder: Path, names: Sequence[str]) -> dict[str, Lexicon]:
    """The words of each standard, as `save_words` wrote them.

    Args:
        folder: the model folder.
        names: the standards, in the order in which they were written.

    Raises:
        FileError: a file is missing or damaged, or the files do not fit each other.
    """
    together = Lexicon.open(folder / LEXICON_FILES[1])
    shared = open_array(folder / SHARED, "the standards of words")
    if shared.dtype.kind != "u" or shared.shape != (together.fixed,):
        found = f"{shared.dtype} {shared.shape}"
        raise FileError(folder / SHARED, f"does not fit {LEXICON_FILES[1]}", found=found)
    if len(names) > (bits := 8 * shared.dtype.itemsize):
        expected = f"at least {len(names)}, one for each standard"
        raise FileError(folder / SHARED, f"has {bits} bits a word", expected=expected)
    return {name: together.part((shared & (1 << place)) > 0) for place, name in enumerate(names)}
