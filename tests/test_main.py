"""The command as a process: its streams, signals and messages."""

from __future__ import annotations

import gzip
import lzma
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fenjie.corpus import read
from fenjie.runtime.checksums import seal
from tests.command_line import fenjie

FENJIE = [sys.executable, "-m", "fenjie"]
DEADLINE = 60.0


@pytest.fixture
def segment(tiny_model: Path) -> list[str]:
    return [*FENJIE, "segment", "--model", str(tiny_model)]


def writing(command: list[str], output: Path) -> subprocess.Popen[bytes]:
    """A process that has begun to write a file and waits for more input."""
    process = subprocess.Popen(
        [*command, "-o", str(output)],
        stdin=subprocess.PIPE,
        # where the tests run under nohup, this process does not
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    assert process.stdin is not None
    process.stdin.write("商品和服务\n".encode() * 10_000)
    process.stdin.flush()
    end = time.monotonic() + DEADLINE
    while not list(output.parent.glob(f".fenjie-*/new/{output.name}")):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_stopped_while_it_writes(segment: list[str], name: str, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("older")
    process = writing(segment, output)
    process.send_signal(number := getattr(signal, name))
    assert process.wait(DEADLINE) == 128 + number
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
    assert output.read_text() == "older"


@pytest.mark.slow
def test_killed_while_it_writes(segment: list[str], tmp_path: Path) -> None:
    """What it leaves, the next run in that folder removes, but nothing of a run that lives."""
    output, other = tmp_path / "out.txt", tmp_path / "other.txt"
    killed, alive = writing(segment, output), writing(segment, other)
    killed.kill()
    killed.wait(DEADLINE)
    assert len(list(tmp_path.glob(".fenjie-*"))) == 2
    done = subprocess.run([*segment, "-o", str(output)], input="商品".encode(), check=True)
    assert done.returncode == 0 and output.exists()
    assert len(list(tmp_path.glob(".fenjie-*"))) == 1
    alive.communicate(timeout=DEADLINE)
    assert alive.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.txt", "out.txt"]


def caught(process: subprocess.Popen[bytes], number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def wait_for_main(process: subprocess.Popen[bytes]) -> None:
    """Wait until Python has begun, which handles SIGINT, and `main`, which changes that."""
    end = time.monotonic() + DEADLINE
    for of_python in (True, False):
        while caught(process, signal.SIGINT) != of_python and not caught(process, signal.SIGTERM):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.002)


@pytest.mark.parametrize("wait", [0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4])
def test_interrupted_at_any_time_it_is_silent(segment: list[str], wait: float) -> None:
    """From its first line on; Python's own beginning, and that it imports the package, is not."""
    process = subprocess.Popen(segment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_main(process)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=DEADLINE)[1] == b""
    assert process.returncode in (-signal.SIGINT, 130)


def test_nohup_is_respected(segment: list[str], tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *segment]
    process = writing(command, output)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    assert output.exists()


@pytest.mark.parametrize(
    ("words", "closed", "message"),
    [
        ("segment", ">&-", "fenjie: standard output: cannot be written: Bad file descriptor\n"),
        ("segment", "<&-", "fenjie: -: cannot be read: Bad file descriptor\n"),
        ("models", ">&-", "fenjie: standard output: Bad file descriptor\n"),
        ("models", ">/dev/full", "fenjie: standard output: No space left on device\n"),
        ("segment", "2>&-", None),
        ("segment -o out.txt", ">&-", None),
    ],
)
def test_closed_streams(words: str, closed: str, message: str | None, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m fenjie {words} {closed}'],
        cwd=tmp_path,
        input="商品和服务\n".encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == ((2, message) if message else (0, ""))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("segment --threads x", "Invalid value for '--threads': 'x'"),
        ("segment --threads 0", "Invalid value for '--threads': 0"),
        ("segment -f zz", "Invalid value for '--format' / '-f': 'zz'"),
        ("segment --nope", "No such option: --nope"),
        ("segment -o", "Option '-o' requires an argument"),
        ("nope", "No such command 'nope'"),
        ("data stats", "Missing argument 'FILE...'"),
        ("train x.toml --seed -1", "Invalid value for '--seed': -1"),
        ("data stats \x1b[31m", "\u241b[31m: cannot be read"),
    ],
)
def test_wrong_use_is_one_line(words: str, message: str) -> None:
    done = subprocess.run([*FENJIE, *words.split(" ")], capture_output=True, check=False)
    errors = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert errors.startswith(f"fenjie: {message}")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bytes])
@pytest.mark.parametrize(
    "size", [1, 3, *(pytest.param(size, marks=pytest.mark.slow) for size in (2, 5))]
)
def test_input_that_comes_in_small_parts(compress: type, size: int, segment: list[str]) -> None:
    process = subprocess.Popen(segment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    content = compress("商品和服务".encode())
    for start in range(0, 12, size):
        process.stdin.write(content[start : start + size])
        process.stdin.flush()
        time.sleep(0.02)
    output = process.communicate(content[start + size :], timeout=DEADLINE)[0]
    assert output.decode().replace(" ", "") == "商品和服务"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(
    mode: int, segment: list[str], tmp_path: Path
) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("older")
    real.chmod(mode)
    link.symlink_to(real)
    subprocess.run([*segment, "-o", str(link)], input="商品".encode(), check=True)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o7777 == mode
    assert real.read_text(encoding="utf-8") != "older"


@pytest.mark.parametrize("group", ["data", "explain", "scale", "vectors"])
def test_commands_that_have_others_show_them(group: str) -> None:
    done = fenjie(group)
    assert (done.returncode, done.stderr) == (2, b"") and b"Commands" in done.stdout


def in_terminal(*command: str, stdin: bytes = b"") -> str:
    """What a command writes into a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=os.environ | PLAIN
    )
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    parts = []
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait(DEADLINE) == 0, b"".join(parts)
    return b"".join(parts).decode()


PLAIN = {"NO_COLOR": "1", "TERM": "dumb"}
EVIL = "\x1b]0;title\x07[/red]"


@pytest.mark.slow
def test_labels_and_names_reach_no_terminal_raw(tiny_ner: Path, tmp_path: Path) -> None:
    model = shutil.copytree(tiny_ner, tmp_path / "model")
    config = model / "config.toml"
    config.write_text(config.read_text().replace('"tiny-ner"', '"tiny\\u001b[31m[/x]"'))
    labels = model / "labels.txt"
    labels.write_text(labels.read_text().replace("LOC", "L\x1b[31mC[/x]"))
    seal(model)
    file = tmp_path / "a.jsonl"
    spans = f'[[0, 2, "{EVIL}"]]'.replace("\x1b", "\\u001b").replace("\x07", "\\u0007")
    file.write_text(f'{{"text": "北京今天天气", "spans": {spans}}}\n', encoding="utf-8")
    text = "北京今天天气很好\x1b[31m\n".encode()
    found = [
        in_terminal(*FENJIE, "models", str(model)),
        in_terminal(*FENJIE, "data", "stats", str(file)),
        in_terminal(*FENJIE, "evaluate", str(model), str(file), "--errors", "9", "--diff", "9"),
        in_terminal(*FENJIE, "explain", "lattice", "北京\x1b[31m", "-m", str(model)),
        *(
            in_terminal(*FENJIE, "tag", "-m", str(model), "-f", form, stdin=text)
            for form in ("brackets", "bio", "jsonl", "brat")
        ),
    ]
    for output in found:
        assert "\x1b" not in output and "\x07" not in output, output
    assert "[/red]" in found[1]


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("a.csv", 'text,b\n北京,\x1b[31m\n"今天\n天\x07气",\n'),
        ("a.tsv", "text\tb\n北京\t\x1b[31m\n"),
        ("a.jsonl", '{"text": "北京\x9b31m"}\n'),
    ],
)
def test_the_cells_of_a_table_reach_no_terminal_raw(
    tiny_ner: Path, tmp_path: Path, name: str, table: str
) -> None:
    (tmp_path / name).write_text(table, encoding="utf-8")
    output = in_terminal(*FENJIE, "tag", "-m", str(tiny_ner), str(tmp_path / name))
    assert "北京" in output and not set("\x1b\x07\x9b") & set(output)
    assert output.count("\n") == table.count("\n")


@pytest.mark.parametrize("form", ["bmes", "bio"])
def test_two_byte_order_marks(form: str, tiny_ner: Path, tmp_path: Path) -> None:
    """The first is the file's, the second the text's."""
    output = tmp_path / "out.txt"
    command = [*FENJIE, "tag", "-m", str(tiny_ner), "-f", form, "-o", str(output)]
    subprocess.run(command, input="\ufeff\ufeff北京\n\ufeff天气\n".encode(), check=True)
    assert [s.text for s in read(output, "columns")] == ["\ufeff北京", "\ufeff天气"]


def test_utf_8_with_a_signature(segment: list[str]) -> None:
    command = [*segment, "--encoding", "utf-8-sig"]
    done = subprocess.run(command, input="\ufeff商品\n".encode(), capture_output=True, check=True)
    assert done.stdout.decode().replace(" ", "") == "商品\n"


def test_more_threads_than_the_machine_has(segment: list[str]) -> None:
    command = [*segment, "--threads", str(2**62)]
    done = subprocess.run(command, input="商品".encode(), capture_output=True, check=True)
    assert done.stdout.decode().replace(" ", "") == "商品"


@pytest.mark.slow
def test_export_of_a_run(tiny_model: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model, tmp_path / "run" / "model")
    command = [*FENJIE, "export", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, check=False)
    model = tmp_path / "run" / "model"
    expected = f"fenjie: {model.parent}: is a run, not a model; expected {model}\n"
    assert (done.returncode, done.stderr.decode()) == (2, expected)


def test_output_in_another_encoding_is_no_error() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*FENJIE, "demo"], capture_output=True, env=environment, check=False)
    assert done.returncode == 0 and done.stderr == b""
    assert "[华为/ORG]" in done.stdout.decode("utf-8")  # nor any colour, for it is no terminal
