"""Training: the loop and what it needs; it knows no task."""
