"""Evaluation: scores of words, equal to the official script, and of entities; error reports."""
