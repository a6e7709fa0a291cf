"""What `fenjie doctor` finds: versions, models, threads, and the speed on this machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from fenjie import __version__
from fenjie.errors import FenjieError
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.workers import THREADS

PACKAGES = (
    *("numpy", "onnxruntime", "torch", "opencc", "tokenizers", "transformers"),
    *("fastapi", "huggingface-hub", "scikit-learn", "spacy", "pyarrow", "ray", "optuna"),
)
"""Packages whose versions matter; but for the first two they may be missing."""

TEXT = "王小明昨天在北京大学听了李教授的课，商品和服务的价格上涨了3.5%。"
"""The text that is annotated; names, words and a number."""

SECONDS = 0.5
"""How long each model is timed."""


@dataclass(frozen=True)
class ModelState:
    """The state of a model.

    Attributes:
        name: its name, or the folder that was named.
        task: `segment` or `ner`; None where the folder cannot be read.
        fault: what is wrong with it; None if nothing is.
        characters_per_second: of texts in a list, with one thread.
    """

    name: str
    task: str | None = None
    fault: str | None = None
    characters_per_second: int | None = None


@dataclass(frozen=True)
class Diagnosis:
    """The state of an installation.

    Attributes:
        fenjie: its version.
        python: the version of Python.
        system: the operating system and the kind of processor.
        packages: the versions of packages, None for those that are not installed.
        cores: the cores that this process may use.
        threads: environment variables that bound the threads of numerical libraries.
        models: the models.
    """

    fenjie: str
    python: str
    system: str
    packages: dict[str, str | None]
    cores: int
    threads: dict[str, str]
    models: tuple[ModelState, ...]

    @property
    def ok(self) -> bool:
        """Whether every model works; there must be one."""
        return bool(self.models) and all(model.fault is None for model in self.models)

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {"ok": self.ok, **asdict(self)}


def diagnose(models: Sequence[str]) -> Diagnosis:
    """Look at the installation, and run each model.

    Args:
        models: names of shipped models, or model folders.
    """
    bounds = {name: os.environ[name] for name in THREADS if name in os.environ}
    return Diagnosis(
        fenjie=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        packages={name: _version(name) for name in PACKAGES},
        cores=_cores(),
        threads=bounds,
        models=tuple(map(_examine, models)),
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _examine(name: str) -> ModelState:
    """Verify the checksums of a model, load it and time it."""
    task: str | None = None
    try:
        task = str(ModelFolder.open(name).config["task"])
        from fenjie.runtime.load import load

        tagger = load(name)
        if tagger(TEXT).text != TEXT:
            return ModelState(name, task, "changes the text")
        return ModelState(name, task, None, _speed(tagger))
    except (FenjieError, ImportError) as error:
        return ModelState(name, task, str(error))


def _speed(annotate: Any) -> int:
    texts = [TEXT] * 50
    annotate(texts)
    rounds, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < SECONDS or not rounds:
        annotate(texts)
        rounds += 1
    return round(rounds * len(texts) * len(TEXT) / spent)
