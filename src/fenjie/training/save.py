"""Model folders: what a training run leaves for others."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor

from fenjie import __version__
from fenjie.errors import FileError
from fenjie.evaluation.words import WordScores
from fenjie.files import atomic
from fenjie.lexicon.indexer import Indexer
from fenjie.models import ARCHITECTURES
from fenjie.runtime.folder import CONFIG, FORMAT, WEIGHTS, ModelFolder, seal
from fenjie.training.recipe import Recipe, dumps
from fenjie.training.toml import Document, dump


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
    dev: WordScores
    test: Mapping[str, WordScores]


def save_model(
    folder: Path,
    recipe: Recipe,
    indexer: Indexer,
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
        "input": {"ngrams": indexer.sizes.ngrams},
        "model": asdict(recipe.model),
    }
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    with atomic(folder) as made:
        made.mkdir()
        _write(made / CONFIG, dump(config))
        _write(made / "labels.txt", "W\n")
        indexer.save(made)
        (made / WEIGHTS).write_bytes(save(tensors, {"format": "pt"}))
        _write(made / "README.md", card(recipe, origin, sum(t.numel() for t in tensors.values())))
        seal(made)


def load_model(folder: ModelFolder) -> Any:
    """The PyTorch model of a model folder, in evaluation mode, on the CPU.

    Raises:
        FileError: the folder has no weights, or they are not those of its config.
    """
    path = folder.file(WEIGHTS)
    document = Document.read(folder.path / CONFIG)
    name = folder.config["architecture"]
    if name not in ARCHITECTURES:
        raise document.error(("architecture",), "unknown architecture", found=name)
    architecture: Any = ARCHITECTURES[name]
    config = document.build(architecture.Config, folder.config.get("model", {}), ("model",))
    model = architecture(config, folder.indexer.sizes)
    try:
        model.load_state_dict(load(path.read_bytes()))
    except Exception as error:  # safetensors' errors have no common class with torch's
        reason = " ".join(str(error).split())[:200]
        raise FileError(path, f"not the weights of this model: {reason}") from error
    return model.eval()


def card(recipe: Recipe, origin: Origin, parameters: int) -> str:
    """The model card: data, scores, command, seed, machine, versions."""
    dev = recipe.data.dev
    held = f"the last {dev:.0%} of `{recipe.data.train[0]}`" if isinstance(dev, float) else None
    rows = [("dev", origin.dev), *((f"`{name}`", scores) for name, scores in origin.test.items())]
    lines = [
        f"# {origin.name}",
        "",
        f"A model of fenjie for Chinese word segmentation ({recipe.architecture}, "
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
        "In per cent, by the counts of the official SIGHAN script.",
        "",
        "| data | P | R | F1 | OOV rate | OOV recall | IV recall |",
        "|---|---|---|---|---|---|---|",
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


def _row(scores: WordScores) -> str:
    values = (
        scores.precision,
        scores.recall,
        scores.f1,
        scores.oov_rate,
        scores.oov_recall,
        scores.iv_recall,
    )
    return " | ".join("–" if value != value else f"{100 * value:.2f}" for value in values)


def versions() -> str:
    """The versions that may matter for a result."""
    others = (f"{name} {version(name)}" for name in ("torch", "accelerate", "numpy"))
    return ", ".join([f"fenjie {__version__}", f"Python {platform.python_version()}", *others])


def machine(device: torch.device) -> str:
    """The processor that trains, in words."""
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
