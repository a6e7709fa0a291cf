"""`fenjie scale`: words and entities of Parquet by a cluster of Ray."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli.options import Force, Into, Labels, Model, Standard, path, user_words
from fenjie.errors import FenjieError, FileError, needing

if TYPE_CHECKING:
    import ray.data

    from fenjie.runtime.entity_tagger import EntityTagger
    from fenjie.runtime.segmenter import Segmenter


BLOCK = 1 << 22
"""Bytes of the rows that an actor works on at once, and does again where one died, about."""

FILE = 1 << 27
"""Bytes of a file that is written, at least, where there are so many."""

app = typer.Typer(
    help="Words and entities of large tables, by a cluster of Ray.", no_args_is_help=True
)

Tables = Annotated[
    list[str],
    typer.Argument(metavar="TABLE…", help="Files or folders of Parquet, here or at s3://…, gs://…"),
]
Folder = Annotated[
    str,
    typer.Option(
        "--output", "-o", help="The folder that gets files of Parquet; it may not be there yet."
    ),
]
Texts = Annotated[str, typer.Option("--column", help="The column of texts.")]
Actors = Annotated[
    int | None, typer.Option(min=1, help="Number of actors, at most; all cores but one without it.")
]
Address = Annotated[
    str | None,
    typer.Option(help="A cluster that runs already; without it one is started on this machine."),
]


@app.command()
def tag(
    tables: Tables,
    to: Folder,
    model: Model = "ner",
    column: Texts = "text",
    into: Into = None,
    words: Annotated[
        Path | None, typer.Option(help="A file of words, as of `fenjie tag`.", parser=path)
    ] = None,
    force: Force = False,
    labels: Labels = None,
    workers: Actors = None,
    address: Address = None,
) -> None:
    """Find the named entities of a column of texts; all other columns are kept.

    An actor that dies is replaced, and no row is lost or comes twice. Rows may change their order.
    """
    from fenjie.runtime.load import load_entity_tagger
    from fenjie.tables.findings import ENTITIES

    own = user_words(words, force)
    tagger = load_entity_tagger(model, words=own, force=force)
    if labels is not None:
        tagger = tagger.only(labels)

    _convert(tables, to, tagger, column, into or ENTITIES, workers, address)


@app.command()
def segment(
    tables: Tables,
    to: Folder,
    model: Model = "segment",
    standard: Standard = None,
    column: Texts = "text",
    into: Into = None,
    words: Annotated[
        Path | None, typer.Option(help="A file of user words, as of `fenjie segment`.", parser=path)
    ] = None,
    force: Force = False,
    workers: Actors = None,
    address: Address = None,
) -> None:
    """Find the words of a column of texts; all other columns are kept. See `fenjie scale tag`."""
    from fenjie.runtime.load import load_segmenter
    from fenjie.tables.findings import WORDS

    own = user_words(words, force)
    segmenter = load_segmenter(model, words=own, standard=standard, force=force)

    _convert(tables, to, segmenter, column, into or WORDS, workers, address)


def _convert(
    tables: list[str],
    to: str,
    annotator: EntityTagger | Segmenter,
    column: str,
    into: str,
    workers: int | None,
    address: str | None,
) -> None:
    """Read tables, add a column and write them.

    Raises:
        FenjieError: a table or the folder is at fault, Ray is not installed, or has no such
            cluster.
    """
    for table in tables:
        _check(table, column, into)
    if "://" not in to and Path(to).exists():
        raise FileError(to, "is there already", expected="the name of a new folder")
    with _cluster(address):
        import ray.data

        from fenjie.scale import ray_data

        context = ray.data.DataContext.get_current()
        context.target_max_block_size = BLOCK
        context.enable_progress_bars = sys.stderr.isatty()
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        dataset = ray.data.read_parquet([_resolved(table) for table in tables])
        _write(ray_data.added(dataset, annotator, column, into, workers), to)


def _resolved(path: str) -> str:
    """A path as workers understand it, whose working directory is another one."""
    return path if "://" in path else str(Path(path).resolve())


def _check(table: str, column: str, into: str) -> None:
    """See to it that a table is there and has a column of texts, where that can be seen.

    Raises:
        FileError: it is not so.
    """
    with needing("fenjie scale needs", "ray"):
        import pyarrow  # noqa: F401  # Ray itself, which takes long to import, comes later
    from fenjie.scale.parquet_table import check_file
    from fenjie.tables.names import kind_of

    kind = kind_of(table)
    is_here = "://" not in table
    if is_here and not Path(table).exists():
        raise FileError(table, "cannot be read: No such file or directory")
    is_file = is_here and Path(table).is_file()
    if kind != "parquet" and (is_file or kind is not None):
        raise FileError(table, "is no table of Parquet", expected="a name that ends in .parquet")
    if is_file:
        check_file(table, column, into)


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Where a cluster runs.

    Raises:
        FenjieError: Ray is not installed, cannot be reached, or a task failed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Without it Ray warns that an actor may not come back, in a line that helps nobody. It says in
    # one line that it has read this, before it has; no setting of its own takes that one away.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    with needing("fenjie scale needs", "ray"):
        import ray.data

    ours = not ray.is_initialized()
    try:
        if ours:
            is_there = address is not None or "RAY_ADDRESS" in os.environ
            # An actor takes a core, and reading takes one.
            cores = None if is_there else max(2, os.cpu_count() or 2)
            at_term = signal.getsignal(signal.SIGTERM)
            ray.init(address, num_cpus=cores, log_to_driver=False, logging_level=logging.ERROR)
            signal.signal(signal.SIGTERM, at_term)  # Ray's own handler ends in an abort
        yield
    except FenjieError:
        raise
    except (ray.exceptions.RayError, OSError, ValueError) as error:
        raise FenjieError(_reason(error)) from error
    finally:
        if ours:
            ray.shutdown()


def _reason(error: BaseException) -> str:
    """The message of the error that an error of Ray goes back to, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).strip().rpartition("\n")[2]


def _write(dataset: ray.data.Dataset, to: str) -> None:
    """Write files of Parquet; a folder of this machine appears whole or not at all.

    Raises:
        FileError: the folder is there already, or cannot be written.
    """
    import ray.data
    from ray.data import SaveMode

    from fenjie.files import atomic

    if "://" in to:
        dataset.write_parquet(to, mode=SaveMode.ERROR, min_bytes_per_file=FILE)
        return
    with atomic(to) as made:
        try:
            dataset.write_parquet(_resolved(str(made)), min_bytes_per_file=FILE)
        except ray.exceptions.RayError as error:  # some are of the system's errors too
            raise FenjieError(_reason(error)) from error
