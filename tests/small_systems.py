"""Settings of small systems for entities, for tests that go through all of them."""

from __future__ import annotations

from typing import Any

System = tuple[str, dict[str, Any]]
"""An architecture and its settings."""


def with_words(transformer: dict[str, Any]) -> dict[str, System]:
    """The systems that the four papers cite, by name.

    Args:
        transformer: the settings of those that are made of attention.
    """
    return {
        "lattice_lstm": ("lattice_lstm", {"hidden": 8}),
        "lr_cnn": ("lr_cnn", {"hidden": 8}),
        "lgn": ("lgn", {"hidden": 8, "heads": 2, "head_dim": 4}),
        "cgn": ("cgn", {"hidden": 8, "graph_dim": 4}),
        "plt": ("plt", transformer | {"layers": 2, "recurrent": 6}),
        "dcsan": ("dcsan", transformer | {"cross_heads": 2}),
        "mect": ("mect", transformer | {"random_places": 20}),
    }
