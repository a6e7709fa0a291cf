"""Train a recipe: the run's folder, the processes and devices, and then the loop."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from fenjie.errors import FileError
from fenjie.progress import Screen
from fenjie.recipe.datasets import DataRecipe
from fenjie.recipe.derived import self_contained
from fenjie.recipe.recipe import Recipe, difference, dumps, load, loads
from fenjie.tasks.corpora import is_text_of_brat
from fenjie.training.loop import Result, Run, Watch
from fenjie.training.run_folder import RECIPE, KeptRecipe, accelerated, missing, taken_back


def run_training(
    recipe: Recipe | Path,
    output: Path | None = None,
    *,
    resume: bool = False,
    seed: int | None = None,
    data: Path | None = None,
    console: Console | None = None,
    watch: Watch | None = None,
) -> Result:
    """Train a model, choose the best on dev, score it on test.

    Args:
        recipe: the recipe or its file.
        output: the run's folder; without it `runs/NAME` with the name of the recipe's file, and
            `runs/NAME-SEED` where a seed is given.
        resume: go on from the last checkpoint in the folder; start where there is none.
        seed: instead of the recipe's.
        data: a folder with other files than the recipe's, see `own_data`; of its table `data`
            `passage` and `encoding` alone stay.
        console: where to print; standard error without it.
        watch: called after the last dev score of each epoch with the number of the epoch and F1;
            what it raises ends the run, which can be resumed.

    Returns:
        What the best model scores. In the folder stand `model/`, the log, the curves for
        TensorBoard, `scores.json` and the last checkpoint.

    Raises:
        FenjieError: the recipe, the data or the folder are not as they should be, or the disk
            is full.
    """
    path = recipe if isinstance(recipe, Path) else None
    if isinstance(recipe, Path):
        recipe = load(recipe)
    name, command = path.stem if path else "model", f"fenjie train {path or RECIPE}"
    if seed is not None:
        recipe = replace(recipe, training=replace(recipe.training, seed=seed))
        name, command = f"{name}-{seed}", f"{command} --seed {seed}"
    if data is not None:
        given = recipe.data
        own = replace(own_data(data), passage=given.passage, encoding=given.encoding)
        recipe = replace(recipe, data=own)
        name, command = f"{name}-{data.resolve().name}", f"{command} --data {data}"
    recipe = loads(dumps(recipe))  # settings given from Python are checked too
    folder = output or Path("runs") / name
    same = path is not None and seed is None and data is None
    copy = self_contained(path) if path and same else dumps(recipe).encode()
    absent = missing(folder)
    with accelerated(folder, recipe.training.precision) as accelerator, ExitStack() as held:
        if accelerator.is_main_process:
            kept = KeptRecipe(copy, lambda file: difference(load(file), recipe), given=path)
            run_name = f"the run {name}, seed {recipe.training.seed}"
            held.enter_context(kept.begun(folder, run_name, resume))
        accelerator.wait_for_everyone()
        with taken_back(absent, accelerator.is_main_process):
            screen = console or Screen(stderr=True)
            run = Run(recipe, folder, accelerator, screen, (name, command))
            run.watch = watch
        try:
            run.train()
            return run.finish()
        finally:
            run.close()


def own_data(folder: Path) -> DataRecipe:
    """The data of a folder: what its files train.*, dev.* and test.* hold.

    The two files of brat, X.ann and X.txt, count as one.

    Raises:
        FenjieError: there is no such folder or no file train.*, or there are several of a kind.
    """
    if not folder.is_dir():
        raise FileError(folder, "is no folder", expected="one with a file train.*")
    found: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    paths = [path for path in sorted(folder.iterdir()) if not is_text_of_brat(path)]
    for path in paths:
        kind = path.name.partition(".")[0]
        if kind in found and path.is_file():
            found[kind].append(str(path.resolve()))
    for kind, names in found.items():
        if len(names) > 1 or (kind == "train" and not names):
            listed = ", ".join(Path(name).name for name in names) or "no such file"
            raise FileError(folder, f"needs one file {kind}.*; there is {listed}")
    dev: float | tuple[str, ...] = tuple(found["dev"]) or 0.1
    return DataRecipe(train=tuple(found["train"]), dev=dev, test=tuple(found["test"]))
