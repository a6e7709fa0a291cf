"""A fast model of words from a better one: raw text that a teacher has cut, then gold words."""
