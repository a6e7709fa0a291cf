"""Rules about characters that no model decides."""
