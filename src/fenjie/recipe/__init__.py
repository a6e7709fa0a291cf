"""Recipes: what a run is, read from strict TOML."""
