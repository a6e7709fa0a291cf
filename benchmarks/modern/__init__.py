"""Modern text with persons, places and organisations, and the script that scores models on it."""
