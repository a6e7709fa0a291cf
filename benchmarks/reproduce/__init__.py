"""The runs of published tables, and what they measured beside what was published."""
