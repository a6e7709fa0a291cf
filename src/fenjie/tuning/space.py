"""Spaces of settings: which settings of a recipe are searched, and how. A strict TOML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

from fenjie.errors import FenjieError, FileError
from fenjie.ranges import Count, Range
from fenjie.recipe.recipe import MissingError, Recipe, loads, tables
from fenjie.recipe.toml import Document, dotted, dump

Value = int | float | str | bool


@dataclass(frozen=True)
class Between:
    """A number between two others.

    Attributes:
        low: the least.
        high: the greatest.
        log: whether its logarithm is drawn evenly.
        whole: whether it is an integer.
    """

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        """Raise a FenjieError where there is no such number."""
        if not self.low < self.high:
            raise FenjieError(f"low {self.low} is not below high {self.high}")
        if self.log and self.low <= 0:
            raise FenjieError(f"low {self.low} has no logarithm; expected a number above 0")
        if self.whole and (self.low != int(self.low) or self.high != int(self.high)):
            raise FenjieError("low and high must be integers where whole is true")


Choice = tuple[Value, ...] | Between
"""What is drawn: one of some values, or a number between two others."""

Factors = tuple[int | float | str, ...]
"""Numbers, and names of what is drawn."""


@dataclass(frozen=True)
class Space:
    """The settings that are searched.

    Attributes:
        method: `random`, as the papers search, or `tpe` (Bergstra et al. 2011).
        trials: number of trials.
        seed: of the draws.
        runs: number of runs of a trial, with the seeds 1, 2, …; their mean dev F1 counts.
        prune: a trial is given up where the best of its dev F1 at the ends of its epochs is below
            the median of the trials before at the end of the same epoch, not before this one;
            0 = none is.
        patience: number of trials before the first may be given up.
        choices: what is drawn: the name of a setting (`training.learning_rate`) or another name
            for use in products, and its values or the numbers that it lies between.
        products: settings that are products of numbers and of what is drawn.
    """

    method: Literal["random", "tpe"] = "random"
    trials: Annotated[int, Range(1, 100_000)] = 40
    seed: Count = 1
    runs: Annotated[int, Range(1, 100)] = 1
    prune: Count = 0
    patience: Annotated[int, Range(1, 100_000)] = 5
    choices: Mapping[str, Choice] = field(default_factory=dict)
    products: Mapping[str, Factors] = field(default_factory=dict)

    def settings(self, drawn: Mapping[str, Value]) -> dict[str, Value]:
        """The settings of the recipe that follow from what was drawn, by dotted name."""
        found = {name: value for name, value in drawn.items() if "." in name}
        for name, factors in self.products.items():
            found[name] = prod(drawn[f] if isinstance(f, str) else f for f in factors)
        return found


SEED = "training.seed"
"""The setting that each run of a trial has of its own."""

_PLAIN = ("method", "trials", "seed", "runs", "prune", "patience")


def load_space(path: Path) -> Space:
    """Read a space.

    Raises:
        FileError: the file cannot be read, is not TOML, has an unknown key, or a wrong value.
    """
    document = Document.read(path)
    values = document.values
    document.check_keys(values, (*_PLAIN, "space", "products"))
    plain = {name: value for name, value in values.items() if name in _PLAIN}
    base = document.build(Space, plain)
    for name in ("space", "products"):
        if not isinstance(values.get(name, {}), dict):
            raise document.error((name,), f"{name} is no table", found=values[name])
    choices = dict(_choices(document, values.get("space", {}), ("space",)))
    if not choices:
        raise document.error(("space",), "[space] names no setting to search")
    products = _products(document, values.get("products", {}), choices)
    for name in choices:
        if "." not in name and not any(name in factors for factors in products.values()):
            message = f"{name} is no setting, such as model.dim, and in no product"
            raise document.error(("space", name), message)
    for table, names in (("space", choices), ("products", products)):
        if SEED in names:
            message = f"{SEED} is not searched: the runs of a trial have the seeds 1, 2, …"
            raise document.error((table, *SEED.split(".")), message)
    own = {name: getattr(base, name) for name in _PLAIN}
    return Space(**own, choices=choices, products=products)


def _products(
    document: Document, table: dict[str, Any], choices: Mapping[str, Choice]
) -> dict[str, Factors]:
    """The products of numbers and drawn settings, by name; an error where one cannot be made."""
    products: dict[str, Factors] = {}
    for name, factors, keys in _leaves(table, ("products",)):
        products[name] = document.convert(Factors, factors, keys)
        if not products[name]:
            raise document.error(keys, f"{dotted(keys)} multiplies nothing", found=factors)
        for factor in products[name]:
            if isinstance(factor, str) and not _is_number(choices.get(factor)):
                known = " or ".join(n for n, c in choices.items() if _is_number(c)) or "a number"
                message = f"{dotted(keys)} multiplies what is not drawn as a number"
                raise document.error(keys, message, found=factor, expected=known)
        if name in choices:
            raise document.error(keys, f"{name} is drawn already; found it in [products] too")
    return products


def _leaves(
    table: Any, keys: tuple[str, ...], prefix: str = ""
) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """The entries of nested tables: dotted name, value and place in the file."""
    for key, value in table.items():
        name, inner = f"{prefix}{key}", (*keys, *key.split("."))
        if isinstance(value, dict) and not {"low", "high"} & value.keys():
            yield from _leaves(value, inner, f"{name}.")
        else:
            yield name, value, inner


def _choices(document: Document, table: Any, keys: tuple[str, ...]) -> Iterator[tuple[str, Choice]]:
    for name, value, place in _leaves(table, keys):
        if isinstance(value, dict):
            yield name, document.build(Between, value, place)
        else:
            made = document.convert(tuple[bool | int | float | str, ...], value, place)
            if not made or len(set(made)) < len(made):
                message = f"{dotted(place)} needs values that differ"
                raise document.error(place, message, found=value)
            yield name, made


def _is_number(choice: Choice | None) -> bool:
    return isinstance(choice, Between) or (
        choice is not None and all(type(value) in (int, float) for value in choice)
    )


_CHANGED = "the recipe with the settings of the space"


def with_settings(recipe: Recipe, settings: Mapping[str, Value]) -> Recipe:
    """The recipe with some settings changed.

    Args:
        recipe: the recipe.
        settings: the new values by dotted name.

    Raises:
        MissingError: a setting is unknown, or the recipe refuses its value.
    """
    values: dict[str, Any] = tables(recipe)
    for name, value in settings.items():
        *folders, key = name.split(".")
        table: Any = values
        for folder in folders:
            table = table.get(folder) if isinstance(table, dict) else None
        if not isinstance(table, dict) or isinstance(table.get(key), dict):
            raise MissingError(f"{name} is no setting of this recipe", name)
        table[key] = value
    text = dump(values)
    try:
        return loads(text, _CHANGED)
    except FileError as error:  # its lines are those of no file that anybody has
        line = Document(Path(_CHANGED), text).line
        names = (name for name in settings if line(name.split(".")) == error.line)
        raise MissingError(f"{_CHANGED}: {error.reason}", *names) from error


def load_for(recipe: Recipe, path: Path) -> Space:
    """Read a space of settings of a recipe.

    Raises:
        FileError: as `load_space`, or it does not fit the recipe.
    """
    space = load_space(path)
    try:
        check_against(space, recipe)
    except MissingError as error:
        keys: tuple[str, ...] = ()
        for name in error.names:
            keys = ("space" if name in space.choices else "products", *name.split("."))
        raise Document.read(path).error(keys, str(error)) from error
    return space


def check_against(space: Space, recipe: Recipe) -> None:
    """Refuse a space of settings that the recipe has not, or values that it cannot have.

    Each value is tried with the first one of every other setting.

    Raises:
        MissingError: there is one.
    """
    first = {name: _tried(choice)[0] for name, choice in space.choices.items()}
    with_settings(recipe, space.settings(first))
    for name, choice in space.choices.items():
        if name.partition(".")[0] == "training":  # others may only fit together
            for value in _tried(choice):
                with_settings(recipe, space.settings({**first, name: value}))


def _tried(choice: Choice) -> tuple[Value, ...]:
    if not isinstance(choice, Between):
        return choice
    kind = int if choice.whole else float
    return kind(choice.low), kind(choice.high)
