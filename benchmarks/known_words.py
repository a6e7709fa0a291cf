"""Words that a segmenter takes for words of its training text, of each standard, from now on.

    python -m benchmarks.known_words FOLDER WORDS…

FOLDER is a model of words with several standards, WORDS are files of words. The words go into its
lexicon too; the weights stay. Files are written in place, checksums last.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.scripts import parser, run
from fenjie.lexicon.arrays import open_array, save_array
from fenjie.lexicon.file_names import LEXICON_FILES, SHARED
from fenjie.lexicon.keys import word_keys
from fenjie.lexicon.word_files import read_words
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder


def main() -> None:
    """Add the words, say how many were new."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="a model of words")
    options.add_argument("words", nargs="+", type=Path, help="files of words")
    chosen = options.parse_args()
    words = [word for path in chosen.words for word in read_words(path)]
    print(f"{add(chosen.folder, words)} of {len(words)} words were not known")


def add(folder: Path, words: Sequence[str]) -> int:
    """Add words to a model folder; returns how many were not known to the first standard.

    Args:
        folder: the model.
        words: the words, normalised as its text is.
    """
    standards = ModelFolder.open(folder).standards
    new = np.unique(word_keys(words))
    general, trained = (np.array(open_array(folder / name, "words")) for name in LEXICON_FILES)
    shared = np.array(open_array(folder / SHARED, "the standards of words"))
    keys = np.union1d(trained, new)
    standing = np.zeros(len(keys), dtype=shared.dtype)
    standing[np.searchsorted(keys, trained)] = shared
    places = np.searchsorted(keys, new)
    unknown = int((standing[places] & 1 == 0).sum())
    standing[places] = (1 << len(standards)) - 1
    save_array(folder / LEXICON_FILES[0], np.union1d(general, new))
    save_array(folder / LEXICON_FILES[1], keys)
    save_array(folder / SHARED, standing)
    seal(folder)
    return unknown


if __name__ == "__main__":
    run(main)
