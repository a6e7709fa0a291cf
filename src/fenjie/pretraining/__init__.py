"""Pre-training: an encoder of characters from raw text."""
