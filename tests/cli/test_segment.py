"""`fenjie segment`: files, pipes, encodings, formats and damage."""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fenjie
from fenjie.cli import app
from fenjie.cli.segment import RENDERERS
from fenjie.corpus import read
from fenjie.runtime import parts
from fenjie.runtime.checksums import seal
from fenjie.scale.blocks import Line
from tests.command_line import COMMAND, CommandLine

LINES = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！", "价格３．５％😂 abc"]


@pytest.fixture
def cli(tiny_model: Path, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, "segment", tiny_model)


def test_every_line_comes_back_spaced(cli: CommandLine) -> None:
    text = "\n".join(LINES)
    done = cli(stdin=text.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    found = done.stdout.decode().split("\n")
    segment = fenjie.load(cli.model)
    for line, spaced in zip(LINES, found, strict=True):
        assert spaced.replace(" ", "") == line.replace(" ", "")
        words = [word for word in segment(line).words if not word.isspace()]
        assert spaced.split() == words


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_stay_as_they_are(cli: CommandLine, end: str) -> None:
    text = f"商品{end}{end}服务\x85\u2028\x0b{end}\r{end}服务"
    out = cli(stdin=text.encode()).stdout.decode()
    assert out.replace(" ", "") == text


def test_files_and_standard_input_follow_each_other(cli: CommandLine) -> None:
    first = cli.file("first.txt", "商品".encode())
    second = cli.file("second.txt", "服务\n".encode())
    out = cli(first, "-", second, stdin="和".encode()).stdout.decode()
    assert out.replace(" ", "") == "商品\n和\n服务\n"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("by", ["file", "stdin"])
def test_packed_input(cli: CommandLine, pack, by: str) -> None:
    packed = pack("\n".join(LINES).encode())
    plain = cli(stdin="\n".join(LINES).encode()).stdout
    if by == "file":
        assert cli(cli.file("packed", packed)).stdout == plain
    else:
        assert cli(stdin=packed).stdout == plain


def test_jsonl_is_read_by_the_corpus_readers(cli: CommandLine) -> None:
    done = cli("--format", "jsonl", "--output", "out.jsonl", stdin="\n".join(LINES).encode())
    assert (done.returncode, done.stdout) == (0, b"")
    rows = [json.loads(line) for line in (cli.folder / "out.jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows] == LINES
    segment = fenjie.load(cli.model)
    assert list(read(cli.folder / "out.jsonl", "jsonl")) == segment(LINES)


def test_bmes_is_read_by_the_corpus_readers(cli: CommandLine) -> None:
    cli("-f", "bmes", "-o", "out.bmes", stdin="\n".join(LINES).encode())
    expected = [s for s in fenjie.load(cli.model)(LINES) if s.text]
    assert list(read(cli.folder / "out.bmes", "columns")) == expected


def test_colour_shows_control_characters_and_does_not_obey_them(cli: CommandLine) -> None:
    out = cli("-f", "color", stdin="商品\x1b[2J\x07\n".encode()).stdout.decode()
    assert "\x1b[36m" in out
    assert "\x1b[2J" not in out
    assert "␛" in out
    assert "␇" in out


def test_gb18030(cli: CommandLine) -> None:
    file = cli.file("old.txt", "商品和服务\n".encode("gb18030"))
    out = cli("--encoding", "gb18030", file).stdout.decode()
    assert out.replace(" ", "") == "商品和服务\n"
    message = cli.fails(file)
    assert "old.txt:1: not utf-8 text; found b'\\xc9" in message


def test_the_line_of_a_wrong_encoding_is_named(cli: CommandLine) -> None:
    good = "商品\n".encode() * 20_000
    cli.file("bad.txt", good + b"ab\xff\n" + good)
    message = cli.fails("bad.txt", "--output", "out.txt")
    assert "bad.txt:20001: not utf-8 text; found b'\\xff\\n" in message


@pytest.mark.parametrize("content", ["", "\n", "\n\n\n", " ", "\0\n\x01\x02", "\ufeff"])
def test_little_or_nothing(cli: CommandLine, content: str) -> None:
    done = cli(stdin=content.encode())
    assert done.returncode == 0
    assert done.stdout.decode().replace(" ", "") == content.replace(" ", "").removeprefix("\ufeff")


@pytest.mark.slow
def test_a_line_of_a_megabyte(cli: CommandLine) -> None:
    line = "商品和服务" * 70_000
    done = cli(stdin=line.encode())
    assert done.returncode == 0
    assert done.stdout.decode().replace(" ", "") == line


def test_odd_characters_come_back(cli: CommandLine) -> None:
    text = "商\0品\x1b[0m和\u202e服务👨‍👩‍👧مرحبا\u200b\ufffe\U0010ffff"
    assert cli(stdin=text.encode()).stdout.decode().replace(" ", "") == text
    row = json.loads(cli("-f", "jsonl", stdin=text.encode()).stdout)
    assert "".join(text[start:end] for start, end, _ in row["spans"]) == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere.txt",), "nowhere.txt: cannot be read: No such file"),
        ((".",), ".: cannot be read: Is a directory"),
        (("--encoding", "klingon"), "unknown encoding 'klingon'"),
        (("--encoding", "utf-16"), "convert it to utf-8"),
        (("--fast", "--model", "segment"), "--fast is --model segment-fast; give one of them"),
        (("--force",), "--force is for user words; expected --words FILE"),
        (("--output", "no/such/folder"), "no/such/folder: cannot be written: No such file"),
    ],
)
def test_bad_use(cli: CommandLine, words: tuple[str, ...], message: str) -> None:
    assert message in cli.fails(*words)


def test_user_words(cli: CommandLine) -> None:
    file = cli.file("words.txt", "\ufeff品和 3 n\r\n# 商品\r\n５％\r\n".encode())
    text = "商品和服务，价格3.５％。\n"
    out = cli("--words", file, stdin=text.encode()).stdout.decode()
    assert {"商", "品和", "５％"} <= set(out.split())
    assert out.replace(" ", "") == text
    cli.file("words.txt", "商品\nNew York\n".encode())
    message = cli.fails("--words", file)
    assert "words.txt:2: neither a frequency nor a part of speech after a user word" in message
    assert "found 'York'; expected a word without whitespace" in message
    assert "none.txt: cannot be read" in cli.fails("--words", "none.txt")


def test_damaged_packing(cli: CommandLine) -> None:
    packed = gzip.compress("商品和服务\n".encode() * 1000)
    assert "packed but damaged" in cli.fails(stdin=packed[:-20])
    assert "packed but damaged" in cli.fails(stdin=lzma.compress(b"a" * 99)[:-9])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(cli: CommandLine) -> None:
    command = [*COMMAND, "segment", "--model", str(cli.model)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, input="商品\n".encode() * 9, stdout=full, stderr=subprocess.PIPE, timeout=120
        )
    assert done.returncode == 2
    assert done.stderr == b"fenjie: standard output: cannot be written: No space left on device\n"


def test_an_output_that_fails_leaves_the_old_file(cli: CommandLine) -> None:
    old = cli.file("out.txt", b"old")
    cli.file("bad.txt", "商品\n".encode() * 50_000 + b"\xff")
    cli.fails("bad.txt", "-o", old)
    assert old.read_bytes() == b"old"


def test_a_damaged_model(cli: CommandLine, tmp_path: Path, tiny_model: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    network = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(network[:-1])
    assert "model.onnx: the file is truncated or altered" in cli.fails("--model", folder)
    (folder / "model.onnx").write_bytes(network[:-1] + b"!")
    assert "model.onnx: the file is truncated or altered" in cli.fails("--model", folder)
    (folder / "model.onnx").unlink()
    assert "model.onnx: cannot be read: No such file" in cli.fails("--model", folder)
    seal(folder)
    assert "`fenjie export` makes it" in cli.fails("--model", folder)
    shutil.rmtree(folder)
    assert "no model" in cli.fails("--model", folder)


def test_lines_come_out_as_they_go_in(cli: CommandLine) -> None:
    command = [*COMMAND, "segment", "--model", str(cli.model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in ["商品和服务\n", "今天\n"]:
            process.stdin.write(line.encode())
            process.stdin.flush()
            assert process.stdout.readline().decode().replace(" ", "") == line
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_reader_that_goes_away(cli: CommandLine) -> None:
    command = [*COMMAND, "segment", "--model", str(cli.model)]
    file = cli.file("long.txt", "商品和服务\n".encode() * 100_000)
    with subprocess.Popen(
        [*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from Linux")
def test_memory_stays_flat(cli: CommandLine) -> None:
    def peak(lines: int) -> int:
        file = cli.file("long.txt", "商品和服务，今天天气很好。\n".encode() * lines)
        code = (
            "import resource, sys; from fenjie.cli import app\n"
            "app(standalone_mode=False)\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, "segment", "-m", str(cli.model), str(file)],
            capture_output=True,
            check=True,
        )
        return int(done.stderr)

    assert peak(100_000) < peak(10_000) + 20_000  # KiB


@pytest.mark.parametrize("form", ["spaced", "jsonl", "bmes"])
def test_a_long_line_in_parts(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    text = LINES[0] * 9 + "a1" * 200 + LINES[2] * 9 + " " * 300
    monkeypatch.setattr(parts, "PART", 50)
    out = cli("-f", form, stdin=f"{text}\n商品\n".encode()).stdout.decode()
    written = [
        "".join(RENDERERS[form]([sentence], Line(sentence.text, "\n")))
        for sentence in fenjie.load(cli.model)([text, "商品"])
    ]
    assert out == "".join(written)


def test_a_model_that_tags_words(tiny_words: Path, tmp_path: Path) -> None:
    cli = CommandLine(tmp_path, "segment", tiny_words)
    done = cli(stdin="\n".join(LINES).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    words = done.stdout.decode().split("\n")[0].split()
    assert words == fenjie.load(tiny_words).cut(LINES[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ["segment", "-o", ""],
        ["segment", "-m", ""],
        ["tag", "-o", ""],
        ["tag", "-m", ""],
        ["vectors", "words", "raw.txt", "--dictionary", "words.txt", "-o", ""],
        ["train", "my.toml", "-o", ""],
        ["search", "my.toml", "space.toml", "-o", ""],
        ["serve", "--train", ""],
    ],
)
def test_an_empty_path_is_refused(arguments: list[str]) -> None:
    done = CliRunner().invoke(app, arguments, standalone_mode=False)
    assert "empty; expected" in str(done.exception)


@pytest.mark.parametrize("folder", [".", "/"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["segment", "text.txt", "-o"],
        ["tag", "text.txt", "--resume", "-o"],
        ["vectors", "words", "raw.txt", "--dictionary", "words.txt", "-o"],
        ["vectors", "new", "words.txt", "--segmented", "text.txt", "-o"],
        ["explain", "lattice", "南京市", "--svg"],
    ],
)
def test_a_folder_is_no_file_to_write(arguments: list[str], folder: str) -> None:
    done = CliRunner().invoke(app, [*arguments, folder], standalone_mode=False)
    assert f"{folder} is a folder; expected the path of a file" in str(done.exception)
