"""Evaluation: word scores equal to the official script, and a report of the errors."""
