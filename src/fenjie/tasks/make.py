"""The tasks by the names that recipes use."""

from __future__ import annotations

from fenjie.recipe.recipe import Recipe
from fenjie.tasks.ner import Entities
from fenjie.tasks.segmentation import Segmentation
from fenjie.tasks.task import Task


def make_task(recipe: Recipe) -> Task:
    """Read the data of a recipe and build its model.

    Raises:
        FenjieError: the data are not as they should be.
    """
    return Entities(recipe) if recipe.task == "ner" else Segmentation(recipe)
