"""Text in, text out: what `fenjie segment` and `fenjie tag` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fenjie import __version__
from fenjie.cli.colors import in_terminal
from fenjie.cli.options import check_not_read
from fenjie.errors import FenjieError
from fenjie.files import checked_encoding
from fenjie.scale.blocks import STANDARD, Reached, arriving, blocks, equal
from fenjie.scale.conversion import Conversion, run
from fenjie.scale.fingerprints import check_unchanged, fingerprint, fingerprints, written
from fenjie.scale.meter import metered
from fenjie.scale.outputs import Finish, StandardOutput, whole_file
from fenjie.scale.packing import packing_of
from fenjie.scale.rendering import Render, Rendering
from fenjie.scale.resumable import check_no_partial, resumable_file

if TYPE_CHECKING:
    from fenjie.runtime.annotator import Annotator


@dataclass(frozen=True)
class Job:
    """What a command reads and writes.

    Attributes:
        files: paths, or `STANDARD`.
        to: the file to write, packed where its name ends in `.gz` or `.xz`; None for standard
            output.
        encoding: of the files.
        words: the file of user words, if there is one.
        jobs: number of processes.
        resume: whether a run that was stopped goes on.
        column: of a table, that holds the texts; None for the usual one.
        into: the column that is added to a table; None for the usual one.
        force: whether the user words are found wherever they occur.
    """

    files: Sequence[str] = (STANDARD,)
    to: Path | None = None
    encoding: str = "utf-8"
    words: Path | None = None
    jobs: int = 1
    resume: bool = False
    column: str | None = None
    into: str | None = None
    force: bool = False

    def __post_init__(self) -> None:
        """Raise a FileError where the output would take the place of what is read."""
        if self.to is not None:
            files = [name for name in self.files if name != STANDARD]
            check_not_read(self.to, files if self.words is None else [*files, self.words])

    @property
    def in_terminal(self) -> bool:
        """Whether the output is seen in a terminal."""
        return self.to is None and in_terminal()


class Plan(NamedTuple):
    """How input becomes output.

    Attributes:
        read: gives the input from a place on, or from its beginning (None).
        conversion: what is done with each piece.
        finish: makes the output file of what was written; None where that is the file.
        options: what else the output depends on.
    """

    read: Callable[[Any], Iterator[tuple[Any, Reached]]]
    conversion: Conversion[Any]
    finish: Finish | None = None
    options: Mapping[str, str] = {}


def convert(job: Job, annotator: Annotator[Any], render: Render, form: str) -> None:
    """Write what a tagger finds in each line of some files, as soon as it is found.

    Args:
        job: what is read and written.
        annotator: finds words or entities.
        render: writes a line.
        form: its name.

    Raises:
        FenjieError: a file cannot be read or written.
    """
    checked_encoding(job.encoding)
    shown = job.in_terminal and form != "color"
    rendering = Rendering(annotator, render, job.encoding, packing_of(job.to), shown)
    cut = arriving if job.to is None else equal
    read = partial(blocks, job.files, cut)
    carry_out(job, Plan(read, rendering, options={"--format": form}))


def carry_out(job: Job, plan: Plan) -> None:
    """Read, convert and write, in one go or, to be resumed, in several.

    Raises:
        FenjieError: a file cannot be read or written, or a run cannot go on.
    """
    if job.resume:
        _resume(job, plan)
        return
    with _output(job.to, plan.finish) as output:
        progress = run(plan.read(None), plan.conversion, output, job.jobs)
        metered(progress, job.files, shown=not job.in_terminal)


def _output(to: Path | None, finish: Finish | None) -> AbstractContextManager[Any]:
    if to is None:
        return nullcontext(StandardOutput())
    check_no_partial(to)
    return whole_file(to, finish)


def _resume(job: Job, plan: Plan) -> None:
    if job.to is None:
        raise FenjieError("--resume goes on writing a file; expected --output")
    before = written(job.files)  # what the checksums below see is not older
    annotator = plan.conversion.annotator
    model = annotator.folder
    conditions = {
        "fenjie": __version__,
        **fingerprints(job.files),
        "model": f"{model.name} {model.fingerprint[:32]}",
        **plan.options,
        "--encoding": job.encoding,
        "--threads": str(annotator.threads),
        "--standard": annotator.standard or "none",
        "--force": str(job.force).lower(),
        "--labels": ",".join(annotator.labels) or "none",
        "--words": "none" if job.words is None else f"{job.words.name} {fingerprint(job.words)}",
    }
    with resumable_file(job.to, conditions, plan.finish) as output:
        if not output.complete:
            progress = run(plan.read(output.place), plan.conversion, output, job.jobs)
            metered(progress, job.files, shown=True)
        check_unchanged(job.files, before)
