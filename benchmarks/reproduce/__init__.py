"""Runs published tables and compares the measured figures with the published ones."""
