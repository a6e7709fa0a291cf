"""`fenjie tag`: formats of entities, user words, other input."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from fenjie.cli.renderers import columns
from fenjie.cli.tag import Brat, brackets, check_labels, with_entities
from fenjie.corpus import read
from fenjie.errors import FenjieError
from fenjie.runtime import parts
from fenjie.runtime.load import load_entity_tagger
from fenjie.scale.blocks import Line
from fenjie.text.span import Sentence
from tests.command_line import COMMAND, CommandLine

LINES = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


@pytest.fixture
def cli(tiny_ner: Path, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, "tag", tiny_ner)


@pytest.fixture(scope="module")
def expected(tiny_ner: Path) -> list[Sentence]:
    sentences = load_entity_tagger(tiny_ner)(LINES)
    assert sum(len(sentence.entities) for sentence in sentences) > 2
    return sentences


def test_jsonl(cli: CommandLine, expected: list[Sentence]) -> None:
    done = cli(stdin="\n".join(LINES).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["text"] for row in rows] == LINES
    for row, sentence in zip(rows, expected, strict=True):
        for found, entity in zip(row["entities"], sentence.entities, strict=True):
            assert found.pop("confidence") == pytest.approx(entity.confidence, abs=1e-4)
            assert found == {k: v for k, v in entity._asdict().items() if k != "confidence"}
    file = cli.file("out.jsonl", done.stdout)
    assert list(read(file, "jsonl")) == expected


@pytest.mark.parametrize("form", ["bmes", "bio"])
def test_columns_are_read_by_the_corpus_readers(
    cli: CommandLine, expected: list[Sentence], form: str
) -> None:
    cli("-f", form, "-o", "out.tags", stdin="\n".join(LINES).encode())
    found = list(read(cli.folder / "out.tags", "columns"))
    assert found == [sentence for sentence in expected if sentence.text]


def test_a_label_is_one_column() -> None:
    check_labels(["PER", "职位-2"], "bio")
    for label in "job title", " PER", "a\tb":
        with pytest.raises(FenjieError, match="cannot stand in a column; found --format bio"):
            check_labels(["PER", label], "bio")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_brat_annotates_the_file(
    cli: CommandLine, expected: list[Sentence], end: str, mark: str
) -> None:
    cli.file("notes.txt", (mark + end.join(LINES)).encode())
    done = cli("-f", "brat", "notes.txt", "--output", "notes.ann")
    assert done.returncode == 0, done
    found = list(read(cli.folder / "notes.txt", "brat"))
    assert found == [sentence for sentence in expected if sentence.text]
    assert "one file; found 2" in cli.fails("-f", "brat", "notes.txt", "notes.txt")


def test_brackets_and_colour(cli: CommandLine, expected: list[Sentence]) -> None:
    text = "\r\n".join(LINES) + "\r\n"
    out = cli("-f", "brackets", stdin=text.encode()).stdout.decode()
    for sentence in expected:
        for entity in sentence.entities:
            assert f"[{entity.text}/{entity.label}]" in out
            out = out.replace(f"[{entity.text}/{entity.label}]", entity.text, 1)
    assert out == text
    out = cli("-f", "color", stdin="北京\x1b[2J\0\x07\n".encode()).stdout.decode()
    assert "\x1b[2J" not in out
    assert "␛" in out
    assert "␀" in out


def test_words(cli: CommandLine) -> None:
    file = cli.file("words.txt", "\ufeff品和 PER\r\n# 商品\r\n服务 3 n\r\n".encode())
    out = cli("--words", file, "-f", "brackets", stdin="商品和服务\n".encode()).stdout.decode()
    assert "[品和/PER]" in out
    assert "--force is for user words; expected --words FILE" in cli.fails("--force")
    cli.file("words.txt", "商品\n李四 NAME\n".encode())
    message = cli.fails("--words", file)
    assert "words.txt:2: neither a label of the model nor a frequency" in message
    assert "'NAME'; expected a word, then one of LOC, ORG, PER or nothing" in message


def test_labels(cli: CommandLine, expected: list[Sentence]) -> None:
    text = "\n".join(LINES).encode()
    label = next(span.label for sentence in expected for span in sentence.spans)
    kept = [sentence.only({label}) for sentence in expected]
    out = cli("--labels", f"{label}, {label}", stdin=text).stdout
    assert list(read(cli.file("out.jsonl", out), "jsonl")) == kept != expected
    source = cli.file("in.txt", text)
    cli("--labels", label, "-o", "again.jsonl", "--resume", "-j", "2", source)
    assert (cli.folder / "again.jsonl").read_bytes() == out
    for labels in ["none", "", f"{label},"]:
        message = cli.fails("--labels", labels, stdin=text)
        assert "the model knows no label" in message
        assert "expected some of LOC, ORG, PER" in message


def test_other_input(cli: CommandLine) -> None:
    plain = cli(stdin="\n".join(LINES).encode()).stdout
    assert cli(cli.file("packed", gzip.compress("\n".join(LINES).encode()))).stdout == plain
    old = cli.file("old.txt", "\n".join(LINES[:3]).encode("gb18030"))
    assert cli("--encoding", "gb18030", old).stdout == b"".join(plain.splitlines(True)[:3])
    assert "old.txt:1: not utf-8 text" in cli.fails(old)
    assert "no model 'none'" in cli.fails("--model", "none")


def test_each_command_has_its_task(
    cli: CommandLine, tiny_model: Path, tiny_words: Path, tiny_ner: Path
) -> None:
    for words in tiny_model, tiny_words:
        message = cli.fails("--model", words)
        assert "a model for the task 'segment'; expected 'ner'; fenjie segment and" in message
    message = cli.fails("--model", tiny_ner, command="segment")
    assert "a model for the task 'ner'; expected 'segment'" in message


def test_lines_come_out_as_they_go_in(cli: CommandLine) -> None:
    command = [*COMMAND, "tag", "--model", str(cli.model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in ["商品和服务", "今天"]:
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["text"] == line
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("form", ["brackets", "jsonl", "bio", "brat"])
def test_a_long_line_in_parts(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    text = LINES[0] * 9 + "a1" * 200 + LINES[2] * 9
    monkeypatch.setattr(parts, "PART", 50)
    sentences = load_entity_tagger(cli.model)([text, LINES[2]])
    render = {"brackets": brackets, "jsonl": with_entities, "bio": columns("BIO"), "brat": Brat()}
    written = [
        "".join(render[form]([sentence], Line(sentence.text, "\n"))) for sentence in sentences
    ]
    out = cli("-f", form, stdin=f"{text}\n{LINES[2]}\n".encode()).stdout.decode()
    assert out == "".join(written)
