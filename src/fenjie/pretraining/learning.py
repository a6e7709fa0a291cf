"""The loop of a pre-training run.

Everything random follows from the recipe's seed and the number of the step, so that on one machine
a run that was killed and resumed reaches the same weights bit by bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from numpy.typing import NDArray
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.pretraining.encoder_folder import WEIGHTS, card, write_encoder
from fenjie.pretraining.language_models import LanguageModels, make_optimizers
from fenjie.pretraining.packed_text import PackedText
from fenjie.pretraining.settings import PretrainRecipe
from fenjie.pretraining.starting_encoder import Start
from fenjie.training import checkpoints
from fenjie.training.average import Average
from fenjie.training.monitor import Log
from fenjie.training.run_folder import CHECKPOINT
from fenjie.training.schedules import trapezoid

LOG, ENCODER = "log.jsonl", "encoder"

LOG_EVERY = 20
"""Steps between two lines of the log; the loss is fetched from the device no more often."""

MILLION = 1_000_000

HELD_OUT, EPOCH = range(2)
"""Seeds of what is random: the rows that are held out, the order of an epoch."""

OPTIMIZERS = "muon", "adam"

HELD_OUT_ROWS = 32
"""Rows that are held out and measured at once."""


class Monitor(Protocol):
    """Shows the progress of a run."""

    def loss(self, step: int, loss: float) -> None:
        """Take the mean loss of the last steps."""

    def held_out(self, loss: float) -> None:
        """Take the loss on the rows that are held out."""


class Pretraining:
    """A pre-training run: its text, its model, and how far it is."""

    def __init__(
        self,
        recipe: PretrainRecipe,
        text: PackedText,
        folder: Path,
        accelerator: Accelerator,
        files: Mapping[str, str],
        start: Start | None = None,
    ) -> None:
        """Build the model, and take up the last checkpoint where there is one.

        Args:
            recipe: of the run.
            text: of the recipe.
            folder: of the run.
            accelerator: the processes and devices.
            files: the checksum of each file of the recipe.
            start: the encoder that the recipe starts from.

        Raises:
            FenjieError: the text is too short, the start does not fit, or the checkpoint is
                damaged or of other files.
        """
        self.recipe, self.settings, self.folder = recipe, recipe.training, folder
        self.text, self.accelerator, self.files = text, accelerator, dict(files)
        self.main: bool = accelerator.is_main_process
        settings, length = self.settings, recipe.encoder.length
        rows = np.random.default_rng([settings.seed, HELD_OUT]).permutation(text.rows(length))
        self._held, self._learnt = rows[: settings.held_out], rows[settings.held_out :]
        if len(self._learnt) < settings.rows:
            raise FenjieError(
                f"the texts make {len(rows):,} rows of {length - 2} characters; expected at least "
                f"{settings.held_out + settings.rows:,}, for held_out and rows"
            )
        self._order: tuple[int, NDArray[np.int64]] = -1, rows
        # A run that goes on from an encoder does not read the rows in the order of the one before.
        self._start_seed = [int(files[f"{recipe.start}/{WEIGHTS}"][:8], 16)] if start else []
        self._step_characters = settings.rows * (length - 2)
        self.total = self._steps(settings.millions)
        cooldown = self._steps(settings.cooldown)
        self.rate = trapezoid(settings.learning_rate, settings.warmup, cooldown, self.total)

        checkpoints.seed_everything(settings.seed)
        attention = "eager" if accelerator.device.type == "cpu" else "sdpa"  # each faster there
        self.module = LanguageModels(recipe.encoder, text, settings.seed, attention)
        if start:
            start.give(self.module)
        self.module.to(accelerator.device)
        dtype = torch.bfloat16 if settings.precision == "bf16" else torch.float32
        optimizers = make_optimizers(self.module, settings.weight_decay, dtype)
        self.model, *self.optimizers = accelerator.prepare(self.module, *optimizers)
        self.average = Average(self.module, settings.average)

        self.step, self.loss_steps, self.seconds = 0, 0, 0.0
        self.loss = torch.zeros((), dtype=torch.float64, device=accelerator.device)
        self.curve: list[dict[str, float]] = []
        log_size = self._restore() if (folder / CHECKPOINT).exists() else 0
        self.started = self.saved = time.monotonic()
        self.log = Log(folder / LOG, log_size) if self.main else None

    @property
    def characters(self) -> int:
        """The number of characters seen so far."""
        return self.step * self._step_characters

    @property
    def parameters(self) -> int:
        """The number of weights, those that predict characters included."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    def _steps(self, millions: float) -> int:
        """The number of steps after which so many millions of characters are seen."""
        return math.ceil(millions * MILLION / self._step_characters)

    def train(self, monitor: Monitor, command: str) -> None:
        """Learn until the recipe's number of characters is seen.

        Args:
            monitor: shows the progress.
            command: for the cards of the encoders.
        """
        settings = self.settings
        kept = {self._steps(millions): f"{ENCODER}-{millions:g}M" for millions in settings.keep}
        self.module.train()
        while self.step < self.total:
            self.step += 1
            self._learn()
            last = self.step == self.total
            if last or self.step % LOG_EVERY == 0:
                monitor.loss(self.step, self._mean_loss())
            if last or self.step % settings.evaluate_every == 0:
                monitor.held_out(self._evaluate())
            if self.step in kept and self.main:
                self._write(self.folder / kept[self.step], command)
            if last or self._checkpoint_due():
                self._checkpoint(command)

    def _learn(self) -> None:
        """One step of the optimiser."""
        settings, rate = self.settings, self.rate(self.step)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        with self.accelerator.autocast():
            loss = self.module.loss(self.model, self._batch())
        self.accelerator.backward(loss)
        self.loss += loss.detach()
        self.loss_steps += 1
        if settings.clip:
            self.accelerator.clip_grad_norm_(self.module.parameters(), settings.clip)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad()
        self.average.update()

    def _batch(self) -> Tensor:
        """The rows of this step that this process learns from, `[rows, length]`."""
        settings, rank = self.settings, self.accelerator.process_index
        epoch, place = divmod(self.step - 1, len(self._learnt) // settings.rows)
        if self._order[0] != epoch:
            shuffled = np.random.default_rng([settings.seed, EPOCH, epoch, *self._start_seed])
            self._order = epoch, shuffled.permutation(self._learnt)
        rows = self._order[1][place * settings.rows :][: settings.rows]
        mine = rows[rank :: self.accelerator.num_processes]
        return self._rows(mine)

    def _rows(self, numbers: NDArray[np.int64]) -> Tensor:
        """Some rows of the text, `[rows, length]`."""
        rows = torch.from_numpy(self.text.batch(numbers, self.recipe.encoder.length))
        return rows.to(self.accelerator.device, non_blocking=True)

    def _mean_loss(self) -> float:
        """Record the mean loss since the last time."""
        loss = float(self.accelerator.reduce(self.loss, "mean").item()) / self.loss_steps
        self.loss.zero_()
        self.loss_steps = 0
        if not math.isfinite(loss):
            raise FenjieError(f"step {self.step}: the loss is {loss}; try a lower learning rate")
        if self.log is not None:
            self.log.write(step=self.step, characters=self.characters, loss=round(loss, 5))
        return loss

    @torch.no_grad()
    def _evaluate(self) -> float:
        """Measure the averaged weights on the rows that are held out, and record it."""
        found = []
        with self.average.applied(), self.accelerator.autocast():
            for rows in np.array_split(self._held, math.ceil(len(self._held) / HELD_OUT_ROWS)):
                found.append([part.item() for part in self.module.exact(self._rows(rows))])
        loss, share = np.mean(found, axis=0).tolist()
        point = {
            "characters": self.characters,
            "held_out": round(loss, 4),
            "found": round(share, 4),
        }
        self.curve.append(point)
        if self.log is not None:
            self.log.write(step=self.step, **self.curve[-1])
        return float(loss)

    def _checkpoint_due(self) -> bool:
        """Whether it is time for a checkpoint. All processes say the same."""
        if self.step % LOG_EVERY:
            return False
        due = [time.monotonic() - self.saved > 60 * self.settings.checkpoint_minutes]
        return bool(broadcast_object_list(due)[0])

    def _checkpoint(self, command: str) -> None:
        """Save all that the rest of the run depends on, and the encoder of now."""
        self.saved = time.monotonic()
        if self.log is None:
            return
        tensors: dict[str, Mapping[str, Tensor]] = {
            "model": dict(self.module.named_parameters()),
            "average": self.average.state(),
        }
        for name, optimizer in zip(OPTIMIZERS, self.optimizers, strict=True):
            tensors[name] = checkpoints.optimizer_tensors(optimizer.optimizer)
        state = {
            "step": self.step,
            "updates": self.average.updates,
            "seconds": self._seconds(),
            "curve": self.curve,
            "log_size": self.log.size,
            "files": self.files,
            "processes": self.accelerator.num_processes,
        }
        checkpoints.write(self.folder / CHECKPOINT, tensors, state)
        self._write(self.folder / ENCODER, command)

    def _restore(self) -> int:
        """Take up the last checkpoint; the size that the log had then."""
        path = self.folder / CHECKPOINT
        checkpoint = checkpoints.read(path)
        state, processes = checkpoint.state, self.accelerator.num_processes
        if state["processes"] != processes:
            raise FenjieError(
                f"{path}: the run had {state['processes']} processes and cannot be resumed with "
                f"{processes}"
            )
        for name, checksum in self.files.items():
            if state["files"].get(name) != checksum:
                raise FenjieError(f"{name} has changed since the run in {self.folder} began")
        self.module.load_state_dict(checkpoint.tensors["model"], strict=False)  # tied weights
        self.average.load(checkpoint.tensors["average"], state["updates"])
        for name, optimizer in zip(OPTIMIZERS, self.optimizers, strict=True):
            checkpoints.load_optimizer(optimizer.optimizer, checkpoint.tensors[name])
        self.step, self.seconds, self.curve = state["step"], state["seconds"], state["curve"]
        return int(state["log_size"])

    def _seconds(self) -> float:
        """Seconds of the run, those before a kill included."""
        return self.seconds + time.monotonic() - self.started

    def _write(self, folder: Path, command: str) -> None:
        """Write the encoder of now, its weights averaged, and what predicts characters by it."""
        weights = {
            name.removeprefix("model."): weight for name, weight in self.average.state().items()
        }
        hours = self._seconds() / 3600
        text = card(self.recipe, command, self.characters, self.curve, hours)
        write_encoder(folder, self.module.settings, weights, self.text.characters, text)

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()
