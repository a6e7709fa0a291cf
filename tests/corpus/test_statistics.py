"""Statistics, splits, and the commands that print them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fenjie.cli.data import app
from fenjie.corpus import benchmarks, write
from fenjie.corpus.benchmarks import DataFile
from fenjie.corpus.splits import in_blocks, last_share
from fenjie.corpus.statistics import Statistics, measure
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span

ENTITIES = [Sentence("我在北京。", (Span(2, 4, "LOC"),)), Sentence("没有")]
WORDS = [Sentence.from_words(["我", "在", "北京", "。"]), Sentence.from_words(["我们在"])]


def test_measure() -> None:
    assert measure(WORDS) == Statistics(
        sentences=2, characters=8, character_types=6, longest=5, words=5, word_types=5, most_words=4
    )
    found = measure(ENTITIES)
    assert found.entities == {"LOC": 1}
    assert (found.words, found.mean_length, found.mean_entities) == (0, 3.5, 0.5)
    assert (measure([]).mean_length, measure([]).mean_entities) == (0, 0)


def test_last_share() -> None:
    assert last_share(range(20), 0.1) == ([*range(18)], [18, 19])
    assert last_share(range(2), 0.01) == ([0], [1])
    assert last_share(range(2), 0.99) == ([0], [1])
    for sentences, share in ([1], 0.1), ([1, 2], 0.0), ([1, 2], 1.0):
        with pytest.raises(FenjieError, match="expected"):
            last_share(sentences, share)


def test_in_blocks() -> None:
    assert in_blocks(range(20), 0.1) == ([*range(9), *range(10, 19)], [9, 19])
    train, dev = in_blocks(range(20_000), 0.1)
    assert dev == [n for n in range(20_000) if n // 100 % 10 == 9]
    for total in (2, 3, 11, 99, 1_234, 5_678):
        for share in (0.01, 0.1, 0.33, 0.5, 0.9, 0.99):
            train, dev = in_blocks(range(total), share)
            assert len(dev) == len(last_share(range(total), share)[1])
            assert sorted(train + dev) == [*range(total)]
            assert train == sorted(train) and dev == sorted(dev)
    for sentences, share in ([1], 0.1), ([1, 2], 0.0), ([1, 2], 1.0):
        with pytest.raises(FenjieError, match="expected"):
            in_blocks(sentences, share)


def test_stats_command(tmp_path: Path) -> None:
    write(ENTITIES, tmp_path / "ner", "columns")
    write(WORDS, tmp_path / "cws", "spaced")
    result = CliRunner().invoke(app, ["stats", str(tmp_path / "ner"), str(tmp_path / "cws")])
    assert result.exit_code == 0, result.output
    rows = {
        cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
        for cells in (line.split("│") for line in result.output.splitlines())
        if len(cells) > 3
    }
    assert rows["Sentences"] == ["2", "2"]
    assert rows["Characters"] == ["7", "8"]
    assert rows["Max length (words)"] == ["", "4"]
    assert rows["Word types"] == ["", "5"]
    assert rows["Entities a sentence"] == ["0.50", ""]
    assert rows["LOC"] == ["1", ""]
    assert "Lexicon words a sentence" not in rows


def test_stats_with_a_lexicon(tmp_path: Path) -> None:
    write(ENTITIES, tmp_path / "ner", "columns")
    (tmp_path / "words.txt").write_text("北京\n在北京\n没有\n", encoding="utf-8")
    options = ["--lexicon", str(tmp_path / "words.txt")]
    result = CliRunner().invoke(app, ["stats", str(tmp_path / "ner"), *options])
    assert result.exit_code == 0, result.output
    (row,) = (line for line in result.output.splitlines() if "Lexicon words a sentence" in line)
    assert "1.50" in row


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one file, and the table of counts that fits it."""
    write(ENTITIES, tmp_path / "a.bmes", "columns")
    expected = {"sentences": 2, "entities": 1, "LOC": 1, "PER": 0}
    monkeypatch.setattr(benchmarks, "FILES", (DataFile("a.bmes", "columns", expected),))
    return tmp_path


def test_check_command(small: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(small)])
    assert result.exit_code == 0, result.output
    assert result.output.count("yes") == 4


def test_check_finds_a_difference(small: Path) -> None:
    write(ENTITIES[1:], small / "a.bmes", "columns")
    result = CliRunner().invoke(app, ["check", str(small)])
    assert isinstance(result.exception, FenjieError)
    assert str(result.exception) == (
        f"{small / 'a.bmes'}: 3 counts differ, the first in sentences; found 1; expected 2"
    )
    assert result.output.count("no") >= 3


def test_check_finds_a_missing_file(small: Path) -> None:
    (small / "a.bmes").unlink()
    result = CliRunner().invoke(app, ["check", str(small)])
    assert "a.bmes: cannot be read" in str(result.exception)
    assert "–" in result.output


def test_entities_that_no_tag_begins_are_not_counted(small: Path) -> None:
    (small / "a.bmes").write_text("我 S-LOC\n在 E-LOC\n\n好 O\n", encoding="utf-8")
    (checked,) = benchmarks.check(small)
    assert checked.repairs == 1
    assert {count.quantity: count.found for count in checked.counts}["entities"] == 1
