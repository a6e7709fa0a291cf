"""Encoders of Hugging Face: from the hub or a folder, and made anew from their settings.

Needs the package `transformers`, which is imported when an encoder is wanted.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

from fenjie.errors import FenjieError, FileError, first_line, needing
from fenjie.lexicon.word_pieces import PieceTokenizer, word_pieces

DEFAULT_POSITIONS = 512
"""Max positions of an encoder that sets no limit itself."""

VOCABULARIES = ("vocab.json", "spiece.model", "spm.model", "sentencepiece.bpe.model")
"""Files of other tokenizers, from which `transformers` can make a `tokenizer.json`."""


class Encoder(NamedTuple):
    """An encoder with all that belongs to it.

    Attributes:
        model: the model of `transformers`.
        settings: its settings, as `config.json` holds them.
        tokenizer: the content of a `tokenizer.json`.
        max_positions: most pieces that it can read at once, the special ones included.
    """

    model: Any
    settings: str
    tokenizer: str
    max_positions: int

    @property
    def pieces(self) -> PieceTokenizer:
        """The tokenizer of its pieces."""
        return PieceTokenizer(self.tokenizer, self.max_positions)


def open_encoder(name: str) -> Encoder:
    """Load an encoder with its weights and its tokenizer.

    A name on the hub is fetched over the network; what an earlier fetch has left in the cache is
    used again, after the hub was asked whether it is still the newest, or where it does not answer.

    Args:
        name: a folder in the form of `transformers`, or a name on the hub.

    Raises:
        FenjieError: it is not there, is no encoder, lacks weights or a tokenizer; or
            `transformers` is missing.
    """
    library = _library()
    if not Path(name).is_dir() and (Path(name).is_absolute() or name.startswith((".", "~"))):
        raise FenjieError(f"{name}: no such folder of an encoder")
    try:
        config = library.AutoConfig.from_pretrained(name, trust_remote_code=False)
    except Exception as error:  # of several classes
        raise FenjieError(f"no encoder {name!r}: {first_line(error)}") from error
    _check_kind(name, config)
    tokenizer = _tokenizer(name)
    model = _weights(name, config)
    found = Encoder(model, config.to_json_string(use_diff=False), tokenizer, _max_positions(model))
    if (size := len(found.pieces)) > config.vocab_size:
        raise FenjieError(
            f"the encoder {name!r} has vectors for {config.vocab_size} pieces, but its tokenizer "
            f"has {size}"
        )
    return found


def empty_encoder(path: Path) -> Any:
    """An encoder without its weights, drawn at random, from its settings.

    Args:
        path: its `config.json`.

    Raises:
        FileError: the settings are not those of an encoder.
        FenjieError: `transformers` is missing.
    """
    library = _library()
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        config = library.AutoConfig.for_model(values.pop("model_type"), **values)
        return _without_pooler(library.AutoModel.from_config(config).float())
    except Exception as error:
        reason = f"not the settings of an encoder: {first_line(error)}"
        raise FileError(path, reason) from error


def _weights(name: str, config: Any) -> Any:
    """The model with its weights, which must be those of its settings."""
    from transformers.utils import logging as remarks

    verbosity, bars = remarks.get_verbosity(), remarks.is_progress_bar_enabled()
    remarks.set_verbosity(logging.ERROR)  # no remarks on other parts of the file
    remarks.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model, report = _library().AutoModel.from_pretrained(
            name,
            config=config,
            trust_remote_code=False,
            use_safetensors=True,  # other files of weights may run code when they are read
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
    except Exception as error:
        raise FenjieError(f"the encoder {name!r} cannot be loaded: {first_line(error)}") from error
    finally:
        remarks.set_verbosity(verbosity)
        if bars:
            remarks.enable_progress_bar()  # type: ignore[no-untyped-call]
    # Many files hold no weights of the pooler, which comes after the encoder.
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler"))
    if missing:
        raise FenjieError(f"the encoder {name!r} lacks weights, such as {missing[0]}")
    if other := sorted(key for key, *_ in report["mismatched_keys"]):
        raise FenjieError(
            f"the encoder {name!r} has weights of other sizes than its settings say, such as "
            f"{other[0]}"
        )
    return _without_pooler(model).float()


def _check_kind(name: str, config: Any) -> None:
    """Refuse decoders, and encoders that are a part of a larger model."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    from fenjie.nn.encoders.directional_pair import KIND

    if getattr(config, "is_encoder_decoder", False):
        what = "an encoder with a decoder"
    elif getattr(config, "is_decoder", False):
        what = "a decoder"
    elif config.model_type not in (*MODEL_FOR_MASKED_LM_MAPPING_NAMES, KIND):
        what = "no encoder that learns from masked text"
    else:
        return
    raise FenjieError(
        f"{name!r} is {what} ({config.model_type}); expected an encoder such as a BERT"
    )


def _tokenizer(name: str) -> str:
    """The `tokenizer.json` of an encoder, made of other files where it has none.

    A `vocab.txt` is read as BERT's: Chinese encoders of all families have that one, and some name
    the tokenizer of their family in their settings, which is another.
    """
    from transformers.utils.hub import cached_file

    def file(part: str) -> Path | None:
        found = cached_file(name, part, _raise_exceptions_for_missing_entries=False)
        return None if found is None else Path(found)

    try:
        if (path := file("tokenizer.json")) is not None:
            return path.read_text(encoding="utf-8")
        if (path := file("vocab.txt")) is not None:
            settings = file("tokenizer_config.json")
            values = {} if settings is None else json.loads(settings.read_text(encoding="utf-8"))
            return word_pieces(path, values)
        if any(file(part) is not None for part in VOCABULARIES):
            made: str = _library().AutoTokenizer.from_pretrained(name).backend_tokenizer.to_str()
            return made
    except FenjieError:
        raise
    except Exception as error:
        reason = f"the tokenizer of the encoder {name!r} cannot be read: {first_line(error)}"
        raise FenjieError(reason) from error
    names = ", ".join(("tokenizer.json", "vocab.txt", *VOCABULARIES))
    raise FenjieError(f"the encoder {name!r} has no tokenizer; expected one of {names}")


def _without_pooler(model: Any) -> Any:
    """Drop the pooler, which comes after the encoder and would never be used."""
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


def _max_positions(model: Any) -> int:
    """Most pieces that an encoder can read at once."""
    most = getattr(model.config, "max_position_embeddings", None) or DEFAULT_POSITIONS
    if most < 1:
        return DEFAULT_POSITIONS
    # RoBERTa counts positions from the one after the number of its padding.
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(most if padding is None else most - padding - 1)


def _library() -> Any:
    with needing("a pretrained encoder needs", "bert"):
        import transformers

        from fenjie.nn.encoders.directional_pair import register
    register()
    return transformers
