"""Neural building blocks (torch): attention, positions, transformers, decoders."""
