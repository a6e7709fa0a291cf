"""Tables of scores and errors for a terminal."""

from __future__ import annotations

import io

import pytest

from fenjie.cli import tables
from fenjie.evaluation import entity_scores, word_scores
from fenjie.evaluation.diff import differences
from fenjie.evaluation.word_report import report
from fenjie.progress import Screen
from fenjie.text.span import Sentence, Span

GOLD = [Sentence.from_words(["研究", "生命"]), Sentence.from_words(["好"])]
FOUND = [Sentence.from_words(["研究生", "命"]), Sentence.from_words(["好"])]


def printed(*things: object, width: int = 120) -> list[list[str]]:
    """The words of each line that is printed."""
    console = Screen(file=io.StringIO(), width=width)
    for thing in things:
        console.print(thing)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_word_scores_are_in_per_cent() -> None:
    scores = word_scores.score(GOLD, FOUND, {"好"})
    head, row = printed(tables.word_scores("[dev]", scores, known=True))
    assert row[0] == "[dev]", "a name is no markup"
    assert "33.33" in row and row[-1] == "3"
    without, _ = printed(tables.word_scores("dev", scores, known=False))
    assert set(head) - set(without) >= {"OOV", "IV"}


def test_of_a_long_path_the_end_is_seen_too() -> None:
    file = f"/home/{'folder/' * 10}test.bmes"
    _, *lines = printed(tables.run_scores({file: word_scores.score(GOLD, FOUND, {"好"})}), width=80)
    assert "".join(line[0] for line in lines) == file
    assert "33.33" in lines[0]


def test_entity_scores_have_a_row_for_each_label() -> None:
    gold = [Sentence("在北京", (Span(1, 3, "LOC"),)), Sentence("李雷", (Span(0, 2, "PER"),))]
    scores = entity_scores.score(gold, [gold[0], Sentence("李雷")])
    rows = {row[0]: row[1:] for row in printed(*tables.entity_scores("dev", scores)) if row}
    assert rows["all"] == ["100.00", "50.00", "66.67", "2", "1", "1"]
    assert rows["PER"] == ["–", "0.00", "0.00", "1", "0", "0"]


def test_the_most_frequent_errors_come_first() -> None:
    lines = printed(tables.word_errors(report(GOLD * 2, FOUND * 2)))
    (row,) = (line for line in lines if "shifted" in line and "2" in line[0])
    assert row[:4] == ["2", "shifted", "研究", "生命"]


@pytest.mark.parametrize(("most", "more"), [(1, True), (2, False)])
def test_a_diff_is_cut_and_says_so(most: int, more: bool) -> None:
    gold = [Sentence("在北京", (Span(1, 3, "LOC"),))] * 2
    lines = printed(*tables.diff_blocks(list(differences(gold, [Sentence("在北京")] * 2)), most))
    assert lines[2] == ["predicted", "在北京"]
    assert (["…", "1", "more", "sentences", "differ"] in lines) == more
