"""Attention: which keys a query sees, and how position is scored."""
