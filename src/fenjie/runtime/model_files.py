"""The names of the files of a model folder."""

from __future__ import annotations

from fenjie.lexicon.file_names import LEXICON_FILES, SHARED
from fenjie.runtime.linear import CHARACTERS
from fenjie.runtime.linear import WEIGHTS as LINEAR_WEIGHTS

CONFIG, ONNX, WEIGHTS, CHECKSUMS = "config.toml", "model.onnx", "model.safetensors", "checksums.txt"
CARD, START = "README.md", "start.safetensors"

LABELS, TRANSITIONS = "labels.txt", "transitions.npy"
"""The names of what a model finds, a line each; the table of the CRF of a model of entities."""

WORDS = ("words.txt", "words.npy", "words.scale.npy", "words.index.npy", "words.unknown.npy")
"""The files of the words that a model of lattices reads; see `fenjie.lexicon.word_vectors`."""

ENCODER, TOKENIZER = "encoder.json", "tokenizer.json"
"""Hugging Face's config.json and tokenizer.json, of a model with a pretrained encoder."""

FILES = (
    *(CONFIG, ONNX, WEIGHTS, START, LABELS, TRANSITIONS),
    *("vocab.txt", "bigrams.txt", "variants.txt"),
    *(*LEXICON_FILES, SHARED, *WORDS, ENCODER, TOKENIZER, CHARACTERS, LINEAR_WEIGHTS),
    CARD,
)
"""The files of a model that `checksums.txt` covers, as far as they exist."""

NEEDED = ((CONFIG,), ("vocab.txt", CHARACTERS))
"""The files without which no folder is a model."""
