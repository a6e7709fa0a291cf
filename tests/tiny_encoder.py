"""Encoders of several families, tiny and random, in the folders that `transformers` makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

CHARACTERS = "今天气很好我们去了北京大学上海市广州张三丰李小福王明雷和在说的，。：！0123"

VOCABULARY = [*SPECIAL, *CHARACTERS, *"abcdef", "##b", "##c", "##2", "##3", "ab", "##cd", "cafe"]
"""Chinese characters, digits, and Latin words in pieces."""

FAMILIES = ("bert", "roberta-wwm", "albert", "electra", "roberta", "pair")
"""`roberta-wwm` is what Chinese models of that name are: a BERT with a `vocab.txt` and no more;
`pair` is what `fenjie pretrain` makes."""


def tiny_encoder(folder: Path, family: str = "bert", room: int = 32, **settings: Any) -> Path:
    """Write an encoder with its weights and its tokenizer; a folder like those on the hub."""
    import torch
    import transformers

    from fenjie.nn.encoders.directional_pair import PairConfig, PairModel

    torch.manual_seed(len(family))
    folder.mkdir(parents=True)
    size = write_bytes(folder) if family == "roberta" else len(VOCABULARY)
    sizes = {
        "vocab_size": size,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": room + 2 if family == "roberta" else room,
        **settings,
    }
    if family in ("albert", "electra"):
        sizes["embedding_size"] = 8
    if family == "pair":
        model: Any = PairModel(PairConfig(**sizes))
    else:
        kinds = {"roberta-wwm": "Bert", "bert": "Bert", "roberta": "Roberta"}
        name = kinds.get(family, family.title())
        config = getattr(transformers, f"{name}Config")(**sizes)
        # What lies on the hub comes from pretraining: with a head, without a pooler.
        model = getattr(transformers, f"{name}ForMaskedLM")(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) / 5)
    model.save_pretrained(folder)
    if family != "roberta":
        text = "".join(f"{piece}\n" for piece in VOCABULARY)
        (folder / "vocab.txt").write_text(text, encoding="utf-8", newline="\n")
    if family == "bert":
        (folder / "tokenizer.json").write_text(word_piece(folder), encoding="utf-8")
        (folder / "vocab.txt").unlink()
    return folder


def word_piece(folder: Path, **settings: Any) -> str:
    """The `tokenizer.json` of the `vocab.txt` of a folder."""
    from fenjie.lexicon.word_pieces import word_pieces

    return word_pieces(folder / "vocab.txt", settings)


def write_bytes(folder: Path) -> int:
    """A tokenizer of bytes, as RoBERTa's; the number of its pieces."""
    from tokenizers import ByteLevelBPETokenizer, processors

    made = ByteLevelBPETokenizer()
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(
        ["今天天气很好，abc 我们去北京。"], vocab_size=280, special_tokens=names
    )
    made._tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.save(str(folder / "tokenizer.json"))
    return len(json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"])
