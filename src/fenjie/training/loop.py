"""The training loop.

Everything random follows from the recipe's seed: the first weights, the batches of each epoch,
dropout, forgotten characters. On one machine, with the same number of threads and processes and
the same versions, two runs reach the same weights bit by bit, and so does a run that was killed
and resumed. On a GPU some kernels add in a changing order, so there results agree only closely.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, convert_to_fp32, gather_object
from rich.console import Console
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe
from fenjie.store.card import Origin, machine
from fenjie.store.save import holds_model, save_model
from fenjie.tasks.batches import Batches, Indices, steps
from fenjie.tasks.make import make_task
from fenjie.tasks.task import Scores
from fenjie.training import checkpoints
from fenjie.training.average import Average
from fenjie.training.clipping import clip_norm, clip_values
from fenjie.training.monitor import Log, Monitor
from fenjie.training.optimizers import Sgd, make_optimizer
from fenjie.training.run_folder import BEST, CHECKPOINT, MODEL
from fenjie.training.schedules import schedule
from fenjie.training.sources import read_by

LOG_EVERY = 20
"""Steps between two lines of the log; the loss is fetched from the device no more often."""

SCORES = "scores.json"
"""The file of a run with the scores of its best model."""

Watch = Callable[[int, float], None]
"""Called after the last dev score of an epoch with the number of the epoch and F1."""


@dataclass(frozen=True)
class Result:
    """What a run has come to: its best model on dev.

    Attributes:
        model: the model folder.
        epoch: that in which it was the best, counted from 1.
        step: the number of steps until then.
        dev: its scores on dev.
        test: its scores on each test file.
    """

    model: Path
    epoch: int
    step: int
    dev: Scores
    test: Mapping[str, Scores]


class Run:
    """A training run: its data, its model, and how far it is."""

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        accelerator: Accelerator,
        console: Console,
        names: tuple[str, str],
    ) -> None:
        """Read the data, build the model, and take up the last checkpoint where there is one.

        `names` are the name of the model and the command that trains it.
        """
        self.recipe, self.settings, self.folder = recipe, recipe.training, folder
        self.accelerator, self.names = accelerator, names
        self.main: bool = accelerator.is_main_process
        self.watch: Watch | None = None
        settings = self.settings

        checkpoints.seed_everything(settings.seed)
        self.task = make_task(recipe)
        self.module = self.task.module
        lengths = self.task.lengths
        self.batches = Batches(
            lengths, settings.tokens, settings.seed, settings.sentences, self.task.weights
        )
        if not lengths:
            raise FenjieError(
                "no sentence is left to train on: all are whitespace, or have the text of one that "
                "is held out for dev"
            )
        self.files = read_by(recipe)

        group = settings.accumulate * accelerator.num_processes
        sizes = self._sizes(group)
        while (total := sum(sizes)) < settings.steps:
            self.batches.passes = math.ceil(self.batches.passes * settings.steps / total)
            sizes = self._sizes(group)
        self.total = total
        self.rate = schedule(settings, sizes, getattr(recipe.model, "dim", 0))
        self.module.to(accelerator.device)
        optimizer = make_optimizer(self.module, settings)
        self.model, self.optimizer = accelerator.prepare(self.module, optimizer)
        accelerator.unwrap_model(self.model, keep_fp32_wrapper=False)  # scored in fp32, as saved
        self.average = Average(self.module, settings.average) if settings.average else None
        rank = accelerator.process_index
        if rank:  # each process has its own dropout
            checkpoints.seed_everything(settings.seed + 7919 * rank)

        self.epoch = self.index = self.step = 0
        self.best: dict[str, Any] | None = None
        self.loss = torch.zeros((), dtype=torch.float64, device=accelerator.device)
        self.loss_steps = 0
        self.seconds = 0.0
        log_size = self._restore() if (folder / CHECKPOINT).exists() else 0
        self.started = self.saved = time.monotonic()
        if self.main:
            self.log = Log(folder / "log.jsonl", log_size)
            self.monitor = Monitor(folder / "tensorboard", self.total, self.step, console)
            console.print(self._summary(lengths))
            if self.task.notes:
                console.print(self.task.notes, markup=False, highlight=False)

    def _sizes(self, group: int) -> list[int]:
        """The steps of each epoch, with so many batches a step."""
        epochs = range(self.settings.epochs)
        return [math.ceil(len(self.batches.epoch(epoch)) / group) for epoch in epochs]

    def _summary(self, lengths: Sequence[int]) -> str:
        parameters = sum(parameter.numel() for parameter in self.module.parameters())
        begin = f"; from step {self.step:,}" if self.step else ""
        passes = self.batches.passes
        often = f", each epoch {passes} times through them" if passes > 1 else ""
        return (
            f"{self.folder}: {len(lengths):,} sentences, {sum(lengths):,} characters to train on"
            f"{often}; "
            f"{self.task.held:,} sentences for dev; vocabulary {self.task.summary}; "
            f"{parameters:,} parameters to train; {self.total:,} steps{begin}"
        )

    def train(self) -> None:
        """Go through the epochs, from wherever the run stands."""
        settings, rank = self.settings, self.accelerator.process_index
        self.model.train()
        while self.epoch < settings.epochs:
            batches = self.batches.epoch(self.epoch)
            plan = steps(batches, settings.accumulate, self.accelerator.num_processes)
            while self.index < len(plan):
                shares = plan[self.index]
                self._learn(shares[rank])
                self.index += 1
                if self.main:
                    everyone = np.concatenate([batch for share in shares for batch in share])
                    self.monitor.step(int(self.batches.lengths[everyone].sum()))
                last = self.index == len(plan)
                if last or self.step % LOG_EVERY == 0:
                    self._log_loss()
                if last or (settings.evaluate_every and self.step % settings.evaluate_every == 0):
                    self._evaluate(last)
                if not last and self._checkpoint_due():
                    self._checkpoint()
            self.epoch, self.index = self.epoch + 1, 0
            self._checkpoint()

    def _learn(self, batches: Sequence[Indices]) -> None:
        """One step of the optimiser, from one or more batches."""
        accelerator, settings = self.accelerator, self.settings
        self.step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step) * group["factor"]
        for number, indices in enumerate(batches, 1):
            batch, gold = self._batch(indices, number)
            waiting = number < len(batches)
            with accelerator.no_sync(self.model) if waiting else nullcontext():
                with accelerator.autocast():
                    scores = self.model(batch)
                loss = self.module.loss(convert_to_fp32(scores), gold) / len(batches)
                accelerator.backward(loss)
            self.loss += loss.detach()
        if settings.clip:
            clip_norm(self.module.parameters(), settings.clip)
        if settings.clip_value:
            clip_values(self.module.parameters(), settings.clip_value)
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.average is not None:
            self.average.update()
        self.loss_steps += 1

    def _batch(self, indices: Indices, number: int) -> tuple[Any, Tensor]:
        """The model's input of some sentences and their gold values, on the device."""
        place = [self.settings.seed, self.step, self.accelerator.process_index, number]
        batch, gold = self.task.batch(indices, np.random.default_rng(place))
        return batch.to(self.accelerator.device), gold.to(self.accelerator.device)

    def _log_loss(self) -> None:
        """Record the mean loss since the last time."""
        if not self.loss_steps:
            return
        loss = self.accelerator.reduce(self.loss, "mean").item() / self.loss_steps
        self.loss.zero_()
        self.loss_steps = 0
        if not math.isfinite(loss):
            raise FenjieError(f"step {self.step}: the loss is {loss}; try a lower learning rate")
        if self.main:
            epoch, rate = self.epoch + 1, self.rate(self.step)
            self.log.write(
                step=self.step, steps=self.total, epoch=epoch, loss=loss, learning_rate=rate
            )
            self.monitor.loss(self.step, epoch, loss, rate)

    def _evaluate(self, ended: bool) -> None:
        """Score the model on dev, and keep it if it is the best so far.

        Args:
            ended: whether the epoch ends here.
        """
        if isinstance(self.optimizer.optimizer, Sgd):
            self.optimizer.optimizer.flush()
        if not self.main:
            return
        epoch = self.epoch + 1
        with self.average.applied() if self.average else nullcontext():
            scores = self.task.dev(self.accelerator.device)
            before = self.task.scores(self.best["dev"]).f1 if self.best else 0.0
            best = scores.f1 >= before or not before > 0  # the last of equals; F1 may be NaN
            if best:
                self.best = {
                    "epoch": epoch,
                    "step": self.step,
                    "seconds": self._seconds(),
                    "dev": asdict(scores),  # type: ignore[call-overload]
                }
                weights = self.module.state_dict()
                checkpoints.write(self.folder / BEST, {"model": weights}, self.best)
                self._save_model(weights, self.best, {})
        self.log.write(step=self.step, epoch=epoch, best=best, dev=scores.as_dict())
        self.monitor.dev(self.step, epoch, scores.f1, best)
        self.monitor.restart()
        if ended and self.watch is not None:
            self.watch(epoch, scores.f1)

    def _save_model(
        self, weights: Mapping[str, Tensor], best: Mapping[str, Any], test: Mapping[str, Scores]
    ) -> None:
        origin = Origin(
            *self.names,
            epoch=best["epoch"],
            step=best["step"],
            seconds=best["seconds"],
            processes=self.accelerator.num_processes,
            device=machine(self.accelerator.device),
            dev=self.task.scores(best["dev"]),
            test=test,
        )
        save_model(self.folder / MODEL, self.recipe, self.task, weights, origin)

    def _seconds(self) -> float:
        """Seconds of training, those before a kill included."""
        return self.seconds + time.monotonic() - self.started

    def _checkpoint_due(self) -> bool:
        """Whether a checkpoint is due within an epoch. All processes say the same."""
        settings = self.settings
        if settings.checkpoint_every and self.step % settings.checkpoint_every == 0:
            return True
        if not settings.checkpoint_minutes or self.step % LOG_EVERY:
            return False
        due = [time.monotonic() - self.saved > 60 * settings.checkpoint_minutes]
        return bool(broadcast_object_list(due)[0])

    def _checkpoint(self) -> None:
        """Save all that the rest of the run depends on."""
        mine = {"random": checkpoints.random_state(), "loss": self.loss.item()}
        everyone = gather_object([mine])
        if self.main:
            tensors = {
                "model": self.module.state_dict(),
                "optimizer": checkpoints.optimizer_tensors(self.optimizer.optimizer),
                "average": self.average.state() if self.average else {},
            }
            state = {
                "fingerprint": self.task.fingerprint,
                "files": self.files,
                "epoch": self.epoch,
                "index": self.index,
                "step": self.step,
                "best": self.best,
                "loss_steps": self.loss_steps,
                "updates": self.average.updates if self.average else 0,
                "log_size": self.log.size,
                "seconds": self._seconds(),
                "processes": everyone,
            }
            checkpoints.write(self.folder / CHECKPOINT, tensors, state)
            self.monitor.restart()
        self.saved = time.monotonic()

    def _restore(self) -> int:
        """Take up the last checkpoint; the size of the log at that moment."""
        path = self.folder / CHECKPOINT
        checkpoint = checkpoints.read(path)
        state, everyone = checkpoint.state, checkpoint.state["processes"]
        if len(everyone) != self.accelerator.num_processes:
            raise FenjieError(
                f"{path}: the run had {len(everyone)} processes and cannot be resumed with "
                f"{self.accelerator.num_processes}"
            )
        for name, checksum in self.files.items():
            # A checkpoint of an earlier version knows the files of the data alone.
            if state["files"].get(name, checksum) != checksum:
                raise FenjieError(f"{name} has changed since the run in {self.folder} began")
        if state["fingerprint"] != self.task.fingerprint:
            raise FenjieError(f"{path}: the training data are not those of this run any more")
        if state["best"] is not None:
            # A damaged one is better known now than at the end.
            checkpoints.read(self.folder / BEST)
        self.module.load_state_dict(checkpoint.tensors["model"])
        checkpoints.load_optimizer(self.optimizer.optimizer, checkpoint.tensors["optimizer"])
        if self.average is not None:
            self.average.load(checkpoint.tensors["average"], state["updates"])
        self.epoch, self.index, self.step = state["epoch"], state["index"], state["step"]
        self.best, self.seconds = state["best"], state["seconds"]
        self.loss_steps = state["loss_steps"]
        mine = everyone[self.accelerator.process_index]
        self.loss.fill_(mine["loss"])
        checkpoints.set_random_state(mine["random"])
        return int(state["log_size"])

    def finish(self) -> Result:
        """Score the best model on the test files, once, and save it with its scores.

        A model that an earlier call has saved stays as it is, with its exports.
        """
        best = checkpoints.read(self.folder / BEST)
        self.module.load_state_dict(best.tensors["model"])
        state, test = best.state, {}
        dev = self.task.scores(state["dev"])
        if self.main:
            for name in self.recipe.data.tests:
                test[name] = self.task.test(name, self.accelerator.device)
            scored = (self.folder / SCORES).is_file()
            if not scored or not holds_model(self.folder / MODEL, best.tensors["model"]):
                self._save_model(best.tensors["model"], state, test)
            summary = {
                "seed": self.settings.seed,
                "epoch": state["epoch"],
                "step": state["step"],
                "dev": dev.as_dict(),
                "test": {name: scores.as_dict() for name, scores in test.items()},
            }
            with atomic(self.folder / SCORES) as temporary:
                text = json.dumps(summary, ensure_ascii=False, indent=2)
                temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
        return Result(self.folder / MODEL, state["epoch"], state["step"], dev, test)

    def close(self) -> None:
        """Stop the progress bar and close the files."""
        if self.main:
            self.monitor.close()
            self.log.close()
