"""The sentences of a run, as they stand in the files that a recipe names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.corpus import brat, read
from fenjie.errors import FenjieError, FileError, shorten
from fenjie.files import sha256
from fenjie.recipe.datasets import CorpusRecipe, DataRecipe
from fenjie.recipe.recipe import locate
from fenjie.tasks.mapping import LabelMap
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import PADDING, UNKNOWN

_JSONL = re.compile(r"\.jsonl(\.gz|\.xz)?$")

Check = Callable[[Sentence], str | None]
"""Says in words why a sentence cannot be learnt from; None where it can."""

HoldOut = Callable[[Sequence[Sentence], float], tuple[list[Sentence], list[Sentence]]]
"""Parts sentences into those to train on and a share for dev."""


@dataclass(frozen=True)
class Corpora:
    """The sentences of a run, or of one of its corpora.

    Attributes:
        train: to learn from.
        dev: to choose the best model on.
        all: the sentences of the training files, the held-out share included; what is not in them
            is new in a test file.
    """

    train: list[Sentence]
    dev: list[Sentence]
    all: list[Sentence]


def read_sentences(
    name: str, recipe: DataRecipe | CorpusRecipe, check: Check, labels: LabelMap | None = None
) -> list[Sentence]:
    """The sentences of one file that a recipe names; empty ones are left out.

    Args:
        name: the file.
        recipe: says how it is read.
        check: says why a sentence cannot be learnt from.
        labels: renames the labels.

    Raises:
        FenjieError: there is no such file, it is malformed or empty, a label is forgotten, or a
            sentence fails `check`.
    """
    path = locate(name)
    form = None if _JSONL.search(name) else recipe.format
    found = read(path, form, encoding=recipe.encoding, overlapping=labels is not None)
    sentences = [sentence for sentence in found.sentences if sentence.text]
    if labels is not None:
        sentences = labels(sentences, path)
    for number, sentence in enumerate(sentences, 1):
        if (wrong := check(sentence)) is not None:
            raise FileError(path, f"sentence {number} {wrong}", found=sentence.text)
    if not sentences:
        raise FileError(path, "holds no sentence")
    return sentences


def read_corpora(
    recipe: DataRecipe | CorpusRecipe,
    check: Check,
    hold_out: HoldOut,
    labels: LabelMap | None = None,
) -> Corpora:
    """Read the training and dev files.

    Args:
        recipe: which files.
        check: says why a sentence cannot be learnt from.
        hold_out: makes two of the first file where the recipe names a share for dev.
        labels: renames the labels.

    Raises:
        FenjieError: as `read_sentences` does.
    """
    files = [read_sentences(name, recipe, check, labels) for name in recipe.train]
    everything = list(chain.from_iterable(files))
    if isinstance(recipe.dev, float):
        if len(files[0]) < 2:
            reason = "has one sentence, of which none can be held out for dev"
            raise FileError(recipe.train[0], reason, expected="at least 2")
        files[0], dev = hold_out(files[0], recipe.dev)
    else:
        read_dev = (read_sentences(name, recipe, check, labels) for name in recipe.dev)
        dev = list(chain.from_iterable(read_dev))
    train = list(chain.from_iterable(files))
    if not train or not dev:
        raise FenjieError(
            f"{len(train)} sentences to train on and {len(dev)} for dev: too few; "
            f"first sentence {shorten((train or dev)[0].text)}"
        )
    return Corpora(train, dev, everything)


class Part(NamedTuple):
    """One of the corpora of a run.

    Attributes:
        corpora: its sentences, with the model's types.
        types: the types that it marks wherever they occur; None for all.
        weight: how often an epoch goes through its training sentences on average.
        standard: that by which its words are cut; None for entities, or where there is but one.
        tested: the labels of its test files, as the model's types.
    """

    corpora: Corpora
    types: frozenset[str] | None = None
    weight: float = 1.0
    standard: str | None = None
    tested: frozenset[str] = frozenset()


def read_parts(recipe: DataRecipe, check: Check, hold_out: HoldOut) -> list[Part]:
    """Read the training and dev files of each corpus of a recipe, and look at its test files.

    Raises:
        FenjieError: as `read_sentences` does, or a mapping names a label that its corpus does not
            have.
    """
    return [_part(part, check, hold_out) for part in recipe.parts]


def _part(recipe: DataRecipe | CorpusRecipe, check: Check, hold_out: HoldOut) -> Part:
    own = recipe if isinstance(recipe, CorpusRecipe) else None
    labels = LabelMap(own) if own is not None and own.standard is None else None
    corpora = read_corpora(recipe, check, hold_out, labels)
    if labels is not None:
        labels.check_all_seen(locate(recipe.train[0]))
    tested = check_tests(recipe, check, labels)
    if own is None:
        return Part(corpora, tested=tested)
    if labels is None:
        return Part(corpora, None, own.weight, own.standard, tested)
    if isinstance(own.dev, float):
        corpora = one_side(corpora)
    return Part(corpora, own.types, own.weight, tested=tested)


def check_tests(
    recipe: DataRecipe | CorpusRecipe, check: Check, labels: LabelMap | None = None
) -> frozenset[str]:
    """Read the test files for their labels: a mistake in one is better known before the training.

    Raises:
        FenjieError: as `read_sentences` does.
    """
    files = (read_sentences(name, recipe, check, labels) for name in recipe.test)
    return labels_in(chain.from_iterable(files))


def labels_in(sentences: Iterable[Sentence]) -> frozenset[str]:
    """The labels of some sentences."""
    return frozenset(span.label for sentence in sentences for span in sentence.spans)


def one_side(corpora: Corpora) -> Corpora:
    """Give training sentences with the text of one held out to dev: no text is on both sides."""
    held = {sentence.text for sentence in corpora.dev}
    moved = [sentence for sentence in corpora.train if sentence.text in held]
    kept = [sentence for sentence in corpora.train if sentence.text not in held]
    return Corpora(kept, [*corpora.dev, *moved], corpora.all)


def fingerprint(arrays: Iterable[NDArray[Any]]) -> str:
    """A checksum of training data, by which a resumed run knows its own."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def checksums(recipe: DataRecipe) -> dict[str, str]:
    """The SHA-256 of each file of a recipe, by its name there, of brat both text and annotations.

    Raises:
        FenjieError: a file is missing or cannot be read.
    """
    pairs = (
        map(str, brat.pair(name))
        for name in recipe.files
        if name.endswith(brat.ANNOTATIONS) or is_text_of_brat(locate(name))
    )
    return {name: sha256(locate(name)) for name in (*recipe.files, *chain.from_iterable(pairs))}


def is_text_of_brat(path: Path) -> bool:
    """Whether a file is the text of annotations that stand beside it: the two count as one."""
    return path.suffix == brat.TEXT and path.with_suffix(brat.ANNOTATIONS).is_file()


def forget(ids: NDArray[Any], rate: float, random: np.random.Generator) -> NDArray[Any]:
    """Replace each id by the unknown one with a probability; padding stays.

    Args:
        ids: any shape.
        rate: the probability.
        random: where chance comes from.
    """
    chosen = (random.random(ids.shape) < rate) & (ids != PADDING)
    return np.where(chosen, UNKNOWN, ids)
