"""Decoders: how scores become boundaries."""
