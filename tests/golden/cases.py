"""The cases: every architecture with every switch that a recipe turns, in tiny."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from benchmarks.training import OTHERS
from tests.golden import inside

HERE = Path(__file__).parent
RECIPES = HERE.parents[1] / "recipes"

SIZES = {
    "dim": 16,
    "heads": 2,
    "hidden": 24,
    "layers": 2,
    "bigram_dim": 8,
    "ngrams": 4096,
    "bigrams": 1,
    "words": 1,
    "limit": 0,
}
"""What every case has instead of the sizes of its recipe."""

FEED = {"sentences": 4, "tokens": 80}
"""The batches of every case; words come by `tokens`, entities by `sentences`."""

MORE = {
    "flat-deep": ("flat", {"layers": 2, "selection": {"kind": "top-k"}, "key_projection": False}),
    "tener-entmax": ("tener", {"selection": {"kind": "entmax"}, "layers": 2}),
    "atssa-windows": ("atssa", {"selection": {"soft": True}, "windows": {"size": 3, "rounds": 2}}),
    "bilstm-deep": ("bilstm_crf", {"layers": 2}),
    "free-crf": ("tener", {"constrained": False, "boundary": False, "sinusoids": "model"}),
}
"""Switches that no recipe turns but a user may."""


EXPORTED = ("segment", "ner", "free-crf", "bert.bert-flat-weibo")
"""The cases that are exported too, which takes seconds; all are tagged with PyTorch."""


def recipe_paths() -> list[Path]:
    """The recipes that can be run."""
    return [path for path in sorted(RECIPES.rglob("*.toml")) if path.parent.name not in OTHERS]


def changed(settings: Any, default: Any = None) -> dict[str, Any]:
    """The values of a dataclass that differ from its defaults, those inside of it likewise.

    Args:
        settings: the dataclass.
        default: another of its kind, instead of the defaults of the fields.
    """
    found = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if default is not None:
            usual = getattr(default, field.name)
        elif field.default_factory is not dataclasses.MISSING:
            usual = field.default_factory()
        else:
            usual = field.default
        if value != usual:
            nested = dataclasses.is_dataclass(value)
            found[field.name] = changed(value, usual) if nested else value
    return found


def make_cases() -> dict[str, str]:
    """The tiny recipes by their names, as TOML, without files and folders.

    Of recipes that differ in nothing but sizes and rates, the one with most dropout stands for all.
    """
    groups: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}
    for path in recipe_paths():
        recipe = inside.load(path)
        settings = {
            "task": recipe.task,
            "architecture": recipe.architecture,
            "data": {"lists": recipe.data.lists} if recipe.data.lists else {},
            "text": changed(recipe.text),
            "vocabulary": changed(recipe.vocabulary),
            "model": changed(recipe.model),
            "training": {"unknown": recipe.training.unknown} if recipe.training.unknown else {},
        }
        tiny = _tiny(settings)
        switches = {**tiny, "training": None, "model": _without_rates(tiny["model"])}
        name = str(path.relative_to(RECIPES).with_suffix("")).replace("/", ".")
        rates = str(tiny["model"]).count("dropout") + len(settings["training"])
        groups.setdefault(json.dumps(switches, sort_keys=True), []).append((-rates, name, tiny))
    made = {}
    for group in groups.values():
        _, name, tiny = min(group, key=lambda one: (one[0], one[1].count("."), one[1]))
        made[name] = inside.dump(tiny)
    usual = {"task": "ner", "vocabulary": {"bigrams": 1, "vectors": "vectors"}}
    for name, (architecture, model) in MORE.items():
        tiny = _tiny({**usual, "architecture": architecture, "model": model})
        made[name] = inside.dump(tiny)
    return dict(sorted(made.items()))


def _tiny(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with tiny sizes; of the training, seed, batches and unknown characters stay."""
    model, architecture = dict(settings["model"]), settings["architecture"]
    sizes = {
        "ngrams": (),
        "sams": ("dim", "heads", "hidden", "layers", "bigram_dim"),
        "stacked_bilstm": ("hidden",),
        "plt": ("dim", "heads", "hidden", "layers"),
        "bilstm_crf": ("hidden",),
        "lattice_lstm": ("hidden",),
        "lr_cnn": ("hidden",),
        "lgn": ("hidden", "heads"),
        "cgn": ("hidden",),
        "soft_lexicon": ("hidden",),
        "bert_crf": ("hidden",),
    }.get(architecture, ("dim", "heads", "hidden"))
    model |= {name: SIZES[name] for name in sizes}
    if architecture == "soft_lexicon" and model.get("encoder") == "transformer":
        small = {name: SIZES[name] for name in ("dim", "heads", "hidden")}
        model["transformer"] = model.get("transformer", {}) | small
    vocabulary = {
        name: SIZES.get(name, value) for name, value in settings.get("vocabulary", {}).items()
    }
    vocabulary.pop("limit", None)
    for name, stands in (
        ("vectors", "vectors"),
        ("lexicon", ["dictionary.txt"]),
        ("components", "components.txt"),
    ):
        if name in vocabulary:
            vocabulary[name] = stands
    if architecture == "bert_crf" or "pretrained" in model:
        model["pretrained"] = model.get("pretrained", {}) | {"name": "encoder"}
    training = FEED | settings.get("training", {})
    if settings["task"] == "segment":
        del training["sentences"]
    return {**settings, "vocabulary": vocabulary, "model": model, "training": training}


def _without_rates(model: dict[str, Any]) -> dict[str, Any]:
    """The settings without rates of dropout."""
    return {
        name: _without_rates(value) if isinstance(value, dict) else value
        for name, value in model.items()
        if not name.endswith("dropout")
    }
