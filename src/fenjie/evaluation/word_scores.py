"""Word scores: precision, recall, F1, and recall of words seen and not seen in training."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass
from itertools import compress

from fenjie.evaluation.alignment import matched
from fenjie.evaluation.shares import Shares, or_none, pairs, share
from fenjie.text.span import Sentence

SHARES = ("precision", "recall", "f1", "oov_rate", "oov_recall", "iv_recall")
"""The scores of words, by their names in JSON."""


@dataclass(frozen=True)
class WordScores(Shares):
    """The counts of a comparison, and the scores that follow from them.

    Attributes:
        gold: words in the gold sentences.
        predicted: words in the predicted sentences.
        correct: words common to both.
        oov: gold words that are not in the vocabulary.
        oov_correct: the correct ones among these.
    """

    gold: int
    predicted: int
    correct: int
    oov: int
    oov_correct: int

    @property
    def oov_rate(self) -> float:
        """Gold words that are not in the vocabulary among all."""
        return share(self.oov, self.gold)

    @property
    def oov_recall(self) -> float:
        """Correct words among the gold words that are not in the vocabulary."""
        return share(self.oov_correct, self.oov)

    @property
    def iv_recall(self) -> float:
        """Correct words among the gold words that are in the vocabulary."""
        return share(self.correct - self.oov_correct, self.gold - self.oov)

    @property
    def figures(self) -> dict[str, float]:
        """The columns of a table of scores."""
        return {
            "P": self.precision,
            "R": self.recall,
            "F1": self.f1,
            "OOV rate": self.oov_rate,
            "OOV recall": self.oov_recall,
            "IV recall": self.iv_recall,
        }

    def as_dict(self) -> dict[str, float | int | None]:
        """Scores and counts for JSON; a score of nothing is None."""
        return {name: or_none(getattr(self, name)) for name in SHARES} | asdict(self)


def score(
    gold: Sequence[Sentence], predicted: Sequence[Sentence], vocabulary: Set[str] = frozenset()
) -> WordScores:
    """Compare predicted words with gold words, as the script of the SIGHAN bakeoffs does.

    The script lays the two sequences of words of a sentence side by side with `diff` and counts
    the common ones. That is not quite the count of words with the same offsets: `diff` may match
    a word with an equal one elsewhere, and on long stretches of errors it overlooks a frequent
    word that is right. The counts here are those of the script (see `fenjie.evaluation.alignment`).

    Args:
        gold: the segmented sentences as they should be.
        predicted: the same texts as a system segments them.
        vocabulary: the words of the training data, for the recall of words seen and not seen.

    Raises:
        FenjieError: the sentences do not correspond.
    """
    words = guessed = correct = oov = oov_correct = 0
    for right, answer in pairs(gold, predicted):
        words += len(right.spans)
        guessed += len(answer.spans)
        unknown = [word not in vocabulary for word in right.words]
        oov += sum(unknown)
        if right.spans == answer.spans:
            correct += len(right.spans)
            oov_correct += sum(unknown)
        else:
            hits = matched(right.words, answer.words)
            correct += sum(hits)
            oov_correct += sum(compress(hits, unknown))
    return WordScores(words, guessed, correct, oov, oov_correct)
