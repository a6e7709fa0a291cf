"""Pre-train an encoder by a recipe: the run's folder, the processes and devices, then the loop."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TextColumn

from fenjie.pretraining.allocator import keep_freed_memory
from fenjie.pretraining.learning import ENCODER, MILLION, Pretraining
from fenjie.pretraining.preparation import checksums, difference, packed_text
from fenjie.pretraining.settings import read_recipe
from fenjie.pretraining.starting_encoder import read_start
from fenjie.progress import Display, Screen
from fenjie.recipe.derived import self_contained
from fenjie.recipe.recipe import locate
from fenjie.training.run_folder import CHECKPOINT, KeptRecipe, accelerated, missing, taken_back


def pretrain(path: Path, output: Path | None = None, *, resume: bool = False) -> Path:
    """Pre-train an encoder.

    Args:
        path: the recipe.
        output: the run's folder; without it `runs/NAME` with the name of the recipe's file.
        resume: go on from the last checkpoint in the folder; start where there is none.

    Returns:
        The encoder, a folder in that of the run.

    Raises:
        FenjieError: the recipe, the texts or the folder are not as they should be, or the disk is
            full.
    """
    recipe, copy = read_recipe(path), self_contained(path)
    files = checksums(recipe)
    folder = output or Path("runs") / path.stem
    screen = Screen(stderr=True)
    keep_freed_memory()
    absent = missing(folder)
    with accelerated(folder, recipe.training.precision) as accelerator, ExitStack() as held:
        if accelerator.is_main_process:
            kept = KeptRecipe(
                copy,
                lambda file: difference(read_recipe(file), recipe),
                path,
                (CHECKPOINT, ENCODER),
            )
            held.enter_context(kept.begun(folder, f"the run {path.stem}", resume))
        with taken_back(absent, accelerator.is_main_process):
            with accelerator.main_process_first():
                if accelerator.is_main_process:
                    screen.print(f"{folder}: reading {len(recipe.texts)} files of text")
                start = read_start(locate(recipe.start), recipe.encoder) if recipe.start else None
                known = start.characters if start else ()
                text = packed_text(recipe, files, folder, known)
            run = Pretraining(recipe, text, folder, accelerator, files, start)
        with closing(run), closing(Progress(screen, run)) as progress:
            run.train(progress, f"fenjie pretrain {path}")
        return folder / ENCODER


class Progress:
    """Shows a run: characters, losses, speed, and the time left. Of several processes one does."""

    def __init__(self, console: Console, run: Pretraining) -> None:
        """Begin to show a run, from wherever it stands."""
        if not run.main:
            console = Screen(quiet=True, force_terminal=False)
        self._run, self._first, self._since = run, run.characters, time.perf_counter()
        self._held = float("nan")
        self._display = Display(
            console,
            BarColumn(),
            TextColumn("{task.fields[text]}"),
        )
        characters = len(run.text.characters)
        console.print(
            f"{run.folder}: {len(run.text.ids):,} characters of text, {characters:,} different "
            f"ones; {run.parameters:,} parameters; {run.total:,} steps, {run.step:,} done"
        )
        self._display.begin("", run.total, run.step, text="")

    def loss(self, step: int, loss: float) -> None:
        """Show the mean loss of the last steps."""
        seen = self._run.characters
        speed = (seen - self._first) / max(time.perf_counter() - self._since, 1e-9)
        text = (
            f"{seen / MILLION:.1f} M characters  loss {loss:.3f}  held out {self._held:.3f}  "
            f"{speed:,.0f} characters/s"
        )
        self._display.show(step, text=text)
        self._display.line(text)

    def held_out(self, loss: float) -> None:
        """Take the loss on the rows that are held out, to be shown with the next one."""
        self._held = loss

    def close(self) -> None:
        """Stop the bar."""
        self._display.close()
