"""Fusion: how lexicon words reach the characters."""
