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
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, gather_object
from rich.console import Console
from torch import Tensor

from fenjie.errors import FenjieError
from fenjie.evaluation.words import WordScores, score
from fenjie.files import atomic
from fenjie.models import ARCHITECTURES
from fenjie.nn.batch import Batch
from fenjie.nn.gaps import IGNORED
from fenjie.text.vocabulary import collate
from fenjie.training import checkpoints
from fenjie.training.average import Average
from fenjie.training.batches import Batches, Indices, steps
from fenjie.training.data import (
    fingerprint,
    forget,
    make_examples,
    make_indexers,
    normalised,
    read_corpora,
    read_sentences,
)
from fenjie.training.monitor import Log, Monitor
from fenjie.training.predict import Reader
from fenjie.training.recipe import Recipe
from fenjie.training.save import Origin, machine, save_model
from fenjie.training.schedules import schedule

LOG_EVERY = 20
"""Steps between two lines of the log; the loss is fetched from the device no more often."""

CHECKPOINT, BEST, RECIPE, SCORES = (
    "checkpoint.safetensors",
    "best.safetensors",
    "recipe.toml",
    "scores.json",
)


@dataclass(frozen=True)
class Result:
    """What a run has reached.

    Attributes:
        model: the model folder.
        epoch: in which it was best on dev, counted from 1.
        step: in which it was.
        dev: its scores on dev.
        test: its scores on each test file.
    """

    model: Path
    epoch: int
    step: int
    dev: WordScores
    test: Mapping[str, WordScores]


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

        Args:
            recipe: what to do.
            folder: where the run lies.
            accelerator: device, precision and processes.
            console: where to print.
            names: of the model, and the command that trains it.
        """
        self.recipe, self.settings, self.folder = recipe, recipe.training, folder
        self.accelerator, self.names = accelerator, names
        self.main: bool = accelerator.is_main_process
        settings = self.settings

        self.corpora = read_corpora(recipe.data)
        sentences = normalised(self.corpora.train, recipe.text)
        self.indexer, shown = make_indexers(sentences, recipe.vocabulary, recipe.text)
        checkpoints.seed_everything(settings.seed)
        self.module = ARCHITECTURES[recipe.architecture](recipe.model, self.indexer.sizes)
        self.examples = make_examples(sentences, shown, self.module)
        self.fingerprint = fingerprint(self.examples)
        lengths = [len(example.ids) for example in self.examples]
        self.batches = Batches(lengths, settings.tokens, settings.seed)
        self.dev = Reader([s.text for s in self.corpora.dev], recipe.text, self.indexer)
        self.words = {word for sentence in self.corpora.train for word in sentence.words}

        group = settings.accumulate * accelerator.num_processes
        epochs = range(settings.epochs)
        total = sum(math.ceil(len(self.batches.epoch(epoch)) / group) for epoch in epochs)
        self.rate = schedule(
            settings.schedule,
            settings.learning_rate,
            settings.warmup,
            total=total,
            dim=getattr(recipe.model, "dim", None),
        )
        kind = torch.optim.AdamW if settings.weight_decay else torch.optim.Adam
        self.module.to(accelerator.device)
        optimizer = kind(
            self.module.parameters(),
            lr=0.0,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        self.model, self.optimizer = accelerator.prepare(self.module, optimizer)
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
            self.monitor = Monitor(folder / "tensorboard", total, self.step, console)
            console.print(self._summary(lengths, total))

    def _summary(self, lengths: Sequence[int], total: int) -> str:
        parameters = sum(parameter.numel() for parameter in self.module.parameters())
        begin = f"; from step {self.step:,}" if self.step else ""
        return (
            f"{self.folder}: {len(lengths):,} sentences, {sum(lengths):,} characters to train on; "
            f"{len(self.corpora.dev):,} sentences for dev; vocabulary "
            f"{' + '.join(f'{size:,}' for size in self.indexer.sizes)}; {parameters:,} parameters; "
            f"{total:,} steps{begin}"
        )

    def train(self) -> None:
        """Go through the epochs, from wherever the run stands."""
        settings, rank = self.settings, self.accelerator.process_index
        self.model.train()
        while self.epoch < settings.epochs:
            plan = steps(
                self.batches.epoch(self.epoch),
                settings.accumulate,
                self.accelerator.num_processes,
            )
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
                    self._evaluate()
                if not last and self._checkpoint_due():
                    self._checkpoint()
            self.epoch, self.index = self.epoch + 1, 0
            self._checkpoint()

    def _learn(self, batches: Sequence[Indices]) -> None:
        """One step of the optimiser, from one or more batches."""
        accelerator, settings = self.accelerator, self.settings
        self.step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step)
        for number, indices in enumerate(batches, 1):
            batch, gold = self._batch(indices, number)
            waiting = number < len(batches)
            with accelerator.no_sync(self.model) if waiting else nullcontext():
                loss = self.module.loss(self.model(batch), gold) / len(batches)
                accelerator.backward(loss)
            self.loss += loss.detach()
        if settings.clip:
            accelerator.clip_grad_norm_(self.module.parameters(), settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.average is not None:
            self.average.update()
        self.loss_steps += 1

    def _batch(self, indices: Indices, number: int) -> tuple[Batch, Tensor]:
        """The padded ids and gold values of some sentences, on the device."""
        examples = [self.examples[index] for index in indices]
        batch = Batch.of([example.ids for example in examples])
        if self.settings.unknown:
            place = [self.settings.seed, self.step, self.accelerator.process_index, number]
            ids = forget(batch.ids.numpy(), self.settings.unknown, np.random.default_rng(place))
            batch = Batch(torch.from_numpy(ids), batch.lengths)
        gold = torch.from_numpy(collate([example.gold for example in examples], IGNORED))
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
            self.log.write(step=self.step, epoch=epoch, loss=loss, learning_rate=rate)
            self.monitor.loss(self.step, epoch, loss, rate)

    def _evaluate(self) -> None:
        """Score the model on dev, and keep it if it is the best so far."""
        if not self.main:
            return
        epoch = self.epoch + 1
        with self.average.applied() if self.average else nullcontext():
            predicted = self.dev(self.module, self.accelerator.device)
            scores = score(self.corpora.dev, predicted, self.words)
            best = self.best is None or scores.f1 > WordScores(**self.best["dev"]).f1
            if best:
                self.best = {
                    "epoch": epoch,
                    "step": self.step,
                    "seconds": self._seconds(),
                    "dev": vars(scores),
                }
                weights = self.module.state_dict()
                checkpoints.write(self.folder / BEST, {"model": weights}, self.best)
                self._save_model(weights, self.best, {})
        self.log.write(step=self.step, epoch=epoch, best=best, dev=scores.as_dict())
        self.monitor.dev(self.step, epoch, scores.f1, best)
        self.monitor.restart()

    def _save_model(
        self, weights: Mapping[str, Tensor], best: Mapping[str, Any], test: Mapping[str, WordScores]
    ) -> None:
        origin = Origin(
            *self.names,
            epoch=best["epoch"],
            step=best["step"],
            seconds=best["seconds"],
            processes=self.accelerator.num_processes,
            device=machine(self.accelerator.device),
            dev=WordScores(**best["dev"]),
            test=test,
        )
        save_model(self.folder / "model", self.recipe, self.indexer, weights, origin)

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
                "fingerprint": self.fingerprint,
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
        if state["fingerprint"] != self.fingerprint:
            raise FenjieError(f"{path}: the training data are not those of this run any more")
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
        """Score the best model on the test files, once, and save it with its scores."""
        best = checkpoints.read(self.folder / BEST)
        self.module.load_state_dict(best.tensors["model"])
        state, test = best.state, {}
        dev = WordScores(**state["dev"])
        if self.main:
            for name in self.recipe.data.test:
                gold = read_sentences(name, self.recipe.data)
                reader = Reader([s.text for s in gold], self.recipe.text, self.indexer)
                predicted = reader(self.module, self.accelerator.device)
                test[name] = score(gold, predicted, self.corpora.words)
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
                temporary.write_text(text + "\n", encoding="utf-8")
        return Result(self.folder / "model", state["epoch"], state["step"], dev, test)

    def close(self) -> None:
        """Stop the progress bar and close the files."""
        if self.main:
            self.monitor.close()
            self.log.close()
