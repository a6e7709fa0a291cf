"""The search for settings of a recipe."""
