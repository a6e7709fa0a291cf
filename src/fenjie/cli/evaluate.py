"""`fenjie evaluate`: score a model on an annotated file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.errors import FenjieError, FileError

if TYPE_CHECKING:
    from rich.table import Table

    from fenjie.evaluation.report import ErrorReport
    from fenjie.evaluation.words import WordScores
    from fenjie.text.span import Sentence


def evaluate(
    model: Annotated[str, typer.Argument(help="A model folder, or the name of a shipped model.")],
    file: Annotated[Path, typer.Argument(help="The annotated file.", show_default=False)],
    words: Annotated[
        Path | None,
        typer.Option(help="The training words, one a line, or the training file: for OOV recall."),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="Form of the files; guessed without it.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    errors: Annotated[int, typer.Option(help="Show so many of the most frequent errors.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a model on an annotated file, as the official SIGHAN script does."""
    from rich.console import Console

    from fenjie.corpus import read
    from fenjie.evaluation.report import report
    from fenjie.evaluation.words import score

    gold = [s for s in read(file, form, encoding=encoding).sentences if s.text]
    if not gold:
        raise FileError(file, "holds no sentence")
    for number, sentence in enumerate(gold, 1):
        if not sentence.tiled:
            raise FileError(file, f"sentence {number} is not segmented", found=sentence.text)
    vocabulary = training_words(words, form, encoding) if words else None
    predicted = segment(model, [sentence.text for sentence in gold])
    scores = score(gold, predicted, vocabulary or set())
    found = report(gold, predicted, errors) if errors else None
    if as_json:
        values = scores.as_dict()
        if vocabulary is None:
            values = {name: value for name, value in values.items() if _needs_no_words(name)}
        result = {"model": model, "file": str(file), **values}
        if found is not None:
            result["errors"] = asdict(found)  # type: ignore[assignment]
        typer.echo(json.dumps(result, ensure_ascii=False))
        return
    console = Console()
    console.print(scores_table({file.name: scores}, known=vocabulary is not None))
    if found is not None:
        console.print(errors_table(found))


def _needs_no_words(name: str) -> bool:
    return not name.startswith(("oov", "iv"))


def segment(model: str, texts: Sequence[str]) -> list[Sentence]:
    """Segment texts with a model: by its export, or by PyTorch where it has none.

    Raises:
        FenjieError: there is no such model, or it has no export and PyTorch is not installed.
    """
    from fenjie.runtime.folder import ONNX, ModelFolder

    folder = ModelFolder.open(model)
    if (folder.path / ONNX).is_file():
        from fenjie.runtime.tagger import Segmenter

        return Segmenter(folder)(list(texts))
    try:
        from fenjie.training.predict import Reader
        from fenjie.training.save import load_model
    except ModuleNotFoundError as error:
        raise FileError(
            folder.path / ONNX,
            f"is missing, and without it {error.name} is needed: pip install 'fenjie[train]'",
        ) from error
    return Reader(texts, folder.normaliser, folder.indexer)(load_model(folder))


def training_words(path: Path, form: str | None, encoding: str) -> set[str]:
    """The words of the training data: a list with one word a line, or an annotated file.

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


def scores_table(rows: Mapping[str, WordScores], known: bool = True) -> Table:
    """Word scores in per cent, a row a file.

    Args:
        rows: the scores by the name of the file.
        known: whether the training words are known, without which OOV means nothing.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in ("P", "R", "F1", "OOV rate", "OOV recall", "IV recall", "words"):
        if known or "V" not in name:
            table.add_column(name, justify="right")
    for name, scores in rows.items():
        values = [scores.precision, scores.recall, scores.f1]
        if known:
            values += [scores.oov_rate, scores.oov_recall, scores.iv_recall]
        cells = ["–" if value != value else f"{100 * value:.2f}" for value in values]
        table.add_row(escape(name), *cells, f"{scores.gold:,}")
    return table


def errors_table(report: ErrorReport) -> Table:
    """The most frequent errors, a row each."""
    from rich.markup import escape
    from rich.table import Table

    kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.kinds.items())
    table = Table(title=kinds, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("count", justify="right")
    for name in ("error", "gold", "predicted", "examples"):
        table.add_column(name)
    for confusion in report.confusions:
        table.add_row(
            f"{confusion.count:,}",
            confusion.kind,
            escape(" ".join(confusion.gold)),
            escape(" ".join(confusion.predicted)),
            escape("  ".join(confusion.examples)),
        )
    return table
