"""Text in, text out: what `fenjie segment` and `fenjie tag` share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fenjie import __version__
from fenjie.cli.colors import in_terminal
from fenjie.errors import FenjieError
from fenjie.files import checked_encoding
from fenjie.scale.blocks import STANDARD, arriving, blocks, equal
from fenjie.scale.conversion import run
from fenjie.scale.fingerprints import fingerprint, fingerprints, unchanged
from fenjie.scale.meter import metered
from fenjie.scale.outputs import StandardOutput, whole_file
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
    """

    files: Sequence[str] = (STANDARD,)
    to: Path | None = None
    encoding: str = "utf-8"
    words: Path | None = None
    jobs: int = 1
    resume: bool = False


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
    terminal = job.to is None and in_terminal()
    rendering = Rendering(
        annotator, render, job.encoding, packing_of(job.to), terminal and form != "color"
    )
    if job.resume:
        _resume(job, rendering, form)
        return
    cut = arriving if job.to is None else equal
    with _output(job.to) as output:
        progress = run(blocks(job.files, cut), rendering, output, job.jobs)
        metered(progress, job.files, shown=not terminal)


def _output(to: Path | None) -> AbstractContextManager[Any]:
    if to is None:
        return nullcontext(StandardOutput())
    check_no_partial(to)
    return whole_file(to)


def _resume(job: Job, rendering: Rendering, form: str) -> None:
    if job.to is None:
        raise FenjieError("--resume goes on writing a file; expected --output")
    model = rendering.annotator.folder
    conditions = {
        "fenjie": __version__,
        **fingerprints(job.files),
        "model": f"{model.name} {model.fingerprint[:32]}",
        "--format": form,
        "--encoding": job.encoding,
        "--threads": str(rendering.annotator.threads),
        "--standard": rendering.annotator.standard or "none",
        "--words": "none" if job.words is None else f"{job.words.name} {fingerprint(job.words)}",
    }
    with unchanged(job.files), resumable_file(job.to, conditions) as output:
        if not output.complete:
            progress = run(blocks(job.files, equal, output.place), rendering, output, job.jobs)
            metered(progress, job.files, shown=True)
