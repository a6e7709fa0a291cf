"""Text and its boundaries, without torch: spans, label schemes, normalisation, splitting."""
