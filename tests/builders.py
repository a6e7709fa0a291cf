"""Tiny models, folders, lattices and encoders that the tests of several modules share."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fenjie.files import atomic
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.runtime.decoding.forward_backward import ForwardBackward, Steps
from fenjie.text.normalise import Normaliser
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

if TYPE_CHECKING:
    from fenjie.models.tagger import Tagger, TaggerSizes

TEXTS = [
    "商品和服务，他说的确实在理。",
    "今天天气很好！我们１２月３１日去北京。",
    "市场价格上涨12.5%，共3,000元；请看www.example.com。",
    "abc def ＡＢＣ",
]
"""The texts from which the vocabularies of the tiny models are made."""

WORDS = ["商", "品", "商品", "和服", "服务", "确实", "实在", "北京", "今天天气", "市场", "价格"]
"""The words of the tiny tagger."""


def shared(root: Path, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that is made once, by the first of several test processes that wants it.

    Args:
        root: a folder that all of the processes have in common.
        name: the name of the folder in it.
        make: fills the folder, which exists.
    """
    folder = root / name
    with open(root / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with atomic(folder) as made:
                made.mkdir()
                make(made)
    return folder


def indexer_of(texts: Iterable[str], *, pairs: bool = True) -> Indexer:
    """An indexer that knows the characters of some texts, and their bigrams if wanted."""
    normalised = [Normaliser()(text).text for text in texts]
    both = (pair for text in normalised for pair in bigrams(text))
    return Indexer(Vocabulary.count("".join(normalised)), Vocabulary.count(both) if pairs else None)


def vectors_of(words: Sequence[str], dim: int = 6) -> WordVectors:
    """Random vectors of some words; the longer its word, the more often it was seen."""
    vectors = np.random.default_rng(0).normal(size=(len(words), dim))
    return WordVectors(UnitVectors.build(words, [3 * len(word) for word in words], vectors))


def tagger_sizes(
    indexer: Indexer, tags: Iterable[str], *, fixed: int = 0, words: int = 2, dim: int = 6
) -> TaggerSizes:
    """The sizes of the tables of a tagger.

    Args:
        indexer: the characters and bigrams.
        tags: labels of entities.
        fixed: characters and bigrams whose vectors are not trained.
        words: rows of the table of trained words.
        dim: the size of a vector.
    """
    from fenjie.models.tagger import TaggerSizes

    sizes = indexer.sizes
    pairs = (sizes.bigrams - fixed, fixed, dim) if sizes.bigrams else None
    return TaggerSizes(
        (sizes.characters - fixed, fixed, dim), pairs, (words, 0, dim), TagSet(tuple(tags))
    )


def write_tiny_model(folder: Path) -> None:
    """Write a random SAMS over characters and bigrams into a folder, with its export."""
    import torch
    from safetensors.torch import save_file

    from fenjie.export import export
    from fenjie.models.sams import Sams, SamsConfig
    from fenjie.runtime.checksums import seal

    indexer = indexer_of(TEXTS)
    indexer.save(folder)
    torch.manual_seed(0)
    config = SamsConfig(dim=8, layers=2, heads=2, hidden=16, bigram_dim=4)
    save_file(Sams(config, indexer.sizes).state_dict(), folder / "model.safetensors")
    (folder / "config.toml").write_text(
        'format = 1\nname = "tiny"\ntask = "segment"\narchitecture = "sams"\n'
        "[text]\nwidth = true\n"
        "[model]\ndim = 8\nlayers = 2\nheads = 2\nhidden = 16\nbigram_dim = 4\n",
        encoding="utf-8",
    )
    (folder / "labels.txt").write_text("W\n", encoding="utf-8")
    (folder / "README.md").write_text("# tiny\n", encoding="utf-8")
    seal(folder)
    export(folder)


def write_tiny_linear(folder: Path) -> None:
    """Write a random linear segmenter into a folder."""
    from fenjie.runtime.checksums import seal
    from fenjie.runtime.linear import KNOWN, PLACES, RARE, SPACE, LinearGaps

    random = np.random.default_rng(0)
    characters = np.full(KNOWN, RARE, dtype=np.uint16)
    known = sorted({ord(c) for c in "".join(TEXTS)} | {ord("商"), ord("服")})
    characters[known] = np.arange(2, 2 + len(known)) % 62 + 2
    characters[[code for code in range(0x3002) if chr(code).isspace()]] = SPACE
    rows = [64, 128, 128, 64]
    tables = [
        random.integers(-60, 60, (count, places), dtype=np.int8)
        for count, places in zip(rows, PLACES, strict=True)
    ]
    LinearGaps(characters, tables, 0.0625).save(folder)
    (folder / "config.toml").write_text(
        'format = 1\nname = "tiny"\ntask = "segment"\narchitecture = "linear"\n'
        "[text]\nwidth = true\n[input]\nrows = [64, 128, 128, 64]\nunit = 0.0625\n",
        encoding="utf-8",
    )
    (folder / "README.md").write_text("# tiny\n", encoding="utf-8")
    seal(folder)


def write_tiny_tagger(folder: Path, labels: Sequence[str] = ("LOC", "ORG", "PER")) -> None:
    """Write a random FLAT into a folder, with its export."""
    from fenjie.models.flat import Flat, FlatConfig

    indexer = indexer_of(TEXTS)
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6))
    words = WordVectors(UnitVectors.build(WORDS, [1] * len(WORDS), vectors))
    sizes = tagger_sizes(indexer, labels)
    write_tagger(
        folder,
        lambda: Flat(FlatConfig(dim=8, heads=2, hidden=16), sizes),
        indexer,
        words,
        'name = "tiny-ner"\narchitecture = "flat"\n',
        "dim = 8\nheads = 2\nhidden = 16\n",
        scale=3,
    )


def write_endless(path: Path, head: bytes = b'"\x04') -> None:
    """Write an ONNX program that loads and never ends: a loop whose condition is always true.

    Args:
        path: the file.
        head: what stands before the name of the operator: the key of its field, and its length.
    """
    from onnx import TensorProto, helper, save

    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length", 2])
    lengths = helper.make_tensor_value_info("lengths", TensorProto.INT64, ["batch"])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, None)
    step = helper.make_tensor_value_info("step", TensorProto.INT64, [])
    more = helper.make_tensor_value_info("more", TensorProto.BOOL, [])
    value = helper.make_tensor_value_info("value", TensorProto.FLOAT, None)
    goes_on = helper.make_tensor_value_info("goes_on", TensorProto.BOOL, [])
    again = helper.make_tensor_value_info("again", TensorProto.FLOAT, None)
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["more"], ["goes_on"]),
            helper.make_node("Identity", ["value"], ["again"]),
        ],
        "body",
        [step, more, value],
        [goes_on, again],
    )
    true = helper.make_tensor("true", TensorProto.BOOL, [], [True])
    nodes = [
        helper.make_node("Constant", [], ["always"], value=true),
        helper.make_node("Cast", ["ids"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Loop", ["", "always", "numbers"], ["scores"], "endless", body=body),
    ]
    graph = helper.make_graph(nodes, "endless", [ids, lengths], [scores])
    opset = [helper.make_opsetid("", 18)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
    # The node stays as long as it was: its name, which comes before, gets shorter.
    name = b"endless"[len(head) - 2 :]
    usual, other = b'\x1a\x07endless"\x04Loop', b"\x1a%c%bLoop" % (len(name), name + head)
    path.write_bytes(path.read_bytes().replace(usual, other))


def write_tagger(
    folder: Path,
    build: Callable[[], Tagger],
    indexer: Indexer,
    words: WordVectors | None,
    head: str,
    settings: str,
    *,
    singles: bool = False,
    scale: float = 4,
    texts: Sequence[str] | None = None,
) -> Any:
    """Write a tagger into a folder and export it.

    Args:
        folder: it is written into this folder, which exists.
        build: makes the model, with random weights.
        indexer: turns texts into ids.
        words: the words of the model.
        head: its name and architecture, as `config.toml` has them.
        settings: its settings, as `config.toml` has them.
        singles: whether words of a single character are read too.
        scale: the output layer is multiplied by this, so that the model decides clearly.
        texts: those by which the export is compared with PyTorch.

    Returns:
        The report of the export.
    """
    import torch
    from safetensors.torch import save_file

    from fenjie.export import export
    from fenjie.runtime.checksums import seal
    from fenjie.runtime.model_files import TRANSITIONS

    indexer.save(folder)
    if words is not None:
        words.save(folder)
    torch.manual_seed(0)
    model: Any = build()
    with torch.no_grad():
        model.output.weight.mul_(scale)
    save_file(model.state_dict(), folder / "model.safetensors")
    np.save(folder / TRANSITIONS, model.crf.table().numpy())
    sizes = indexer.sizes
    (folder / "config.toml").write_text(
        f'format = 1\ntask = "ner"\n{head}[input]\ncharacters = [{sizes.characters}, 0, 6]\n'
        f"bigrams = [{sizes.bigrams}, 0, 6]\nwords = [2, 0, 6]\n"
        f"singles = {str(singles).lower()}\n[model]\n{settings}",
        encoding="utf-8",
    )
    labels = "".join(f"{label}\n" for label in model.tags.labels)
    (folder / "labels.txt").write_text(labels, encoding="utf-8")
    (folder / "README.md").write_text("# tiny\n", encoding="utf-8")
    seal(folder)
    return export(folder, **({} if texts is None else {"texts": texts}))


def marginals(
    scores: NDArray[np.float64], lengths: NDArray[np.int64], table: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The probability of each tag of each character, 0 at padding."""
    sums = ForwardBackward(scores, lengths, Steps.of(table))
    found, total = np.zeros(scores.shape), sums.total[..., None]
    shares = np.divide(sums.joint, total, out=np.zeros_like(sums.joint), where=total > 0)
    found[sums.rows.order] = shares.transpose(1, 0, 2)
    return found
