"""Several processes and runs that are resumed, through both commands."""

from __future__ import annotations

import gzip
import lzma
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fenjie.cli import streams
from fenjie.scale import blocks, resumable
from tests.command_line import COMMAND, CommandLine
from tests.full_disk import full_disk

LINES = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


@pytest.fixture
def text(cli: CommandLine) -> Path:
    return cli.file("in.txt", ("\n".join(LINES * 40) + "\n").encode())


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 300)


@pytest.mark.slow
@pytest.mark.parametrize("to", ["out.jsonl", "out.jsonl.gz", "out.jsonl.xz"])
def test_files_have_the_same_bytes_by_any_number_of_processes(
    cli: CommandLine, text: Path, small: None, to: str
) -> None:
    found = []
    for words in ((), ("--jobs", 2), ("--resume",), ("--resume", "-j", 2)):
        assert cli("-f", "jsonl", "-o", to, *words, text).returncode == 0
        found.append((cli.folder / to).read_bytes())
    assert len(set(found)) == 1
    plain = cli("-f", "jsonl", "-j", 2, text).stdout
    unpack = {"gz": gzip.decompress, "xz": lzma.decompress}.get(to[-2:], bytes)
    assert unpack(found[0]) == plain == cli("-f", "jsonl", stdin=text.read_bytes()).stdout
    assert {path.name for path in cli.folder.iterdir()} == {"in.txt", to}


def test_nothing_packed_can_be_unpacked(cli: CommandLine) -> None:
    cli("-o", "out.gz", cli.file("in.txt", b""))
    assert gzip.decompress((cli.folder / "out.gz").read_bytes()) == b""


def test_the_last_line_of_a_file_ends_where_another_follows(cli: CommandLine) -> None:
    first, second = cli.file("first", "商品".encode()), cli.file("second", b"")
    assert cli("-f", "jsonl", first, second, first).stdout.count(b"\n") == 2


def test_lines_come_out_of_several_processes_as_they_go_in(cli: CommandLine) -> None:
    command = [*COMMAND, cli.command, "-f", "bmes", "-j", "2", "--model", str(cli.model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for character in "商品":
            process.stdin.write(f"{character}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().decode()[0] == character
            assert process.stdout.readline() == b"\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130


def test_errors_of_several_processes(cli: CommandLine) -> None:
    cli.file("bad.txt", "商品\n".encode() * 9 + b"\xff\n")
    assert "bad.txt:10: not utf-8 text" in cli.fails("-j", 2, "bad.txt", "-o", "out")


def test_a_resumed_run_goes_on_where_it_was(cli: CommandLine, text: Path, small: None) -> None:
    cli("-f", "jsonl", "-o", "whole", text)
    command = ("-f", "jsonl", "-o", "out", "--resume", text)
    stops = 0
    with full_disk(4) as tried:
        while cli(*command).returncode:
            stops += 1
            message = cli.fails("-f", "jsonl", "-o", "out", text)
            assert "out.partial: holds a run that was stopped" in message
    assert stops > 3
    assert len(tried) == stops + len(list(blocks.blocks([str(text)], blocks.equal)))
    assert (cli.folder / "out").read_bytes() == (cli.folder / "whole").read_bytes()
    assert {path.name for path in cli.folder.iterdir()} == {"in.txt", "out", "whole"}


def test_a_run_is_resumed_under_the_same_conditions_alone(
    cli: CommandLine, text: Path, small: None, tmp_path: Path
) -> None:
    stopped = resumable.folder_of(tmp_path / "out.jsonl")
    words = cli.file("words.txt", "商品\n".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resumable.Resumable, "end", lambda self: Path("gone").stat())
        assert "gone: No such file" in cli.fails(
            "-o", "out.jsonl", "-f", "jsonl", "--resume", text, leaves=(stopped.name,)
        )
    command = ("-o", "out.jsonl", "-f", "jsonl", "--resume")

    def refused(*given: object) -> str:
        return cli.fails(*command, *given)

    assert "--format jsonl (now bmes)" in refused("-f", "bmes", text)
    assert "--encoding utf-8 (now gb18030)" in refused("--encoding", "gb18030", text)
    assert "--words none (now words.txt of 7 bytes" in refused("--words", words, text)
    assert "input 2 none (now in.txt of" in refused(text, text)
    other = "ner" if cli.command == "tag" else "segment"
    assert f"(now {other} " in refused("--model", other, text)
    if cli.command == "tag":
        assert "--labels LOC,ORG,PER (now PER)" in refused("--labels", "PER", text)
    content = text.read_bytes()
    text.write_bytes(content.replace(b"abc", b"abd", 1))
    assert "begun with input 1 in.txt of" in refused(text)
    text.write_bytes(content)
    assert cli(*command, text).returncode == 0
    assert not stopped.exists()


def test_input_that_changes_during_a_run_makes_no_output(
    cli: CommandLine, text: Path, small: None, tmp_path: Path
) -> None:
    stopped = resumable.folder_of(tmp_path / "out")
    content = text.read_bytes()
    done = resumable.Resumable.done

    def changed(self: resumable.Resumable, place: object) -> None:
        done(self, place)
        text.write_bytes(content + b"more\n")

    command = ("-o", "out", "-f", "jsonl", "--resume", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resumable.Resumable, "done", changed)
        message = cli.fails(*command, leaves=(stopped.name,))
    assert "in.txt: was changed while it was read" in message
    assert "begun with input 1 in.txt of" in cli.fails(*command, leaves=(stopped.name,))
    text.write_bytes(content)
    assert cli(*command).returncode == 0
    assert not stopped.exists()


def test_input_that_changes_while_its_checksum_is_made_makes_no_output(
    cli: CommandLine, text: Path, tmp_path: Path
) -> None:
    content, make = text.read_bytes(), streams.fingerprints

    def changed(files: list[str]) -> dict[str, str]:
        made = make(files)
        text.write_bytes(content + b"more\n")
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "fingerprints", changed)
        message = cli.fails("-o", "out", "--resume", text, leaves=("out.partial",))
    assert "in.txt: was changed while it was read" in message


def test_what_cannot_be_resumed(cli: CommandLine, text: Path) -> None:
    assert "expected --output" in cli.fails("--resume", text)
    message = cli.fails("--resume", "-o", "out", stdin=b"")
    assert "-: cannot be read again to resume; expected a file" in message
    assert "cannot be resumed" in cli.fails("--resume", "-o", "/dev/null", text)
    if cli.command == "tag":
        assert "without --jobs, --resume" in cli.fails("-f", "brat", "-j", 2, text)


@pytest.mark.slow
@pytest.mark.parametrize("to", ["out.jsonl", "out.jsonl.gz"])
def test_a_run_that_is_killed_again_and_again(cli: CommandLine, to: str) -> None:
    text = cli.file("in.txt", ("\n".join(LINES * 6_000) + "\n").encode())
    command = [*COMMAND, cli.command, "-f", "jsonl", "-m", str(cli.model), str(text)]
    source = random.Random(1)
    command += ["-o", to, "--resume", "--jobs", "2"]
    begin = time.monotonic()
    subprocess.run(command, cwd=cli.folder, check=True)
    passed = time.monotonic() - begin
    whole = (cli.folder / to).read_bytes()
    (cli.folder / to).unlink()
    signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
    for number in signals:
        with subprocess.Popen(command, cwd=cli.folder) as process:
            time.sleep(source.uniform(0.2, 0.8) * passed)
            process.send_signal(number)
    subprocess.run(command, cwd=cli.folder, check=True)
    assert (cli.folder / to).read_bytes() == whole
    assert {path.name for path in cli.folder.iterdir()} == {"in.txt", to}


@pytest.mark.slow
def test_a_disk_that_is_full_in_the_middle(cli: CommandLine) -> None:
    text = cli.file("in.txt", ("\n".join(LINES * 3_000) + "\n").encode())
    command = [*COMMAND, cli.command, "-f", "jsonl", "-m", str(cli.model), "-o", "out", str(text)]
    subprocess.run(command, cwd=cli.folder, check=True)
    whole = (cli.folder / "out").read_bytes()
    (cli.folder / "out").unlink()

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) // 2, len(whole) // 2))

    for more in ([], ["--resume", "--jobs", "2"]):
        done = subprocess.run(
            [*command, *more], cwd=cli.folder, stderr=subprocess.PIPE, preexec_fn=limited
        )
        assert done.returncode == 2
        assert done.stderr == b"fenjie: out: cannot be written: File too large\n"
        left = {path.name for path in cli.folder.iterdir()}
        assert left == {"in.txt", *(["out.partial"] if more else [])}
    subprocess.run([*command, "--resume"], cwd=cli.folder, check=True)
    assert (cli.folder / "out").read_bytes() == whole


@pytest.mark.slow
def test_many_empty_lines_and_a_long_one_beside_short_ones(cli: CommandLine) -> None:
    long = "商品和服务，" * 30_000
    text = cli.file("in.txt", b"\n" * 200_000 + f"短\n{long}\n短\n".encode())
    command = [*COMMAND, cli.command, "-f", "jsonl", "-m", str(cli.model), "-o", "out", str(text)]
    subprocess.run([*command, "--jobs", "2"], cwd=cli.folder, check=True)
    found = (cli.folder / "out").read_bytes()
    assert found.count(b"\n") == 200_003
    assert found.count(f'"text": "{long}"'.encode()) == 1
    assert found.count('\n{"text": "短"'.encode()) == 2


def test_what_is_read_is_not_replaced(cli: CommandLine) -> None:
    text = cli.file("in.txt", "商品和服务\n".encode())
    words = cli.file("words.txt", "服务\n".encode())
    (cli.folder / "link.txt").symlink_to(text)
    for to in ("in.txt", "link.txt", "words.txt"):
        message = f"fenjie: {to}: is read and would be replaced; expected another --output"
        assert cli.fails(text, "--words", words, "-o", to) == message
    assert text.read_bytes() == "商品和服务\n".encode()


def test_a_file_behind_standard_output_is_written_to(cli: CommandLine) -> None:
    text = cli.file("in.txt", "商品和服务\n".encode())
    with open(cli.folder / "out.txt", "wb") as file:
        file.write(b"before\n")
        file.flush()
        words = [*COMMAND, cli.command, "--model", cli.model, text, "-o", "/dev/stdout"]
        subprocess.run(words, stdout=file, check=True)
        file.write(b"after\n")
    first, _, last = (cli.folder / "out.txt").read_text(encoding="utf-8").splitlines()
    assert (first, last) == ("before", "after")


def test_a_hyphen_is_standard_output_too(cli: CommandLine) -> None:
    text = "商品和服务\n".encode()
    assert cli("-o", "-", stdin=text).stdout == cli(stdin=text).stdout != b""
    assert not (cli.folder / "-").exists()
    assert "expected --output" in cli.fails("-o", "-", "--resume", stdin=text)
