"""Layers in PyTorch: attention, fusion, encoders, decoders."""
