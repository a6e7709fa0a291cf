"""The tags of a set of labels as numbers, and which of them may follow which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.text import schemes
from fenjie.text.schemes import Scheme
from fenjie.text.span import WORD, Sentence, Span

_ORDER = {Scheme.BIO: "BI", Scheme.BIOES: "BIES", Scheme.BMES: "BMES"}


class TagSet:
    """Numbers for the tags of some labels in a scheme: O first, then each label's.

    Attributes:
        labels: the labels, in the order given.
        scheme: how spans are written as tags.
        tags: the tag of each number: `O`, `B-X`, `M-X`, `E-X`, `S-X`, ...
        allowed: whether the second tag may follow the first, `[tags, tags]`.
        begins: whether a sentence may begin with the tag, `[tags]`.
        ends: whether a sentence may end with the tag, `[tags]`.
    """

    def __init__(self, labels: Sequence[str], scheme: str = Scheme.BMES) -> None:
        """Number the tags.

        Raises:
            FenjieError: a label is empty or repeated, or the scheme is unknown.
        """
        self.labels = tuple(labels)
        self.scheme = Scheme.named(scheme)
        if len(set(self.labels)) < len(self.labels) or "" in self.labels:
            raise FenjieError(f"empty or repeated label among {', '.join(self.labels)}")
        suffixes = ["" if label == WORD else f"-{label}" for label in self.labels]
        pairs = [(letter, suffix) for suffix in suffixes for letter in _ORDER[self.scheme]]
        self.tags = ("O", *(letter + suffix for letter, suffix in pairs))
        self._ids = {tag: number for number, tag in enumerate(self.tags)}

        letters = np.array(["O", *(letter for letter, _ in pairs)])
        each = len(_ORDER[self.scheme])
        owners = np.repeat(np.arange(-1, len(labels)), [1, *[each] * len(labels)])
        goes_on = np.isin(letters, list("MIE"))
        is_open = np.isin(letters, list("BMI"))
        must_go_on = is_open & (self.scheme is not Scheme.BIO)
        same = owners[:, None] == owners
        self.begins: NDArray[np.bool_] = ~goes_on
        self.ends: NDArray[np.bool_] = ~must_go_on
        self.allowed: NDArray[np.bool_] = np.where(
            goes_on, is_open[:, None] & same, ~must_go_on[:, None]
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
        spans, _ = schemes.decode([self.tags[number] for number in numbers.tolist()], self.scheme)
        return spans

    def _encode(self, spans: Sequence[Span], length: int) -> NDArray[np.int64]:
        tags = schemes.encode(spans, length, self.scheme)
        try:
            return np.fromiter((self._ids[tag] for tag in tags), np.int64, length)
        except KeyError:
            unknown = next(span.label for span in spans if span.label not in self.labels)
            raise FenjieError(
                f"unknown label {unknown!r}; expected one of {', '.join(self.labels)}"
            ) from None
