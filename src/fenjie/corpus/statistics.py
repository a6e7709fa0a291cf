"""The figures that papers give of their data sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fenjie.text.span import WORD, Sentence


@dataclass
class Statistics:
    """Counts over the sentences of a corpus.

    Words and entities are told apart by their label: spans labelled `WORD` are words.

    Lengths are in characters (code points), types are distinct ones, `most_words` are those of the
    sentence that has the most, and `entities` are counted by their type.
    """

    sentences: int = 0
    characters: int = 0
    character_types: int = 0
    longest: int = 0
    words: int = 0
    word_types: int = 0
    most_words: int = 0
    entities: Counter[str] = field(default_factory=Counter)

    @property
    def mean_length(self) -> float:
        """Characters a sentence."""
        return self.characters / self.sentences if self.sentences else 0.0

    @property
    def mean_entities(self) -> float:
        """Entities a sentence."""
        return self.entities.total() / self.sentences if self.sentences else 0.0


def measure(sentences: Iterable[Sentence]) -> Statistics:
    """Count sentences, characters, words and entities."""
    result = Statistics()
    characters: set[str] = set()
    vocabulary: set[str] = set()
    for sentence in sentences:
        words = [span.of(sentence.text) for span in sentence.spans if span.label == WORD]
        result.sentences += 1
        result.characters += len(sentence.text)
        result.longest = max(result.longest, len(sentence.text))
        result.words += len(words)
        result.most_words = max(result.most_words, len(words))
        result.entities.update(span.label for span in sentence.spans if span.label != WORD)
        characters.update(sentence.text)
        vocabulary.update(words)
    result.character_types, result.word_types = len(characters), len(vocabulary)
    return result
