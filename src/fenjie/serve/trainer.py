"""Trains models of entities from a few labelled sentences, in processes of their own.

What a run needs and what it makes is in a folder of its name: the sentences (`train.jsonl`), the
recipe, what the processes print (`output.txt`), and the run itself with its model (`run/model`).
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any, Literal, NamedTuple

from fenjie.corpus import write
from fenjie.errors import FenjieError, FileError, not_installed, shown
from fenjie.files import WINDOWS, atomic
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.model_files import ONNX, START, WEIGHTS
from fenjie.serve.limits import RefusedError
from fenjie.serve.recipes import training_recipe
from fenjie.serve.taggers import Model, Models
from fenjie.text.span import Sentence

Phase = Literal["training", "exporting", "done", "failed", "stopped"]

NAME = re.compile(r"(?!(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])\Z)\w[\w-]{0,39}", re.IGNORECASE)
"""Names of models that can be trained: they are names of folders too, also on Windows, which keeps
some for devices."""

STOPPING = 20
"""Seconds that a process has to end when it is told to; then it is killed."""

logger = logging.getLogger("fenjie.serve")

_LINES = 12
"""The last lines of the output that are told of a run that failed."""


class Progress(NamedTuple):
    """How far a run is.

    Attributes:
        name: of the model.
        phase: what is going on, or how it ended.
        step: steps done.
        steps: steps in all; 0 while that is not known.
        loss: the mean loss of the last steps.
        f1: the best score so far on the sentences for dev.
        seen: whether these are the sentences that it learns from, because there are few.
        seconds: since the start, up to the end.
        message: why it failed.
    """

    name: str
    phase: Phase
    step: int = 0
    steps: int = 0
    loss: float | None = None
    f1: float | None = None
    seen: bool = False
    seconds: float = 0.0
    message: str | None = None


class Trainer:
    """Trains models in a folder, one at a time, and adds them to those of the service."""

    def __init__(self, folder: Path, models: Models) -> None:
        """Take up the models that were trained in the folder before; of one that fails, warn.

        One that is served already, as it was named besides, is not taken up again.

        Args:
            folder: where the runs are; made where it is missing, unless nothing can be trained.
            models: the models of the service.

        Raises:
            FenjieError: the folder cannot be made.
        """
        if not self.missing:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise FenjieError(f"{folder}: cannot be made: {error.strerror}") from error
        self.folder, self._models = folder.resolve(), models
        self._lock = Lock()
        self._run: _Run | None = None
        served = {model.tagger.folder.path.resolve() for model in models}
        for path in sorted(self.folder.glob(f"*/run/model/{ONNX}")):
            if path.parent.resolve() in served:
                continue
            name = path.parents[2].name
            try:
                models.add(Model.load(str(path.parent), name))
            except FenjieError as error:  # no reason not to serve the others
                logger.warning("fenjie: %s is not served: %s", name, shown(str(error)))

    @property
    def missing(self) -> str | None:
        """Why nothing can be trained here; None where it can."""
        if find_spec("torch") is not None:
            return None
        return not_installed("training needs", "torch", "train")

    @property
    def starts(self) -> list[str]:
        """The models of the service from which one can start: those that keep their weights."""
        return [model.name for model in self._models if _has_weights(model)]

    @property
    def progress(self) -> Progress | None:
        """How far the last run is; None before the first one."""
        return None if self._run is None else self._run.progress

    def start(self, name: str, sentences: Sequence[Sentence], start: str | None) -> None:
        """Begin to train.

        Args:
            name: of the model.
            sentences: what it learns from.
            start: the model that it starts from; None for chance.

        Raises:
            RefusedError: another run is not over, or there is something wrong with the request.
        """
        if self.missing:
            raise RefusedError(503, self.missing)
        if not NAME.fullmatch(name):
            expected = "up to 40 letters, digits, hyphens and underscores, and no device of Windows"
            raise RefusedError(422, f"name: expected {expected}")
        if not any(sentence.spans for sentence in sentences):
            raise RefusedError(422, "sentences: no entity is marked in them")
        folder = None if start is None else self._weights(start)
        with self._lock:
            if self._run is not None and self._run.going:
                raise RefusedError(
                    409, f"{self._run.progress.name} is being trained; one at a time"
                )
            place = self.folder / name
            if name in self._models or (place / "run" / "model" / ONNX).exists():
                raise RefusedError(409, f"name: there is a model named {name} already")
            recipe = training_recipe(place / "train.jsonl", len(sentences), folder)
            _prepare(place, sentences, recipe.text)
            hidden = {str(place): name, str(self.folder): self.folder.name}
            if folder is not None and start is not None:
                hidden[str(folder.path.resolve())] = start  # as the recipe names it
            self._run = _Run(place, recipe.seen, self._finished, hidden)

    def stop(self) -> None:
        """End the run that is going, if there is one."""
        with self._lock:
            if self._run is not None:
                self._run.stop()

    def _finished(self, name: str, model: Path) -> None:
        self._models.add(Model.load(str(model), name))

    def _weights(self, name: str) -> ModelFolder:
        for model in self._models:
            if model.name == name and _has_weights(model):
                return model.tagger.folder
        known = ", ".join(self.starts) or "none"
        raise RefusedError(422, f"start: no such model with weights; expected one of {known}")


def _prepare(place: Path, sentences: Sequence[Sentence], recipe: str) -> None:
    """Make the folder of a run, whole or not at all, in place of that of one that failed.

    Raises:
        RefusedError: 409; something else is there. 503; the folder cannot be written.
    """
    try:
        if os.path.lexists(place) and not _is_run(place):
            raise RefusedError(409, f"name: there is something else named {place.name} already")
        with atomic(place) as made:
            made.mkdir()
            write(sentences, made / "train.jsonl", "jsonl")
            (made / f"{place.name}.toml").write_text(recipe, encoding="utf-8", newline="\n")
    except (OSError, FileError) as error:  # its message has a path
        cause = error.__cause__ if isinstance(error, FileError) else error
        reason = getattr(cause, "strerror", None) or "no reason is given"
        raise RefusedError(503, f"{place.name} cannot be written: {reason}") from error


def _is_run(place: Path) -> bool:
    """Whether a folder holds what a run of the service has made, or nothing."""
    if place.is_symlink() or not place.is_dir():
        return False
    names = {one.name for one in place.iterdir()}
    given = {"train.jsonl", f"{place.name}.toml"}
    return not names or given <= names <= given | {"output.txt", "run"}


def _has_weights(model: Model) -> bool:
    folder = model.tagger.folder
    return folder.config["task"] == "ner" and any(
        (folder.path / name).is_file() for name in (WEIGHTS, START)
    )


def _end_process(process: subprocess.Popen[bytes], *, at_once: bool = False) -> None:
    """End a process and those that it has started; on Windows it alone, and always at once."""
    if WINDOWS:
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL if at_once else signal.SIGTERM)


class _Run:
    """A run: a thread that waits for its processes."""

    def __init__(
        self,
        place: Path,
        seen: bool,
        finished: Callable[[str, Path], None],
        hidden: Mapping[str, str],
    ) -> None:
        self._place, self._finished = place, finished
        # a path before that in which it is
        self._hidden = sorted(hidden.items(), key=lambda one: len(one[0]), reverse=True)
        self._begin = monotonic()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = Lock()
        self._known = Progress(place.name, "training", seen=seen)
        self._thread = Thread(target=self._work, name="fenjie-training", daemon=True)
        self._thread.start()

    @property
    def going(self) -> bool:
        return self._thread.is_alive()

    @property
    def progress(self) -> Progress:
        if not self.going:
            return self._known
        return self._read()._replace(seconds=monotonic() - self._begin)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process is not None:
                _end_process(self._process)
        self._thread.join(STOPPING)
        with self._lock:
            if self._process is not None:  # it does not listen
                _end_process(self._process, at_once=True)
        self._thread.join(STOPPING)

    def _work(self) -> None:
        name, run = self._place.name, self._place / "run"
        recipe = self._place / f"{name}.toml"
        phase: Phase = "done"
        message = None
        try:
            self._call("train", str(recipe), "--output", str(run))
            self._known = self._read()._replace(phase="exporting")
            self._call("export", str(run / "model"))
            self._finished(name, run / "model")
        except subprocess.CalledProcessError:
            phase, message = "failed", self._last_words()
        except (FenjieError, OSError) as error:
            phase, message = "failed", self._without_path(str(error))
        except Exception as error:  # whatever it was, the run is over and the page says so
            phase, message = "failed", self._without_path(f"{type(error).__name__}: {error}")
        if self._stopped and phase == "failed":  # a model that is served is done all the same
            phase, message = "stopped", None
        seconds = monotonic() - self._begin
        self._known = self._read()._replace(phase=phase, seconds=seconds, message=message)

    def _call(self, *arguments: str) -> None:
        """Run a command of fenjie; what it prints goes to a file."""
        with open(self._place / "output.txt", "ab") as output:
            with self._lock:
                if self._stopped:
                    raise subprocess.CalledProcessError(-signal.SIGTERM, arguments[0])
                self._process = process = subprocess.Popen(
                    [sys.executable, "-m", "fenjie", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=os.environ | {"PYTHONIOENCODING": "utf-8"},
                    start_new_session=True,
                )
            status = process.wait()
            with self._lock:
                self._process = None
        if status:
            raise subprocess.CalledProcessError(status, arguments[0])

    def _read(self) -> Progress:
        """What the log says."""
        found: dict[str, Any] = {}
        with suppress(OSError):
            for line in (self._place / "run" / "log.jsonl").read_bytes().splitlines():
                with suppress(ValueError):  # a line that is being written
                    entry = json.loads(line)
                    found["step"] = entry["step"]
                    if "loss" in entry:
                        found["steps"], found["loss"] = entry["steps"], entry["loss"]
                    elif entry["best"]:
                        found["f1"] = entry["dev"]["f1"]
        return self._known._replace(**found)

    def _last_words(self) -> str:
        output = ""
        with suppress(OSError):
            output = (self._place / "output.txt").read_text(encoding="utf-8", errors="replace")
        return "\n".join(self._without_path(output).strip().splitlines()[-_LINES:])

    def _without_path(self, message: str) -> str:
        """A message that does not say where folders are."""
        for path, name in self._hidden:
            message = message.replace(path, name)
        return message
