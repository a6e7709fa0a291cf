"""The tags of a set of labels as numbers, and which of them may follow which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.text import schemes
from fenjie.text.span import WORD, Sentence, Span

LETTERS = "BMES"
"""The tags of a label, in the order of their numbers: first, inside, last, single."""


class TagSet:
    """Numbers for the tags of some labels in BMES: O first, then each label's.

    Files may have other schemes (`fenjie.text.schemes`); models have this one.

    Attributes:
        labels: the labels, in the order given.
        tags: the tag of each number: `O`, `B-X`, `M-X`, `E-X`, `S-X`, `B-Y`, ...
        allowed: whether the second tag may follow the first, `[tags, tags]`.
        begins: whether a sentence may begin with the tag, `[tags]`.
        ends: whether a sentence may end with the tag, `[tags]`.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        """Number the tags.

        Raises:
            FenjieError: a label is empty or repeated.
        """
        self.labels = tuple(labels)
        if len(set(self.labels)) < len(self.labels) or "" in self.labels:
            raise FenjieError(f"empty or repeated label among {', '.join(self.labels)}")
        suffixes = ["" if label == WORD else f"-{label}" for label in self.labels]
        self.tags = ("O", *(letter + suffix for suffix in suffixes for letter in LETTERS))
        self._ids = {tag: number for number, tag in enumerate(self.tags)}

        letters = np.array([tag[0] for tag in self.tags])
        owners = np.array([-1, *np.repeat(np.arange(len(labels)), len(LETTERS))])
        goes_on, is_open = np.isin(letters, ["M", "E"]), np.isin(letters, ["B", "M"])
        same = owners[:, None] == owners
        self.begins: NDArray[np.bool_] = ~goes_on
        self.ends: NDArray[np.bool_] = ~is_open
        self.allowed: NDArray[np.bool_] = np.where(
            goes_on, is_open[:, None] & same, ~is_open[:, None]
        )

    def __len__(self) -> int:
        """The number of tags."""
        return len(self.tags)

    def encode(self, sentence: Sentence) -> NDArray[np.int64]:
        """The tag of each character: `[length]`.

        Raises:
            FenjieError: spans overlap, or a label is not in the set.
        """
        return self._encode(sentence.spans, len(sentence.text))

    def path(self, label: str, length: int) -> NDArray[np.int64]:
        """The tags of one span of `length` characters: `[length]`.

        Raises:
            FenjieError: the label is not in the set.
        """
        return self._encode([Span(0, length, label)], length)

    def decode(self, ids: Sequence[int] | NDArray[np.int64]) -> tuple[Span, ...]:
        """The spans that tags stand for; ill-formed tags are repaired as `schemes` says.

        Raises:
            FenjieError: a number is not that of a tag.
        """
        numbers = np.asarray(ids, dtype=np.int64)
        wrong = numbers[(numbers < 0) | (numbers >= len(self))]
        if len(wrong):
            raise FenjieError(f"not a tag: {wrong[0]}; expected 0 to {len(self) - 1}")
        spans, _ = schemes.decode([self.tags[number] for number in numbers.tolist()])
        return spans

    def _encode(self, spans: Sequence[Span], length: int) -> NDArray[np.int64]:
        tags = schemes.encode(spans, length)
        try:
            return np.fromiter((self._ids[tag] for tag in tags), np.int64, length)
        except KeyError:
            unknown = next(span.label for span in spans if span.label not in self.labels)
            raise FenjieError(
                f"unknown label {unknown!r}; expected one of {', '.join(self.labels)}"
            ) from None
