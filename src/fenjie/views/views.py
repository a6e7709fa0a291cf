"""The view of a model on a text: its characters, its words, the weights of its attention."""

from __future__ import annotations

from dataclasses import dataclass

from fenjie.errors import FenjieError, FileError, needing, shorten, shown
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.model_files import CONFIG, WEIGHTS
from fenjie.runtime.rows import Row
from fenjie.text.invisible import visible
from fenjie.text.split import window_of


def characters_of(folder: ModelFolder, text: str) -> list[str]:
    """Return the characters of a text as a model sees them: no whitespace, no `invisible` ones.

    Raises:
        FenjieError: there is nothing but whitespace, or bytes that are no text.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:  # what cannot be decoded of an argument is a surrogate
        raise FenjieError(f"not text in UTF-8: {shorten(text)}") from error
    seen = Row([visible(text)], folder.normaliser).codes.tolist()
    if not seen:
        raise FenjieError("there is nothing to show but whitespace")
    return list(map(chr, seen))


def words_of(folder: ModelFolder, text: str) -> list[tuple[int, int]]:
    """Return the lexicon words that a model is given of a text.

    Returns:
        Half-open offsets into the characters of `characters_of`, by length, then start.

    Raises:
        FileError: the model reads no words.
    """
    if folder.finder is None:
        raise FileError(
            folder.path, "is a model without a lexicon", expected="one that reads words"
        )
    start, end = LatticeReader.of(folder).read([visible(text)]).view.words()
    words = zip(start.tolist(), end.tolist(), strict=True)
    return sorted(words, key=lambda word: (word[1] - word[0], word[0]))


@dataclass(frozen=True)
class Attention:
    """The attention of a model on one sentence.

    Attributes:
        layers: the weights of each layer, `[heads][queries][keys]`; 0 where a key is not kept.
        names: the characters, then the words, as far as they are queries or keys.
    """

    layers: list[list[list[list[float]]]]
    names: list[str]


class Observer:
    """A model whose attention is looked at, on as many sentences as one likes."""

    def __init__(self, folder: ModelFolder) -> None:
        """Load a model with its weights.

        Raises:
            FenjieError: PyTorch is not installed, or the folder has no weights or is no model of
                entities.
        """
        with needing("this needs", "train"):
            from fenjie.nn.attention.observed import kept_attention
            from fenjie.store.load import load_model
            from fenjie.tasks.scorer import TorchScorer
        if not (folder.path / WEIGHTS).is_file():
            raise FileError(
                folder.path / WEIGHTS, "is missing", expected="the folder model/ of a training run"
            )
        if folder.config["task"] != "ner":
            raise FileError(folder.path / CONFIG, "is no model of named entities")
        self._folder, self._observe = folder, kept_attention
        self._model = load_model(folder)
        self._lattice = TorchScorer(self._model, folder.words).lattice

    def __call__(self, text: str) -> Attention:
        """Run the model on one sentence and record its attention.

        Raises:
            FenjieError: the text is empty or not one sentence, or the model has no attention that
                can be drawn.
        """
        characters = _sentence(self._folder, text)
        reading = LatticeReader.of(self._folder).read([visible(text)])
        batches = list(reading.view.batches())
        if len(batches) != 1 or len(batches[0].lengths) != 1:
            raise FenjieError("the text has several lines or sentences; expected one")
        (batch,) = batches
        found = self._observe(self._model, self._lattice(batch))
        if not found:
            name = self._folder.config["architecture"]
            raise FenjieError(f"{name} has no attention that can be drawn")
        count = int(batch.words[0])
        spans = zip(batch.start[0, :count].tolist(), batch.end[0, :count].tolist(), strict=True)
        words = ["".join(characters[start : end + 1]) for start, end in spans]
        layers = [weights.tolist() for weights in found]
        return Attention(layers, [shown(name) for name in [*characters, *words]])


def attention_of(folder: ModelFolder, text: str) -> Attention:
    """Run a model on one sentence and record its attention.

    Raises:
        FenjieError: as an `Observer` does.
    """
    _sentence(folder, text)  # before the model is loaded
    return Observer(folder)(text)


def _sentence(folder: ModelFolder, text: str) -> list[str]:
    """The characters of a text that is short enough."""
    characters = characters_of(folder, text)
    longest = window_of(folder.passage)
    if len(characters) > longest:
        raise FenjieError(
            f"the text has {len(characters)} characters; expected a sentence of up to {longest}"
        )
    return characters
