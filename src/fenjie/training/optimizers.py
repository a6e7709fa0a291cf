"""The optimisers: Adam, and stochastic gradient descent that spares the rows nobody reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from fenjie.nn.embeddings import TrainedTable
from fenjie.nn.encoders.pretrained import Pretrained
from fenjie.recipe.recipe import TrainingRecipe

HORIZON = 256
"""Largest number of steps that a row may miss before all rows are brought up to date."""


def make_optimizer(module: nn.Module, settings: TrainingRecipe) -> torch.optim.Optimizer:
    """The optimiser that a recipe names.

    The loop sets the rate in each step, for each group of weights times its `factor`. What never
    changes, as a frozen encoder, is in no group.
    """
    if settings.optimizer == "sgd":
        optimizer = Sgd(_groups(module, settings), settings.momentum)
        if not settings.average:  # an average follows all rows in every step
            for part in module.modules():
                if isinstance(part, TrainedTable):
                    optimizer.watch(part)
        return optimizer
    kind = torch.optim.AdamW if settings.weight_decay else torch.optim.Adam
    return kind(
        _groups(module, settings),
        lr=0.0,
        betas=settings.betas,
        eps=settings.epsilon,
        weight_decay=settings.weight_decay,
        fused=True,
    )


def _groups(module: nn.Module, settings: TrainingRecipe) -> list[dict[str, Any]]:
    """The weights that learn, in groups of one rate each; a group without weights is left out."""
    kinds: dict[Tensor, int] = {}
    for part in module.modules():
        if isinstance(part, TrainedTable) and settings.optimizer == "adam":
            kinds[part.weight] = 1
        elif isinstance(part, Pretrained):
            kinds |= dict.fromkeys(part.encoder.parameters(), 2)
    factors = (1.0, settings.tables, settings.pretrained_rate)
    groups: list[dict[str, Any]] = [{"params": [], "factor": factor} for factor in factors]
    for weight in module.parameters():
        if weight.requires_grad:
            groups[kinds.get(weight, 0)]["params"].append(weight)
    return [group for group in groups if group["params"]]


class Sgd(torch.optim.Optimizer):
    """Stochastic gradient descent with momentum: `v = m v + g; w = w - rate v`.

    Of a table of vectors a batch reads few rows. The others go on by their momentum alone, and
    where a row goes in k steps without a gradient is known in closed form: its velocity falls to
    `m^k v`, its weights by `(rate_1 m + … + rate_k m^k) v`. So a watched table is updated where it
    is read, and a row is brought up to date before it is read again: the same steps as those of
    the plain rule, without touching the whole table in each.
    """

    def __init__(self, parameters: Iterable[Any], momentum: float) -> None:
        """Take the parameters, or groups of them; `watch` the tables among them."""
        super().__init__(parameters, {"lr": 0.0, "momentum": momentum, "factor": 1.0})

    def watch(self, table: TrainedTable) -> None:
        """Bring the rows of a table up to date when they are read in training."""
        table.sparse = True
        weight = table.weight
        self.state[weight] = {
            "velocity": torch.zeros_like(weight),
            # The step after which each row was up to date.
            "current": torch.zeros(len(weight), dtype=torch.int64, device=weight.device),
            "step": torch.zeros((), dtype=torch.int64),
            # At k: the way of a row that has missed k steps, in velocities.
            "pull": torch.zeros(HORIZON + 1, dtype=torch.float64, device=weight.device),
        }

        def before(table: TrainedTable, inputs: tuple[Tensor]) -> None:
            if table.training:
                self.catch_up(table.weight, inputs[0].unique())

        table.register_forward_pre_hook(before)

    @torch.no_grad()
    def catch_up(self, weight: Tensor, rows: Tensor) -> None:
        """Bring some rows of a watched table, `[rows, dim]`, up to date; each is named once."""
        state, momentum = self.state[weight], self.param_groups[0]["momentum"]
        behind = state["step"] - state["current"][rows]
        rows, behind = rows[behind > 0], behind[behind > 0]
        velocity = state["velocity"][rows]
        weight[rows] -= velocity * state["pull"][behind, None].to(velocity.dtype)
        state["velocity"][rows] = velocity * (momentum ** behind[:, None].to(velocity.dtype))
        state["current"][rows] = state["step"]

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take up a state as it is; torch's own method would make all of it the weights' type."""
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({name: value for name, value in saved.items() if name != "params"})
        weights = [weight for group in self.param_groups for weight in group["params"]]
        for number, saved in state_dict["state"].items():
            place = weights[number].device
            self.state[weights[number]] = {
                k: v.detach().to(place).clone() for k, v in saved.items()
            }

    def flush(self) -> None:
        """Bring all rows of all watched tables up to date, as for an evaluation."""
        for weight, state in self.state.items():
            if "pull" in state:
                self.catch_up(weight, torch.arange(len(weight), device=weight.device))

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take one step."""
        for group in self.param_groups:
            self._step_group(group["params"], group["lr"], group["momentum"])

    def _step_group(self, weights: list[Any], rate: float, momentum: float) -> None:
        """One step of the weights of one rate."""
        watched = [weight for weight in weights if "pull" in self.state[weight]]
        plain = [w for w in weights if w.grad is not None and "pull" not in self.state[w]]
        for weight in plain:
            if not self.state[weight]:
                self.state[weight]["velocity"] = torch.zeros_like(weight)
        if plain:
            velocities = [self.state[weight]["velocity"] for weight in plain]
            torch._foreach_mul_(velocities, momentum)
            torch._foreach_add_(velocities, [weight.grad for weight in plain])
            torch._foreach_add_(plain, velocities, alpha=-rate)
        for weight in watched:
            self._step_rows(weight, rate, momentum)

    def _step_rows(self, weight: Tensor, rate: float, momentum: float) -> None:
        """One step of a watched table."""
        state = self.state[weight]
        if weight.grad is not None:
            gradient = weight.grad.coalesce()
            rows = gradient.indices()[0]
            self.catch_up(weight, rows)  # another process may have read them
            velocity = state["velocity"][rows] * momentum + gradient.values()
            state["velocity"][rows] = velocity
            weight[rows] -= rate * velocity
            state["current"][rows] = state["step"] + 1
        state["step"] += 1
        pull = state["pull"]
        powers = momentum ** torch.arange(1, HORIZON + 1, dtype=pull.dtype, device=pull.device)
        pull[1:] = pull[:-1] + rate * powers
        if not state["step"] % HORIZON:
            self.catch_up(weight, torch.arange(len(weight), device=weight.device))
