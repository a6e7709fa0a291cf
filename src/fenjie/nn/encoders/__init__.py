"""Encoders: a vector for each character or token, from those of its neighbours too."""
