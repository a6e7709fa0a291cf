"""Model folders, from the side of training: save, load, provenance."""
