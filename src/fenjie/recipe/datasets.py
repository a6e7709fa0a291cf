"""Which files hold the data of a run: of one corpus, or of several with labels of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated

from fenjie.errors import FenjieError
from fenjie.ranges import Positive, Range
from fenjie.text.split import LONGEST_PASSAGE, PASSAGE
from fenjie.text.standards import check_standards

OF_ENTITIES = ("labels", "drop", "unmarked", "annotates", "longest")
"""The settings of a corpus that are for entities alone."""

HeldOut = Annotated[float, Range(0, 1, above=True, below=True)]
"""A share of the sentences that is held out of training."""


@dataclass(frozen=True)
class CorpusRecipe:
    """One of several corpora that together train a model.

    Attributes:
        train: the files to learn from.
        standard: for words: the name of the standard by which they are cut, such as `pku`. Several
            corpora may have one; the model's default is that of the first corpus.
        labels: for entities: the corpus's labels and the model's type for each; several may have
            one type.
        drop: the other labels of the corpus; their spans are read as if they were not marked.
        unmarked: for entities: words that stay whole, such as 奥运会, in which MSRA marks 奥 as a
            place; spans that are a part of such a word are read as if they were not marked.
        annotates: the model's types that the corpus marks wherever they occur; by default those
            that `labels` names. A type that is not among them is unknown where no span of the
            corpus stands, not absent.
        dev: as in `DataRecipe`; of a share, sentences with the same text stay on one side.
        test: as in `DataRecipe`.
        format: as in `DataRecipe`.
        encoding: as in `DataRecipe`.
        longest: whether of spans that overlap the longest alone is kept; else they are an error.
        weight: how often an epoch goes through the training sentences on average; of 0.25, a
            quarter of them, another one in each epoch.
    """

    train: tuple[str, ...]
    standard: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()
    annotates: tuple[str, ...] | None = None
    dev: HeldOut | tuple[str, ...] = 0.1
    test: tuple[str, ...] = ()
    format: str | None = None
    encoding: str = "utf-8"
    longest: bool = False
    weight: Positive = 1.0

    def __post_init__(self) -> None:
        """Raise a FenjieError where there is nothing to train on or to choose by."""
        _check_files(self.train, self.dev)
        if both := sorted(self.labels.keys() & set(self.drop)):
            raise FenjieError(f"drop names a label that labels maps: {both[0]!r}")
        if short := [word for word in self.unmarked if len(word) < 2]:
            raise FenjieError(f"unmarked lists words of two characters or more; found {short[0]!r}")
        if "" in self.labels.values():
            raise FenjieError("labels maps to an empty type; drop lists labels to leave out")

    def check_task(self, task: str) -> None:
        """Raise a FenjieError where a setting is for the other task, or one is missing."""
        if task == "ner":
            if self.standard is not None:
                raise FenjieError("corpora: standard is for words (task segment); found task ner")
            if not self.labels:
                raise FenjieError(f"corpora: labels is missing beside {self.train[0]}")
            return
        if self.standard is None:
            raise FenjieError(f"corpora: standard is missing beside {self.train[0]}")
        for name in OF_ENTITIES:
            if getattr(self, name):
                raise FenjieError(f"corpora: {name} is for entities (task ner); found task segment")

    @property
    def types(self) -> frozenset[str]:
        """The model's types that are marked wherever they occur."""
        return frozenset(self.labels.values() if self.annotates is None else self.annotates)


@dataclass(frozen=True)
class DataRecipe:
    """Which files hold the data. A relative path is looked for under FENJIE_DATA, then here.

    Attributes:
        train: the files to learn from.
        dev: the files on which the best model is chosen; or a number between 0 and 1: this share
            of the first training file, which is then held out of training. For words it is the
            last part of the file, for entities blocks spread over it (`fenjie.corpus.splits`).
        test: the files scored once, at the end.
        format: the form of the files (`spaced`, `columns`, `conllu`, …), guessed where not named.
            A file whose name says JSONL is read as such in any case.
        encoding: their encoding.
        lists: labels, such as `PER`. A training sentence with a list of such entities is learnt a
            second time without the marks between them (`fenjie.tasks.lists`), as lists stand
            whose spaces were lost. For named entities.
        passage: characters that the model reads at once, in training and after it, where the text
            allows it: a longer line is cut after sentences, so that each passage holds as many of
            them as fit; a sentence that is half as long again is tagged through overlapping
            windows. For named entities.
        corpora: instead of all but `lists` and `passage`: several corpora, each with labels of its
            own, or for words each with its standard.
    """

    train: tuple[str, ...] = ()
    dev: HeldOut | tuple[str, ...] = 0.1
    test: tuple[str, ...] = ()
    format: str | None = None
    encoding: str = "utf-8"
    lists: tuple[str, ...] = ()
    passage: Annotated[int, Range(16, LONGEST_PASSAGE)] = PASSAGE
    corpora: tuple[CorpusRecipe, ...] = field(default=())

    def __post_init__(self) -> None:
        """Raise a FenjieError where there is nothing to train on or to choose by."""
        if self.corpora:
            self._check_corpora()
        else:
            _check_files(self.train, self.dev)

    def _check_corpora(self) -> None:
        given = self.train, self.dev, self.test, self.format, self.encoding
        if given != ((), 0.1, (), None, "utf-8"):
            raise FenjieError(
                "corpora have files of their own; beside them [data] may have no key but lists "
                "and passage"
            )
        marked = {name for corpus in self.corpora for name in corpus.labels.values()}
        check_standards(self.standards)
        for corpus in self.corpora:
            if unknown := sorted(corpus.types - marked):
                raise FenjieError(
                    f"corpora: annotates names a type that no corpus maps a label to: "
                    f"{unknown[0]!r}; expected some of {', '.join(sorted(marked))}"
                )
        tests = self.tests
        if again := next((name for name in tests if tests.count(name) > 1), None):
            raise FenjieError(f"corpora: two of them name the same test file: {again}")

    def check_task(self, task: str) -> None:
        """Raise a FenjieError where a setting is for the other task."""
        for name in ("lists", "passage") if task == "segment" else ():
            if getattr(self, name) != getattr(DataRecipe, name):
                raise FenjieError(f"{name} is for entities (task ner); found task segment")
        for corpus in self.corpora:
            corpus.check_task(task)

    @property
    def standards(self) -> tuple[str, ...]:
        """The standards of words that the corpora have, in their order."""
        named = (corpus.standard for corpus in self.corpora if corpus.standard is not None)
        return tuple(dict.fromkeys(named))

    @property
    def parts(self) -> Sequence[DataRecipe | CorpusRecipe]:
        """The corpora, or the recipe itself where there is but one."""
        return self.corpora or (self,)

    @property
    def tests(self) -> tuple[str, ...]:
        """The test files of all corpora."""
        return tuple(chain.from_iterable(part.test for part in self.parts))

    @property
    def files(self) -> tuple[str, ...]:
        """All files."""
        return tuple(
            name
            for part in self.parts
            for name in (
                *part.train,
                *(() if isinstance(part.dev, float) else part.dev),
                *part.test,
            )
        )


def _check_files(train: tuple[str, ...], dev: float | tuple[str, ...]) -> None:
    if not train:
        raise FenjieError("train names no file")
    if dev == ():
        raise FenjieError("dev names no file")
