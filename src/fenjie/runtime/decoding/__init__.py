"""From scores to words and entities, in numpy."""
