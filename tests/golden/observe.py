"""What is pinned: first weights, losses and spans of tiny models, spans of the shipped ones."""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

import fenjie
from tests.golden import inside, texts
from tests.golden.cases import HERE, RECIPES, changed, recipe_paths

SCALE = 4.0
"""By how much the output layer of a tiny model is scaled, so that it decides clearly."""

WORDS = ["天气", "商品和", "研究", "ABC", "銀行", "👨‍👩‍👧", "上海银行经理", "大学", "先生", "市"]
"""User words for all models."""


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes when Python ends."""
    return tempfile.TemporaryDirectory(prefix="fenjie-golden-")


@cache
def place() -> Path:
    """A folder with what the tiny models learn from."""
    folder = Path(_temporary().name)
    for name in ("words.txt", "entities.jsonl", "dictionary.txt", "components.txt"):
        (folder / name).write_bytes((HERE / name).read_bytes())
    (folder / "vectors").mkdir()
    lines = (HERE / "words.txt").read_text(encoding="utf-8").split()
    found = "".join(lines)
    units = {
        "characters": sorted(set(found)),
        "bigrams": sorted({found[i : i + 2] for i in range(0, len(found) - 1, 3)}),
        "words": [line.split()[0] for line in dictionary()] + sorted(set(found))[10:60],
    }
    numbers = np.random.default_rng(3)
    for name, names in units.items():
        rows = numbers.normal(size=(len(names), 8))
        inside.write_vectors(folder / "vectors", name, names, rows)
    return folder


def dictionary() -> list[str]:
    return (HERE / "dictionary.txt").read_text(encoding="utf-8").splitlines()


def encoder() -> Path:
    """The folder of a tiny encoder, made when first asked for."""
    folder = place() / "encoder"
    if not folder.exists():
        inside.tiny_encoder(folder, "roberta-wwm", room=48)
    return folder


class Tiny:
    """The tiny model of a case.

    Attributes:
        recipe: it was made from.
        task: the data and the model, with its first weights.
    """

    def __init__(self, name: str, toml: str) -> None:
        """Make it.

        Args:
            name: of the case.
            toml: its recipe, without files.
        """
        self.recipe = inside.loads(with_files(toml), f"{name}.toml")
        torch.manual_seed(self.recipe.training.seed)
        self.task = inside.make_task(self.recipe)
        self._first = deepcopy(self.task.module.state_dict())

    def weights(self) -> dict[str, Any]:
        """The first weights: a hash of names and shapes, and one of the values too.

        Orthogonal matrices come from a factorisation, whose last bits differ between processors:
        in place of their bytes, the sum of their numbers, each times its place.
        """
        names, values, factorised = hashlib.sha256(), hashlib.sha256(), {}
        for name, value in sorted(self._first.items()):
            for known in (names, values):
                known.update(f"{name} {value.dtype} {list(value.shape)}\n".encode())
            if name in inside.orthogonal(self.task.module):
                row = value.numpy().ravel().astype(np.float64)
                factorised[name] = float(f"{row @ np.arange(1, len(row) + 1):.6g}")
            else:
                values.update(np.ascontiguousarray(value.numpy()).tobytes())
        found = {"names": names.hexdigest()[:16], "values": values.hexdigest()}
        return {**found, "factorised": factorised}

    def losses(self) -> list[float]:
        """The losses of three steps of training, with dropout."""
        module, found = self.task.module, []
        module.load_state_dict(self._first)
        module.train()
        learning = [weight for weight in module.parameters() if weight.requires_grad]
        optimizer = torch.optim.SGD(learning, lr=0.05)
        torch.manual_seed(7)
        for batch, gold in inside.task_batches(self.task, self.recipe)[:3]:
            loss = module.loss(module(batch), gold)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learning, 5.0)
            optimizer.step()
            found.append(float(f"{loss.item():.7g}"))
        return found

    def spans(self) -> dict[str, Any]:
        """What the exported model finds on the odd page: alone, in a list, with user words."""
        with self._folder() as folder:
            some = [texts.ODD[place] for place in (2, 5, 11, 17)]
            found = tagged(inside.exported(folder, some), texts.ODD)
        sure = (value for row in found.pop("confidences", ()) for value in row)
        return {**found, "confidence": round(sum(sure), 4)}

    def spans_by_torch(self) -> list[str]:
        """What the model finds on the odd page without an export."""
        with self._folder() as folder:
            return [written(found.spans) for found in inside.by_torch(folder, texts.ODD)]

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """The folder of the model, made lively, as training leaves it."""
        self.task.module.load_state_dict(self._first)
        liven(self.task.module, everything=self.recipe.architecture == "ngrams")
        with tempfile.TemporaryDirectory() as folder:
            inside.write_folder(Path(folder) / "model", self.task, self.recipe)
            yield Path(folder) / "model"


def with_files(toml: str) -> str:
    """The recipe of a case with the files of `place()`, and a schedule that any model may have."""
    values = tomllib.loads(toml)
    values["training"] = {"schedule": "constant", **values.get("training", {})}
    # A tagger whose texts' digits are folded was made for words.
    words = values["task"] == "segment" or values.get("text", {}).get("digits", False)
    name = "words.txt" if words else "entities.jsonl"
    values["data"] = {"train": [str(place() / name)], "dev": 0.2, **values.get("data", {})}
    if words:
        values["data"]["format"] = "spaced"
    vocabulary = values.get("vocabulary", {})
    for name in {"vectors", "components"} & vocabulary.keys():
        vocabulary[name] = str(place() / vocabulary[name])
    if "lexicon" in vocabulary:
        vocabulary["lexicon"] = [str(place() / name) for name in vocabulary["lexicon"]]
    if "pretrained" in values["model"]:
        values["model"]["pretrained"]["name"] = str(encoder())
    return inside.dump(values)


@torch.no_grad()
def liven(module: Any, *, everything: bool) -> None:
    """Move all weights but the tables, so that none is 0 or 1, and make the scores differ.

    Args:
        module: a model.
        everything: whether tables are moved too.
    """
    for name, weight in module.named_parameters():
        if not everything and "embedding" in name:
            continue
        numbers = np.random.default_rng(zlib.crc32(name.encode()))
        noise = numbers.normal(scale=0.15, size=tuple(weight.shape)).astype(np.float32)
        weight.add_(torch.from_numpy(noise))
        if "output" in name or "scor" in name:
            weight.mul_(SCALE)
        if name == "output.bias":
            weight[0] -= SCALE  # the tag of what is no entity


def tagged(tagger: Callable[..., Any], page: Sequence[str]) -> dict[str, Any]:
    """The spans of each text, and those that differ where there are user words.

    Raises:
        AssertionError: a text has other spans in a list than alone.
    """
    alone = [tagger(text) for text in page]
    together = tagger(page)
    for one, other in zip(alone, together, strict=True):
        assert one.text == other.text
        assert one.spans == other.spans, f"alone and in a list: {one.text!r}"
    plain = [written(found.spans) for found in alone]
    add_words(tagger)
    changed = [written(found.spans) for found in tagger(page)]
    found = {"spans": plain, "words": moved(plain, changed)}
    sure = [[span.confidence for span in one.spans] for one in alone]
    if any(value is not None for row in sure for value in row):
        found["confidences"] = sure
    return found


def moved(plain: Sequence[str], changed: Sequence[str]) -> dict[str, str]:
    """The spans of the texts where they are not those of `plain`, by the number of the text."""
    pairs = enumerate(zip(plain, changed, strict=True))
    return {str(number): new for number, (old, new) in pairs if old != new}


def add_words(tagger: Any) -> None:
    """Give a segmenter or a tagger of entities some user words."""
    if not tagger.labels:
        tagger.words.add(WORDS, force=True)
        return
    with suppress(inside.FenjieError):  # raised where a model reads no words
        tagger.lexicon.add("李雷和", "很好", "气很")
    for number, word in enumerate(WORDS):
        tagger.lexicon.add(word, label=tagger.labels[number % len(tagger.labels)], force=True)


def written(spans: Sequence[Any]) -> str:
    """Spans in short: distance from the end of the last one, length, first letter of the label.

    No distance is written where it is 0: `2,3P,2L`. Words that tile their text are a row of their
    lengths, `211(14)2`.
    """
    sizes = [span.end - span.start for span in spans]
    if spans and spans[-1].end == sum(sizes) and {span.label for span in spans} == {"W"}:
        return "".join(str(size) if size < 10 else f"({size})" for size in sizes)
    gaps = [
        span.start - end for span, end in zip(spans, [0, *(s.end for s in spans)], strict=False)
    ]
    parts = zip(gaps, sizes, spans, strict=True)
    return "".join(f"{gap or ''},{size}{span.label[0]}" for gap, size, span in parts)


def shipped(name: str) -> dict[str, Any]:
    """What a shipped model finds; the confidences in units of 0.00001."""
    found = tagged(fenjie.load(name), texts.everyday())
    if rows := found.get("confidences"):
        found["confidences"] = [[round(value * 1e5) for value in row] for row in rows]
    return found


def recipe_settings() -> dict[str, Any]:
    """Of each recipe the settings that are not the default, as JSON has them."""
    ours = {path.relative_to(RECIPES).as_posix(): settings_of(path) for path in recipe_paths()}
    return ours | {name: settings_of(Path(name)) for name in inside.NAMES}


def settings_of(path: Path) -> dict[str, Any]:
    """The settings of a recipe that are not the default; task and architecture always."""
    recipe = inside.load(path)
    names = ("data", "text", "vocabulary", "model", "training")
    tables = {name: changed(getattr(recipe, name)) for name in names}
    made = {"task": recipe.task, "architecture": recipe.architecture, **tables}
    return json.loads(json.dumps(made, default=changed))
