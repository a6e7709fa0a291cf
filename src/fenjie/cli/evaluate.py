"""`fenjie evaluate`: score a model, or the annotation of any tool, on an annotated file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from fenjie.cli.options import Encoding, Format
from fenjie.errors import FenjieError, FileError

if TYPE_CHECKING:
    from fenjie.runtime.folder import ModelFolder
    from fenjie.text.span import Sentence


class _Job(NamedTuple):
    """A comparison, and the parts of its result that are printed."""

    name: str
    file: Path
    gold: list[Sentence]
    predicted: list[Sentence]
    errors: int
    diff: int
    as_json: bool


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
        typer.Option(help="Score this file, annotated by any tool, instead of a model."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            "--words",
            help="The training file, or for words a list, one per line: for scores of mentions or "
            "words that training has and has not.",
        ),
    ] = None,
    form: Format = None,
    encoding: Encoding = "utf-8",
    errors: Annotated[int, typer.Option(help="Number of the most frequent errors to show.")] = 0,
    diff: Annotated[
        int, typer.Option(help="Number of sentences with different entities to show.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score words as the official SIGHAN script does, or entities by exact spans."""
    if len(sources) != (2 if predicted is None else 1):
        expected = "MODEL FILE, or --predicted FILE FILE"
        raise FenjieError(f"found {len(sources)} arguments; expected {expected}")
    file = Path(sources[-1])
    gold = _read(file, form, encoding)
    if predicted is not None:
        name, answers = str(predicted), _read(predicted, form, encoding)
        _check_texts(file, gold, predicted, answers)
        folder, task = None, "segment" if _segmented(gold) else "ner"
    else:
        from fenjie.cli.prediction import predict
        from fenjie.runtime.folder import ModelFolder
        from fenjie.text.span import WORD

        name, folder = sources[0], ModelFolder.open(sources[0])
        words = folder.config["task"] == "ner" and folder.tags.labels == (WORD,)
        task = "segment" if words else folder.config["task"]
        if task == "segment":
            _check_segmented(file, gold)
        answers = predict(folder, [sentence.text for sentence in gold])
    job = _Job(name, file, gold, answers, errors, diff, as_json)
    if task == "segment":
        _words(job, training_words(train, form, encoding) if train else None)
    else:
        _entities(job, _read(train, form, encoding) if train else None, folder)


def _read(path: Path, form: str | None, encoding: str) -> list[Sentence]:
    """The sentences of a file but for the empty ones.

    Raises:
        FenjieError: it cannot be read, or holds none.
    """
    from fenjie.corpus import read

    sentences = [s for s in read(path, form, encoding=encoding).sentences if s.text]
    if not sentences:
        raise FileError(path, "holds no sentence")
    return sentences


def _segmented(sentences: Sequence[Sentence]) -> bool:
    from fenjie.text.span import WORD

    return all(s.tiled and all(span.label == WORD for span in s.spans) for s in sentences)


def _check_segmented(path: Path, sentences: Sequence[Sentence]) -> None:
    for number, sentence in enumerate(sentences, 1):
        if not sentence.tiled:
            raise FileError(path, f"sentence {number} is not segmented", found=sentence.text)


def _check_texts(
    file: Path, gold: Sequence[Sentence], predicted: Path, answers: Sequence[Sentence]
) -> None:
    from fenjie.evaluation.shares import pairs

    try:
        for _ in pairs(gold, answers):
            pass
    except FenjieError as error:
        raise FileError(predicted, f"does not go with {file}: {error}") from error


def _words(job: _Job, vocabulary: set[str] | None) -> None:
    """Score words, and print."""
    from fenjie.evaluation.word_report import report
    from fenjie.evaluation.word_scores import score
    from fenjie.progress import Screen

    if job.diff:
        raise FenjieError("--diff shows entities, and these files hold words; expected --errors")
    scores = score(job.gold, job.predicted, vocabulary or set())
    found = report(job.gold, job.predicted, job.errors) if job.errors else None
    if job.as_json:
        values = scores.as_dict()
        if vocabulary is None:
            values = {name: value for name, value in values.items() if _needs_no_words(name)}
        _print_json(job, values | ({"errors": asdict(found)} if found is not None else {}))
        return
    from fenjie.cli.tables import word_errors, word_scores

    console = Screen()
    console.print(word_scores(job.file.name, scores, vocabulary is not None))
    if found is not None:
        console.print(word_errors(found))


def _needs_no_words(name: str) -> bool:
    return not name.startswith(("oov", "iv"))


def _entities(job: _Job, training: Sequence[Sentence] | None, folder: ModelFolder | None) -> None:
    """Score entities, and print."""
    from fenjie.evaluation.diff import differences
    from fenjie.evaluation.entity_report import report
    from fenjie.evaluation.entity_scores import entities, mentions, score
    from fenjie.progress import Screen

    seen = None if training is None else mentions(training)
    scores = score(job.gold, job.predicted, seen)
    labels = {label for _, label in seen} if seen is not None else None
    if folder is not None:
        labels = set(folder.tags.labels)
    counts = Counter(span.label for sentence in job.gold for span in entities(sentence))
    new = {} if labels is None else _missing(counts, labels)
    found = report(job.gold, job.predicted, seen, job.errors) if job.errors else None
    blocks = differences(job.gold, job.predicted)
    if job.as_json:
        values = scores.as_dict() | {"unknown_labels": new}
        if found is not None:
            values["errors"] = asdict(found)
        if job.diff:
            values["diff"] = [block.as_dict() for block in islice(blocks, job.diff)]
        _print_json(job, values)
        return
    from fenjie.cli.tables import diff_blocks, entity_errors, entity_scores
    from fenjie.evaluation.shares import per_cent

    console = Screen(soft_wrap=True)
    for table in entity_scores(job.file.name, scores):
        console.print(table)
    console.print(
        f"Span F {per_cent(scores.span_f1)}, Type Acc {per_cent(scores.type_accuracy)}",
    )
    if new:
        listed = ", ".join(f"{label} ({count:,})" for label, count in new.items())
        who = "the model" if folder is not None else "the training data"
        console.print(
            f"labels that {who} does not have, counted as missed: {listed}",
        )
    if found is not None:
        for table in entity_errors(found):
            console.print(table)
    if job.diff:
        for text in diff_blocks(blocks, job.diff):
            console.print(text)


def _missing(counts: Counter[str], known: Collection[str]) -> dict[str, int]:
    """The counts of the gold labels that are not known, the most frequent first."""
    return {label: count for label, count in counts.most_common() if label not in known}


def _print_json(job: _Job, values: dict[str, Any]) -> None:
    result = {"model": job.name, "file": str(job.file), **values}
    typer.echo(json.dumps(result, ensure_ascii=False))


def training_words(path: Path, form: str | None, encoding: str) -> set[str]:
    """The words of the training data: a list with one word per line, or an annotated file.

    Raises:
        FenjieError: the file cannot be read.
    """
    from fenjie.corpus import read
    from fenjie.files import read_lines

    lines = [line.strip() for _, line in read_lines(path, encoding)]
    if any(re.search(r"\s", line) or line.startswith('{"') for line in lines):
        words = {word for s in read(path, form, encoding=encoding).sentences for word in s.words}
    else:
        words = set(lines) - {""}
    if not words:
        raise FenjieError(f"{path}: holds no words")
    return words
