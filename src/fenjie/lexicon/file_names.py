"""The names of the files of lexicons in a model folder."""

LEXICON_FILES = ("lexicon.npy", "trained.npy")
"""The files of the lexicons of a model: a general one, and the words of the training data."""

SHARED = "trained.standards.npy"
"""For each word of the training data a number whose bit n says that the nth standard has it."""
