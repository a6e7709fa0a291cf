"""From a model folder to a model in PyTorch, and to its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from safetensors.torch import load

from fenjie.errors import FileError, in_one_line
from fenjie.models import SEGMENTERS, TAGGERS
from fenjie.models.tagger import TaggerConfig, TaggerSizes
from fenjie.nn.components import ComponentSizes
from fenjie.nn.encoders.hugging_face import empty_encoder
from fenjie.nn.encoders.pretrained import Pretrained
from fenjie.recipe.toml import Document
from fenjie.runtime.decoding.gaps import spans as words_from
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.lattices import LatticeReader
from fenjie.runtime.model_files import CONFIG, ENCODER, WEIGHTS
from fenjie.runtime.sentences import SentenceReader
from fenjie.runtime.tagged_words import TaggedWordReader
from fenjie.tasks.scorer import TorchGapScorer, TorchScorer
from fenjie.text.invisible import Visible
from fenjie.text.span import Sentence


def load_model(folder: ModelFolder) -> Any:
    """The PyTorch model of a model folder, in evaluation mode, on the CPU.

    Raises:
        FileError: the folder has no weights, or they are not those of its config.
    """
    path = folder.file(WEIGHTS)
    document = Document.read(folder.path / CONFIG)
    name = folder.config["architecture"]
    known: dict[str, Any] = TAGGERS if folder.config["task"] == "ner" else SEGMENTERS
    if name not in known:
        raise document.error(("architecture",), "unknown architecture", found=name)
    config = document.build(known[name].Config, folder.config.get("model", {}), ("model",))
    sizes = folder.indexer.sizes if known is SEGMENTERS else _tagger_sizes(folder, config)
    model = known[name](config, sizes)
    try:
        model.load_state_dict(load(path.read_bytes()))
    except Exception as error:  # safetensors' errors have no common class with torch's
        raise FileError(path, f"not the weights of this model: {in_one_line(error)}") from error
    return model.eval()


def predict(
    folder: ModelFolder, texts: Sequence[str], standard: str | None = None
) -> list[Sentence]:
    """The words, by a standard of the model or its default, or the entities, by PyTorch.

    Raises:
        FileError: as `load_model`.
    """
    shown = [Visible(text) for text in texts]
    found = _predict(folder, [text.text for text in shown], standard)
    if folder.config["task"] == "ner" and not folder.tags_words:
        spans = [text.spans(each.spans) for text, each in zip(shown, found, strict=True)]
    else:
        starts = ([span.start for span in each.spans] for each in found)
        spans = [
            words_from(text.starts(each), len(text.origin))
            for text, each in zip(shown, starts, strict=True)
        ]
    return [Sentence(text, each) for text, each in zip(texts, spans, strict=True)]


def _predict(folder: ModelFolder, texts: Sequence[str], standard: str | None) -> list[Sentence]:
    """As `predict`, of texts of which everything is seen."""
    model = load_model(folder)
    if folder.config["task"] == "segment":
        reader = SentenceReader.of(folder, standard=standard)
        return reader.read(texts).sentences(TorchGapScorer(model))
    scorer, table = TorchScorer(model, folder.words), model.crf.table().numpy()
    if folder.tags_words:
        return TaggedWordReader(folder).read(texts).sentences(scorer)
    found = LatticeReader.of(folder).read(texts).entities(scorer, folder.tags, table)
    return [Sentence(text, spans) for text, spans in zip(texts, found, strict=True)]


def _tagger_sizes(folder: ModelFolder, config: TaggerConfig) -> TaggerSizes:
    inputs = folder.config.get("input", {})
    names = ("characters", "bigrams", "words")
    characters, pairs, words = (tuple(inputs[n]) if inputs.get(n) else None for n in names)
    if characters is None or words is None:
        raise FileError(folder.path / CONFIG, "[input] lacks the sizes of characters and words")
    pretrained = None
    if config.pretrained.name:
        pretrained = Pretrained(empty_encoder(folder.file(ENCODER)), config.pretrained)
    parts = inputs.get("components")
    components = ComponentSizes(*parts) if parts else None
    return TaggerSizes(characters, pairs, words, folder.tags, pretrained, components)
