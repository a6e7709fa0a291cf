"""Model folders: what a training run leaves for others."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save
from torch import Tensor

from fenjie import __version__
from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe, dumps
from fenjie.recipe.toml import dump
from fenjie.runtime.folder import CONFIG, FORMAT, WEIGHTS, seal
from fenjie.store import provenance
from fenjie.tasks.task import Scores, Task


@dataclass(frozen=True)
class Origin:
    """Where a model comes from, for its card.

    Attributes:
        name: of the model.
        command: that trained it.
        epoch: in which it was best on dev, counted from 1.
        step: in which it was.
        seconds: of training until then.
        processes: that trained it.
        device: on which.
        dev: its scores on dev.
        test: its scores on each test file.
    """

    name: str
    command: str
    epoch: int
    step: int
    seconds: float
    processes: int
    device: str
    dev: Scores
    test: Mapping[str, Scores]


def save_model(
    folder: Path,
    recipe: Recipe,
    task: Task,
    weights: Mapping[str, Tensor],
    origin: Origin,
) -> None:
    """Write a model folder, as a whole.

    Raises:
        FileError: the file system refuses; an older folder is untouched.
    """
    config = {
        "format": FORMAT,
        "name": origin.name,
        "task": recipe.task,
        "architecture": recipe.architecture,
        "text": asdict(recipe.text),
    }
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    with atomic(folder) as made:
        made.mkdir()
        inputs = task.write(made)
        _write(made / CONFIG, dump(config | {"input": inputs, "model": asdict(recipe.model)}))
        (made / WEIGHTS).write_bytes(save(tensors, {"format": "pt"}))
        _write(made / "README.md", card(recipe, origin, sum(t.numel() for t in tensors.values())))
        seal(made)


def card(recipe: Recipe, origin: Origin, parameters: int) -> str:
    """The model card: data, scores, command, seed, machine, versions."""
    dev = recipe.data.dev
    first, kind = recipe.data.train[0], _KINDS[recipe.task]
    held = f"{dev:.0%} of `{first}`, {kind.held}" if isinstance(dev, float) else None
    rows = [("dev", origin.dev), *((f"`{name}`", scores) for name, scores in origin.test.items())]
    heads = list(origin.dev.figures)
    lines = [
        f"# {origin.name}",
        "",
        f"A model of fenjie for Chinese {kind.title} ({recipe.architecture}, "
        f"{parameters:,} parameters).",
        "",
        "## Data",
        "",
        f"- trained on {', '.join(f'`{name}`' for name in recipe.data.train)}",
        f"- best epoch chosen on {held or ', '.join(f'`{name}`' for name in dev)}",  # type: ignore[union-attr]
        *(
            f"- shown the words of the dictionary `{name}` where they occur"
            for name in recipe.vocabulary.lexicon
        ),
        "- the data are not part of the model; their own terms apply",
        "",
        "## Scores",
        "",
        f"In per cent, {kind.counts}.",
        "",
        f"| data | {' | '.join(heads)} |",
        f"|---|{'---|' * len(heads)}",
        *(f"| {name} | {_row(scores)} |" for name, scores in rows),
        "",
        "## Training",
        "",
        f"- command: `{origin.command}`",
        f"- seed {recipe.training.seed}; best after step {origin.step:,} (epoch {origin.epoch} "
        f"of {recipe.training.epochs}), {origin.seconds / 60:.0f} minutes",
        f"- machine: {origin.device}, {origin.processes} process"
        f"{'es' if origin.processes > 1 else ''}, {torch.get_num_threads()} threads",
        f"- versions: {versions()}",
        "",
        "## Recipe",
        "",
        "```toml",
        dumps(recipe).rstrip(),
        "```",
        "",
    ]
    return "\n".join(lines)


class _Kind(NamedTuple):
    """How a card speaks of a task: what it is, what its scores count, what is held out for dev."""

    title: str
    counts: str
    held: str


_KINDS = {
    "segment": _Kind(
        "word segmentation", "by the counts of the official SIGHAN script", "the last"
    ),
    "ner": _Kind("named entities", "by exact spans and labels", "in blocks spread over it"),
}


def _row(scores: Scores) -> str:
    values = scores.figures.values()
    return " | ".join("–" if value != value else f"{100 * value:.2f}" for value in values)


def versions() -> str:
    """The versions that may matter for a result."""
    others = (f"{name} {version(name)}" for name in ("torch", "accelerate", "numpy"))
    return ", ".join([f"fenjie {__version__}", f"Python {platform.python_version()}", *others])


def machine(device: torch.device) -> str:
    """The processor that trains, in words."""
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    return provenance.cpu()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
