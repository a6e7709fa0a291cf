"""Writes an encoder as a folder in the form of `transformers`, with a tokenizer of characters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import save
from torch import Tensor

from fenjie import __version__
from fenjie.errors import needing
from fenjie.files import atomic
from fenjie.lexicon.word_pieces import SPECIAL
from fenjie.pretraining.packed_text import BEGIN, END
from fenjie.pretraining.settings import PretrainRecipe
from fenjie.recipe.toml import dump
from fenjie.store.provenance import cpu

WEIGHTS = "model.safetensors"


def write_encoder(
    folder: Path,
    settings: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    characters: Sequence[str],
    card: str,
) -> None:
    """Write an encoder, whole or not at all.

    Args:
        folder: to be written, or replaced.
        settings: what its `config.json` holds.
        weights: by their names in `transformers`; they are rounded to float16.
        characters: of the vocabulary.
        card: what stands in its README.md.

    Raises:
        FileError: the file system refuses.
    """
    half = {name: weight.detach().cpu().half().contiguous() for name, weight in weights.items()}
    texts = {
        "config.json": json.dumps({**settings, "dtype": "float16"}, indent=2, sort_keys=True),
        "tokenizer.json": character_tokenizer(characters),
        "tokenizer_config.json": json.dumps(_TOKENIZER, indent=2),
        "README.md": card.rstrip(),
    }
    with atomic(folder) as made:
        made.mkdir()
        (made / WEIGHTS).write_bytes(save(half, {"format": "pt"}))
        for name, text in texts.items():
            (made / name).write_text(f"{text}\n", encoding="utf-8", newline="\n")


CURVE = 20
"""Most points of the curve that a card shows, and one more."""

_TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    **{f"{name[1:-1].lower()}_token": name for name in SPECIAL},
}


def character_tokenizer(characters: Sequence[str]) -> str:
    """The `tokenizer.json` that makes each character of the form NFKC a piece."""
    with needing("pre-training an encoder needs", "bert"):
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    ids = {piece: number for number, piece in enumerate((*SPECIAL, *characters))}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    made.post_processor = processors.BertProcessing(("[SEP]", END), ("[CLS]", BEGIN))
    made.add_special_tokens(list(SPECIAL))
    text: str = made.to_str()
    return text


def card(
    recipe: PretrainRecipe,
    command: str,
    characters: int,
    curve: Sequence[Mapping[str, float]],
    hours: float,
) -> str:
    """The card of an encoder: texts, curve, command, recipe.

    Args:
        recipe: of the run.
        command: that trains it.
        characters: number of characters seen.
        curve: `characters`, `held_out` (loss in nats a character, the mean of both ways of reading)
            and `found` (share of them that is predicted rightly), in the order of the run.
        hours: that the run took so far.
    """
    sizes = recipe.encoder
    texts = "\n".join(f"- `{name}`" for name in recipe.texts)
    start = (
        f" It goes on from `{recipe.start}`, and has the vocabulary of that."
        if recipe.start
        else ""
    )
    shown = curve[:: max(len(curve) // CURVE, 1)]
    if curve and shown[-1] != curve[-1]:
        shown = [*shown, curve[-1]]
    rows = "\n".join(
        f"| {at['characters'] / 1e6:.1f} | {at['held_out']:.3f} | {100 * at['found']:.1f} |"
        for at in shown
    )
    return f"""\
# An encoder of Chinese characters

Two ModernBERTs of {sizes.layers} layers of {sizes.dim}: one has learnt to predict each \
character from those before it, one from those after it. Its pieces are characters, in the form \
NFKC, without whitespace. Its kind is fenjie's own: fenjie opens it (`[model.pretrained]`), and \
`transformers` once `fenjie.nn.encoders.directional_pair.register()` was called. Made by fenjie \
{__version__}.{start}

## Texts

{texts}

The texts are not part of the encoder; their own terms apply.

## Curve

After {characters:,} characters, {hours:.1f} hours on {cpu()}, on \
{recipe.training.held_out} rows that were held out:

| million characters | loss | characters predicted, % |
|---|---|---|
{rows}

## Made by

`{command}`

```toml
{dump(asdict(recipe)).rstrip()}
```
"""
