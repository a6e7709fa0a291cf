"""Word scores against the official script of the SIGHAN bakeoffs, on real text."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from fenjie.evaluation.word_scores import score
from fenjie.text.span import Sentence

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl here"),
]

LINES = 300
"""The script starts `diff` for each line, which takes its time."""


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "cws"


@pytest.fixture(scope="module")
def gold(folder: Path) -> list[list[str]]:
    text = (folder / "pku/pku_test_gold.utf8").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()][:LINES]


@pytest.fixture(scope="module")
def known(folder: Path) -> set[str]:
    return set((folder / "pku/pku_training_words.utf8").read_text(encoding="utf-8").split())


Segment = Callable[[str, set[str]], Iterable[str]]


def longest_match(text: str, known: set[str]) -> Iterable[str]:
    start = 0
    while start < len(text):
        end = min(start + 12, len(text))
        while end > start + 1 and text[start:end] not in known:
            end -= 1
        yield text[start:end]
        start = end


def at_random(text: str, known: set[str]) -> Iterable[str]:
    chance, start = random.Random(text), 0
    for end in range(1, len(text) + 1):
        if end == len(text) or chance.random() < 0.5:
            yield text[start:end]
            start = end


@pytest.mark.parametrize("segment", [longest_match, list, at_random])
def test_equals_the_script(
    segment: Segment, folder: Path, gold: list[list[str]], known: set[str], tmp_path: Path
) -> None:
    lines = ["".join(words) for words in gold]
    predicted = [list(segment(line, known) if segment is not list else line) for line in lines]
    truth, test = tmp_path / "gold.txt", tmp_path / "test.txt"
    for path, sentences in ((truth, gold), (test, predicted)):
        text = "".join("  ".join(words) + "\n" for words in sentences)
        path.write_text(text, encoding="utf-8")
    output = subprocess.run(
        ["perl", folder / "score.pl", folder / "pku/pku_training_words.utf8", truth, test],
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout.decode("utf-8", "replace")
    summary = output.splitlines()[-1].split("\t")
    words, guessed, recall, precision, f1, oov_rate, oov_recall, iv_recall = summary[6:]

    scores = score(
        [Sentence.from_words(sentence) for sentence in gold],
        [Sentence.from_words(sentence) for sentence in predicted],
        known,
    )
    assert (scores.gold, scores.predicted) == (int(words), int(guessed))
    ours = (scores.recall, scores.precision, scores.f1)
    ours += (scores.oov_rate, scores.oov_recall, scores.iv_recall)
    printed = (recall, precision, f1, oov_rate, oov_recall, iv_recall)
    assert tuple(f"{value:.3f}" for value in ours) == printed
    common = sum(int(line.partition("\t")[2]) for line in output.splitlines() if _counts(line))
    assert scores.correct == int(words) - common


def _counts(line: str) -> bool:
    """Lines of the summary whose numbers are gold words that were missed."""
    return line.startswith(("=== TOTAL DELETIONS", "=== TOTAL SUBSTITUTIONS"))
