"""From raw text to vectors of characters, bigrams and words."""
