"""`fenjie data`: check the benchmark data, count sentences, words and entities of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli.options import Encoding, Format, path
from fenjie.errors import FenjieError, FileError

if TYPE_CHECKING:
    from collections import Counter

    from rich.table import Table

    from fenjie.corpus.benchmarks import Checked
    from fenjie.corpus.statistics import Statistics

app = typer.Typer(
    help="Check benchmark data; count the sentences, words and entities of files.",
    no_args_is_help=True,
)

Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR",
        help="The data folder, with ner/ and cws/ in it.",
        envvar="FENJIE_DATA",
        parser=path,
    ),
]
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Annotated files, or - for standard input."),
]


@app.command()
def check(folder: Folder = None) -> None:
    """Verify every data set under DIR against its published counts."""
    from rich.progress import track

    from fenjie.corpus.benchmarks import FILES, check_folder
    from fenjie.corpus.benchmarks import check as check_files
    from fenjie.progress import Screen

    if folder is None:
        raise FenjieError("DIR is missing; expected the data folder, or FENJIE_DATA that names it")
    check_folder(folder)
    files = check_files(folder)
    progress = Screen(stderr=True)
    quiet = not progress.is_terminal
    results = list(
        track(files, "Counting", len(FILES), console=progress, transient=True, disable=quiet)
    )
    console = Screen()
    console.print(_check_table(results))
    for result in results:
        if result.repairs:
            console.print(f"{result.file.path}: ill-formed tags repaired: {result.repairs}")
    for result in results:
        if result.problem is not None:
            raise FenjieError(result.problem)
    wrong = [
        (result.file.path, *count)
        for result in results
        for count in result.counts
        if count[1] != count[2]
    ]
    if wrong:
        path, quantity, found, expected = wrong[0]
        raise FileError(
            folder / path,
            f"{len(wrong)} counts differ, the first in {quantity}",
            found=found,
            expected=f"{expected}",
        )


def _check_table(results: list[Checked]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("file", overflow="fold")
    table.add_column("count of")
    table.add_column("found", justify="right")
    table.add_column("expected", justify="right")
    table.add_column("ok")
    for result in results:
        name = result.file.path
        for quantity, found, expected in result.counts:
            count = "–" if found is None else f"{found:,}"
            mark = Text("yes", "green") if found == expected else Text("no", "red")
            table.add_row(name, quantity, count, f"{expected:,}", mark)
            name = ""
        table.add_section()
    return table


@app.command()
def stats(
    files: Files,
    format: Format = None,
    encoding: Encoding = "utf-8",
    lexicon: Annotated[
        Path | None,
        typer.Option(
            help="A word list, dictionary or lexicon: count its words in each sentence.",
            parser=path,
        ),
    ] = None,
) -> None:
    """Count the sentences, characters, words and entities of each FILE."""
    from rich.table import Table

    from fenjie.corpus import read
    from fenjie.corpus.statistics import measure
    from fenjie.lexicon import Lexicon
    from fenjie.progress import Screen

    words = Lexicon.read(lexicon) if lexicon else None
    columns = []
    for file in files:
        corpus = read(file, format, encoding=encoding)
        figures = _figures(measure(corpus), corpus.repairs)
        if words is not None:
            found = words.statistics(sentence.text for sentence in corpus)
            figures["Lexicon words per sentence"] = f"{found.words:.2f}"
        columns.append(figures)
    table = Table("")
    for file in files:
        table.add_column(Path(file).name, justify="right", overflow="fold")
    for title in dict.fromkeys(title for column in columns for title in column):
        table.add_row(title, *(column.get(title, "") for column in columns))
    Screen().print(table)


def _figures(counted: Statistics, repairs: Counter[str]) -> dict[str, str]:
    """The figures of one file, as in Table 3 of SAMS for words and Table 1 of FLAT for entities."""
    from fenjie.corpus.jsonl import NOT_ACCEPTED

    figures = {
        "Sentences": f"{counted.sentences:,}",
        "Characters": f"{counted.characters:,}",
        "Character types": f"{counted.character_types:,}",
        "Characters per sentence": f"{counted.mean_length:.2f}",
        "Max length (characters)": f"{counted.longest:,}",
    }
    if counted.words:
        figures |= {
            "Words": f"{counted.words:,}",
            "Word types": f"{counted.word_types:,}",
            "Max length (words)": f"{counted.most_words:,}",
        }
    if counted.entities:
        figures |= {
            "Entities": f"{counted.entities.total():,}",
            "Entities per sentence": f"{counted.mean_entities:.2f}",
        }
        figures |= {f"  {label}": f"{n:,}" for label, n in counted.entities.most_common()}
    if repairs[NOT_ACCEPTED]:
        figures["Examples rejected or ignored"] = f"{repairs[NOT_ACCEPTED]:,}"
    if repaired := repairs.total() - repairs[NOT_ACCEPTED]:
        figures["Ill-formed tags repaired"] = f"{repaired:,}"
    return figures
