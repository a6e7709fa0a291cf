"""The commands `fenjie data stats` and `fenjie data check`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fenjie.cli.data import app
from fenjie.corpus import benchmarks, write
from fenjie.corpus.benchmarks import DataFile
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span
from tests.command_line import fenjie

ENTITIES = [Sentence("我在北京。", (Span(2, 4, "LOC"),)), Sentence("没有")]
WORDS = [Sentence.from_words(["我", "在", "北京", "。"]), Sentence.from_words(["我们在"])]


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
    assert rows["Entities per sentence"] == ["0.50", ""]
    assert rows["LOC"] == ["1", ""]
    assert "Lexicon words per sentence" not in rows


def test_what_was_mended_and_what_was_left_out_are_told_apart(tmp_path: Path) -> None:
    line = '{"text": "北京", "spans": [], "answer": "accept"}\n'
    lines = line + line.replace("accept", "reject")
    (tmp_path / "some.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "some.bio").write_text("我 O\n在 O\n北 I-LOC\n\n京 B-LOC\n", encoding="utf-8")
    files = [str(tmp_path / "some.jsonl"), str(tmp_path / "some.bio")]
    result = CliRunner().invoke(app, ["stats", *files])
    assert result.exit_code == 0, result.output
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.output.splitlines()]
    assert ["Examples rejected or ignored", "1", ""] in rows
    assert ["Ill-formed tags repaired", "", "1"] in rows


def stats_with_words(folder: Path, words: str) -> Result:
    """What `stats` says of entities, with a list of words."""
    write(ENTITIES, folder / "ner", "columns")
    (folder / "words.txt").write_text(words, encoding="utf-8")
    options = ["--lexicon", str(folder / "words.txt")]
    result = CliRunner().invoke(app, ["stats", str(folder / "ner"), *options])
    assert result.exit_code == 0, result.output
    return result


def test_stats_with_a_lexicon(tmp_path: Path) -> None:
    lines = stats_with_words(tmp_path, "北京\n在北京\n没有\n").output.splitlines()
    (row,) = (line for line in lines if "Lexicon words per sentence" in line)
    assert "1.50" in row


def test_lines_of_a_lexicon_that_are_skipped_are_one_line(tmp_path: Path) -> None:
    write(ENTITIES, tmp_path / "ner", "columns")
    (tmp_path / "words.txt").write_text("北京\n李教授 PER!\n没有\n", encoding="utf-8")
    done = fenjie("data", "stats", "ner", "--lexicon", "words.txt", folder=tmp_path)
    assert done.returncode == 0, done
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("fenjie: ") and "lines skipped: 1; the first: " in line


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


def test_check_finds_a_missing_file(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small / "a.bmes").rename(small / "b.bmes")
    other = DataFile("b.bmes", "columns", {"sentences": 2})
    monkeypatch.setattr(benchmarks, "FILES", (*benchmarks.FILES, other))
    result = CliRunner().invoke(app, ["check", str(small)])
    assert "a.bmes: cannot be read" in str(result.exception)
    assert "–" in result.output


def test_check_looks_at_the_folder_first(small: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, said in (
        (small / "a.bmes", "is not a folder"),
        (tmp_path / "nodir", "no such folder"),
        (tmp_path / "empty", "holds no file of a data set"),
    ):
        result = CliRunner().invoke(app, ["check", str(folder)])
        expected = f"{folder}: {said}; expected the data folder, with ner/ and cws/ in it"
        assert str(result.exception) == expected
        assert result.output == ""


def test_check_without_a_folder_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    result = CliRunner().invoke(app, ["check"])
    assert "or FENJIE_DATA that names it" in str(result.exception)
