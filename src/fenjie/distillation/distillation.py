"""Distil by a recipe: a teacher cuts raw text, a student learns from the cuts, then from gold."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from fenjie.corpus.splits import last_share
from fenjie.distillation.cuts import STEP, Cuts, cut_of, reading, teacher_cuts
from fenjie.distillation.distill_recipe import DistillRecipe, read_distill_recipe
from fenjie.distillation.student import WARMUP, Student, learn, number_characters
from fenjie.distillation.student_card import card
from fenjie.errors import FenjieError
from fenjie.evaluation.word_scores import WordScores, score
from fenjie.files import atomic, sha256
from fenjie.progress import Display, Screen
from fenjie.recipe.derived import self_contained
from fenjie.recipe.recipe import differing, locate
from fenjie.recipe.toml import dump
from fenjie.runtime.checksums import seal
from fenjie.runtime.decoding.gaps import spans
from fenjie.runtime.folder import LINEAR, find
from fenjie.runtime.linear import LinearGaps
from fenjie.runtime.linear_reader import LinearReader
from fenjie.runtime.model_config import FORMAT
from fenjie.runtime.model_files import CARD, CHECKSUMS, CONFIG
from fenjie.runtime.rules.unsplittable import find_unsplittable
from fenjie.tasks.corpora import Corpora, check_tests, checksums, read_corpora, read_sentences
from fenjie.tasks.segmentation import not_segmented
from fenjie.tasks.variants import simplified_variants
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import code_points
from fenjie.training.run_folder import RECIPE, KeptRecipe, missing, taken_back

INPUTS, CUTS, MODEL = "inputs.json", "cuts", "model"
"""The files of a run beside its recipe: checksums of what it reads, the cuts, the student."""

NORMALISER = Normaliser(width=True, digits=True, latin=True)
"""How the student reads a text, besides traditional characters as simplified ones."""


def distil(path: Path, output: Path | None = None, *, resume: bool = False) -> Path:
    """Make a fast segmenter out of another one.

    Args:
        path: the recipe.
        output: the run's folder; without it `runs/NAME` with the name of the recipe's file.
        resume: go on with what the teacher has cut already.

    Returns:
        The folder of the model, in that of the run.

    Raises:
        FenjieError: the recipe, a file that it names or the run's folder is not as it should be.
    """
    recipe, copy = read_distill_recipe(path), self_contained(path)
    folder = output or Path("runs") / path.stem
    absent = missing(folder)
    new = [folder / name for name in (RECIPE, INPUTS) if not (folder / name).exists()]
    kept = KeptRecipe(copy, lambda file: _difference(file, recipe), path, (CUTS, MODEL))
    with kept.begun(folder, f"the run {path.stem}", resume) as there:
        begin = time.perf_counter()
        with taken_back(absent, main=True, new=new):
            _keep_inputs(folder, inputs(recipe), there)
            run = Distillation(recipe, folder, Screen(stderr=True))
        student = run.student()
        test = {name: run.test(name, student) for name in recipe.data.test}
        dev = run.score(run.corpora.dev, student, run.known(run.corpora.train))
        minutes = (time.perf_counter() - begin) / 60
        text = card(path, recipe, copy, dev, test, run.characters, minutes)
        with atomic(folder / MODEL) as made:
            made.mkdir()
            write(made, student, path.stem, text)
    return folder / MODEL


def inputs(recipe: DistillRecipe) -> dict[str, str]:
    """The checksums of the texts, the gold files and the teacher, by their names in the recipe.

    Raises:
        FenjieError: one is not there.
    """
    texts = {text.path: sha256(locate(text.path)) for text in recipe.texts}
    teacher = {recipe.teacher: sha256(find(recipe.teacher) / CHECKSUMS)}
    return texts | checksums(recipe.data) | teacher


def _difference(file: Path, recipe: DistillRecipe) -> str | None:
    """What differs from a recipe in a file, in words; None if nothing."""
    return differing(asdict(read_distill_recipe(file)), asdict(recipe))


def _keep_inputs(folder: Path, files: Mapping[str, str], there: bool) -> None:
    """Write the checksums of what a run reads, or check them against those of the run there.

    Raises:
        FenjieError: a file has changed since.
    """
    sums = folder / INPUTS
    if there:
        before = json.loads(sums.read_bytes())
        for name in files:
            if before.get(name) != files[name]:
                raise FenjieError(f"{name} has changed since the run in {folder} began")
        return
    with atomic(sums) as made:
        made.write_text(json.dumps(files, indent=1), encoding="utf-8", newline="\n")


def write(folder: Path, model: LinearGaps, name: str, text: str) -> None:
    """Write a model folder.

    Args:
        folder: an empty folder.
        model: the model.
        name: its name.
        text: its card.
    """
    config = {
        "format": FORMAT,
        "name": name,
        "task": "segment",
        "architecture": LINEAR,
        "text": asdict(NORMALISER),
        "input": {"rows": [len(table) for table in model.tables], "unit": model.unit},
    }
    model.save(folder)
    (folder / CONFIG).write_text(dump(config), encoding="utf-8", newline="\n")
    (folder / CARD).write_text(text, encoding="utf-8", newline="\n")
    seal(folder)


class Distillation:
    """The data of a distillation, and its steps.

    Attributes:
        corpora: the gold sentences.
        characters: the number of characters that the teacher has cut.
    """

    def __init__(self, recipe: DistillRecipe, folder: Path, screen: Console) -> None:
        """Read the gold data.

        Raises:
            FenjieError: a file of it is malformed, or too short.
        """
        self.recipe, self._folder, self._screen = recipe, folder, screen
        self.corpora: Corpora = read_corpora(recipe.data, not_segmented, last_share)
        check_tests(recipe.data, not_segmented)
        text = "".join(sentence.text for sentence in self.corpora.train)
        self._table = reading(NORMALISER, simplified_variants(NORMALISER(text).text).units)
        self.characters = 0

    def student(self) -> LinearGaps:
        """Let the teacher cut, and a student learn."""
        settings = self.recipe.training
        torch.manual_seed(settings.seed)
        gold = gold_cuts(self.corpora.train, self._table)
        cuts = self._cuts()
        self.characters = len(cuts.codes)
        numbers = number_characters(self._table, Cuts.join([cuts, gold]), self.recipe.model.minimum)
        student = Student(numbers, self.recipe.model)
        self._learn("cuts", student, cuts, settings.passes, settings.batch, settings.learning_rate)
        before = [table.detach().clone() for table in student.tables]
        self._learn(
            "gold",
            student,
            gold,
            settings.gold_passes,
            settings.gold_batch,
            settings.gold_learning_rate,
        )
        student.mix(before, 1 - settings.gold_share)
        return student.rounded()

    def _cuts(self) -> Cuts:
        parts, characters = [], 0
        display = Display(self._screen, BarColumn(), TextColumn("{task.fields[text]}"))
        count, cuts = teacher_cuts(self.recipe, self._table, self._folder / CUTS)
        display.begin("cuts", count, text="")
        for part in cuts:
            parts.append(part)
            characters += len(part.codes)
            text = f"{characters / 1e6:.1f} M characters cut"
            display.show(len(parts), text=text)
            display.line(text)
        display.close()
        return Cuts.join(parts)

    def _learn(
        self, name: str, student: Student, cuts: Cuts, passes: float, batch: int, rate: float
    ) -> None:
        display = Display(
            self._screen, TextColumn(name), BarColumn(), TextColumn("{task.fields[text]}")
        )

        def report(step: int, total: int, loss: float) -> None:
            if step == 1:
                display.begin(name, total, text="")
                if total < WARMUP:
                    self._screen.print(too_few(name, total, len(cuts.codes)), soft_wrap=True)
            text = f"{name}: step {step:,} of {total:,}  loss {loss:.4f}"
            display.show(step, text=text)
            display.line(text)

        learn(
            student,
            cuts,
            student.characters.take(cuts.codes),
            passes,
            batch,
            rate,
            self.recipe.training.seed,
            report,
        )
        display.close()
        dev = self.score(self.corpora.dev, student.rounded(), frozenset())
        self._screen.print(f"after {name}: dev F1 {100 * dev.f1:.2f}")

    def score(self, gold: Sequence[Sentence], model: LinearGaps, known: Set[str]) -> WordScores:
        """Score a model on gold sentences, read as the segmenter reads them."""
        texts = [sentence.text for sentence in gold]
        found = LinearReader(model, NORMALISER).starts(texts)
        words = [
            Sentence(text, spans(starts, len(text)))
            for text, starts in zip(texts, found, strict=True)
        ]
        return score(gold, words, known)

    def test(self, name: str, model: LinearGaps) -> WordScores:
        """Score a model on a test file."""
        gold = read_sentences(name, self.recipe.data, not_segmented)
        return self.score(gold, model, self.known(self.corpora.all))

    @staticmethod
    def known(sentences: Sequence[Sentence]) -> set[str]:
        """The words of sentences."""
        return {word for sentence in sentences for word in sentence.words}


def too_few(name: str, steps: int, characters: int) -> str:
    """A warning: the text is too little for its batches."""
    return (
        f"warning: {name}: only {steps} steps with {characters:,} characters, fewer than the "
        f"{WARMUP} in which the learning rate rises; expected more text, more passes or a smaller "
        "batch"
    )


SURE = 127 * STEP
"""The log-odds of a gold boundary, of which the cross entropy asks next to nothing more."""


def gold_cuts(sentences: Sequence[Sentence], table: np.ndarray) -> Cuts:
    """Gold sentences as cuts; nobody is asked where whitespace or a rule decides."""
    parts = []
    for sentence in sentences:
        codes = code_points(sentence.text)
        odds = np.full(len(codes), -SURE)
        odds[[span.start for span in sentence.spans]] = SURE
        odds[find_unsplittable(sentence.text, codes).inside] = np.nan
        odds[:1] = np.nan
        parts.append(cut_of(sentence.text, odds, table))
    return Cuts.join(parts)
