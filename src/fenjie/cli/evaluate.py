"""`fenjie evaluate`: score a model, or the annotation of any tool, on an annotated file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fenjie.cli.options import Encoding, Format, Standard, path
from fenjie.errors import FenjieError, FileError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fenjie.text.span import Sentence


def evaluate(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] FILE",
            help="A model folder or the name of a shipped model, and the annotated file; with "
            "--predicted the file alone.",
        ),
    ],
    predicted: Annotated[
        Path | None,
        typer.Option(
            help="Score this file, annotated by any tool, instead of a model.", parser=path
        ),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            "--words",
            help="The training file, or for words a list, one per line: for scores of mentions or "
            "words that training has and has not.",
            parser=path,
        ),
    ] = None,
    standard: Standard = None,
    form: Format = None,
    encoding: Encoding = "utf-8",
    errors: Annotated[
        int, typer.Option(min=0, help="Number of the most frequent errors to show.")
    ] = 0,
    diff: Annotated[
        int, typer.Option(min=0, help="Number of sentences with different entities to show.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score words as the official SIGHAN script does, or entities by exact spans."""
    from fenjie.cli.prediction import annotated, answers_in, holds_words
    from fenjie.progress import Screen

    if len(sources) != (2 if predicted is None else 1):
        expected = "MODEL FILE, or --predicted FILE FILE"
        raise FenjieError(f"found {len(sources)} arguments; expected {expected}")
    file = Path(sources[-1])
    gold = annotated(file, form, encoding)
    labels: Collection[str] | None = None
    if predicted is None:
        answers, labels = _by_model(sources[0], file, gold, standard)
        segmented = labels is None
    elif standard is not None:
        raise FenjieError("--standard is for a model; found --predicted")
    else:
        segmented = holds_words(gold)
        answers = answers_in(predicted, file, gold, segmented, form, encoding)
    if segmented:
        if diff:
            message = "--diff shows entities, and these files hold words; expected --errors"
            raise FenjieError(message)
        vocabulary = training_words(train, form, encoding) if train else None
        values, parts = _words(file.name, gold, answers, vocabulary, errors)
    else:
        training = annotated(train, form, encoding) if train else None
        if train and training and holds_words(training):
            raise FileError(train, f"holds words, and {file} does not")
        values, parts = _entities(file.name, gold, answers, training, labels, errors, diff)
    if as_json:
        from fenjie.tables.findings import json_text

        result = {"model": str(predicted or sources[0]), "file": str(file), **values}
        typer.echo(json_text(result))
        return
    console = Screen(soft_wrap=not segmented)
    for part in parts:
        console.print(part)


def _by_model(
    name: str, file: Path, gold: Sequence[Sentence], standard: str | None
) -> tuple[list[Sentence], Collection[str] | None]:
    """The answers of a model to a file, and its labels; None where it finds words."""
    from fenjie.cli.prediction import check_segmented, holds_words, predict
    from fenjie.runtime.folder import ModelFolder

    folder = ModelFolder.open(name)
    folder.check_standard(standard)
    if folder.finds_words:
        check_segmented(file, gold)
    elif holds_words(gold):
        raise FenjieError(f"{name} finds entities, and {file} holds words")
    answers = predict(folder, [sentence.text for sentence in gold], standard)
    return answers, None if folder.finds_words else folder.tags.labels


def _words(
    name: str,
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    vocabulary: set[str] | None,
    most: int,
) -> tuple[dict[str, Any], list[RenderableType]]:
    """The scores of words and their errors, as values for JSON and to be printed."""
    from fenjie.cli.tables import word_errors, word_scores
    from fenjie.evaluation.word_report import report
    from fenjie.evaluation.word_scores import score

    scores = score(gold, predicted, vocabulary or set())
    values: dict[str, Any] = dict(scores.as_dict())
    if vocabulary is None:
        values = {key: value for key, value in values.items() if not key.startswith(("oov", "iv"))}
    parts: list[RenderableType] = [word_scores(name, scores, vocabulary is not None)]
    if most:
        found = report(gold, predicted, most)
        values["errors"] = asdict(found)
        parts.append(word_errors(found))
    return values, parts


def _entities(
    name: str,
    gold: Sequence[Sentence],
    predicted: Sequence[Sentence],
    training: Sequence[Sentence] | None,
    labels: Collection[str] | None,
    most: int,
    shown: int,
) -> tuple[dict[str, Any], list[RenderableType]]:
    """The scores of entities, errors and differences, as values for JSON and to be printed."""
    from fenjie.cli.tables import diff_blocks, entity_errors, entity_scores
    from fenjie.evaluation.diff import differences
    from fenjie.evaluation.entity_report import report
    from fenjie.evaluation.entity_scores import entities, mentions, score
    from fenjie.evaluation.shares import per_cent

    seen = None if training is None else mentions(training)
    who = "the training data" if labels is None else "the model"
    if labels is None and seen is not None:
        labels = {label for _, label in seen}
    scores = score(gold, predicted, seen)
    counts = Counter(span.label for sentence in gold for span in entities(sentence))
    unknown = {
        label: count
        for label, count in counts.most_common()
        if labels is not None and label not in labels
    }
    values: dict[str, Any] = scores.as_dict() | {"unknown_labels": unknown}
    parts: list[RenderableType] = [*entity_scores(name, scores)]
    parts.append(f"Span F {per_cent(scores.span_f1)}, Type Acc {per_cent(scores.type_accuracy)}")
    if unknown:
        listed = ", ".join(f"{label} ({count:,})" for label, count in unknown.items())
        parts.append(f"labels that {who} does not have, counted as missed: {listed}")
    if most:
        found = report(gold, predicted, seen, most)
        values["errors"] = asdict(found)
        parts += entity_errors(found)
    if shown:
        blocks = list(differences(gold, predicted))
        values["diff"] = [block.as_dict() for block in blocks[:shown]]
        parts += diff_blocks(blocks, shown)
    return values, parts


def training_words(path: Path, form: str | None, encoding: str) -> set[str]:
    """The words of the training data: a list with one word per line, or a segmented file.

    Raises:
        FileError: the file cannot be read, holds no words or is not segmented.
    """
    from fenjie.cli.prediction import annotated, check_segmented
    from fenjie.files import read_lines

    lines = [line.strip() for _, line in read_lines(path, encoding)]
    if any(re.search(r"\s", line) or line.startswith('{"') for line in lines):
        sentences = annotated(path, form, encoding)
        check_segmented(path, sentences)
        return {word for sentence in sentences for word in sentence.words}
    if not (words := set(lines) - {""}):
        raise FileError(path, "holds no words")
    return words
