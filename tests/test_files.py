"""Files are written whole or not at all and read with one clear line for each fault."""

from __future__ import annotations

import ast
import errno
import fcntl
import gzip
import lzma
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fenjie import files
from fenjie.errors import FenjieError, FileError
from fenjie.files import atomic, open_bytes, read_lines, refusals, sha256


def lines(path: Path, encoding: str = "utf-8") -> list[str]:
    return [line for _, line in read_lines(path, encoding)]


def older(path: Path) -> Path:
    """A folder that is to be replaced."""
    path.mkdir()
    (path / "a.txt").write_text("old")
    return path


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_atomic_makes_a_file(tmp_path: Path) -> None:
    with atomic(tmp_path / "a.txt") as made:
        made.write_text("new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["in.txt", b"in.txt", "sub/in.txt"])
def test_another_file_that_is_refused_in_the_block_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    message = rf"^{os.fsdecode(name)}: No such file or directory$"
    with pytest.raises(FileError, match=message), atomic("out.txt"):
        open(name, "rb").close()
    for refused in (lambda made: made / "a" / "b", lambda _: 999, lambda _: Path("out.txt/b")):
        with pytest.raises(FileError, match=r"^out\.txt: cannot be written: "):  # noqa: SIM117
            with atomic("out.txt") as made:
                open(refused(made), "rb").close()


def test_atomic_makes_and_replaces_a_folder(tmp_path: Path) -> None:
    for text in "one", "two":
        with atomic(tmp_path / "model") as made:
            (made / "sub").mkdir(parents=True)
            (made / "sub" / "a.txt").write_text(text)
        assert (tmp_path / "model/sub/a.txt").read_text() == text
    assert names(tmp_path) == ["model"]


def test_atomic_replaces_a_folder_of_any_name(tmp_path: Path) -> None:
    for text in "one", "two":
        with atomic(tmp_path / "older") as made:
            made.mkdir()
            (made / "a.txt").write_text(text)
        assert (tmp_path / "older/a.txt").read_text() == text
    assert names(tmp_path) == ["older"]


def test_a_failure_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic(path) as made:
        made.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_that_cannot_be_replaced_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = older(tmp_path / "model")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if target == path and self.parent.name == "new":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FileError, match="No space left"), atomic(path) as made:
        made.mkdir()
    assert (path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["model"]


KILLED_BETWEEN = """
import os, sys
from pathlib import Path
from fenjie.files import atomic
rename = Path.rename
def renamed(self, target):
    if self.parent.name == "new":
        os.kill(os.getpid(), 9)
    return rename(self, target)
Path.rename = renamed
with atomic(sys.argv[1]) as made:
    made.mkdir()
    (made / "a.txt").write_text("new")
"""


@pytest.mark.parametrize("name", ["model", "older", "new"])
def test_a_folder_set_aside_by_a_killed_process_comes_back(tmp_path: Path, name: str) -> None:
    path = older(tmp_path / name)
    killed = subprocess.run([sys.executable, "-c", KILLED_BETWEEN, str(path)])
    assert killed.returncode == -signal.SIGKILL
    assert not path.exists()
    with atomic(tmp_path / "other.txt") as made:
        made.write_text("new")
    assert (path / "a.txt").read_text() == "old"
    assert sorted(names(tmp_path)) == sorted([name, "other.txt"])


def test_an_interrupt_between_the_renames_leaves_the_older_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = older(tmp_path / "model")
    rename = Path.rename

    def interrupt(self: Path, target: Path) -> Path:
        done = rename(self, target)
        if self == path:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Path, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt), atomic(path) as made:
        made.mkdir()
    assert (path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["model"]


def test_files_and_folders_are_written_where_no_folder_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open, sync = os.open, os.fsync

    def no_folder(path: str, flags: int, *more: int, **of_rmtree: int | None) -> int:
        if not of_rmtree and Path(path).is_dir():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real_open(path, flags, *more, **of_rmtree)

    def writable(opened: int) -> None:
        if fcntl.fcntl(opened, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sync(opened)

    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.delattr(files, "fcntl")
    monkeypatch.setattr(os, "open", no_folder)
    monkeypatch.setattr(os, "fsync", writable)
    for text in "one", "two":
        with atomic(tmp_path / "a.txt") as made:
            made.write_text(text)
        with atomic(tmp_path / "model") as made:
            made.mkdir()
            (made / "b.txt").write_text(text)
        assert (tmp_path / "a.txt").read_text() == text
        assert (tmp_path / "model/b.txt").read_text() == text
        files.flush(tmp_path)
    assert sorted(names(tmp_path)) == ["a.txt", "model"]


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"a\.txt: cannot be written: No space left"):  # noqa: SIM117
        with atomic(tmp_path / "a.txt"), open("/dev/full", "w") as file:
            file.write("x" * 100_000)
    assert not list(tmp_path.iterdir())


def test_a_file_over_the_limit_is_one_line(tmp_path: Path) -> None:
    program = (
        "import sys; from fenjie.files import atomic\n"
        "with atomic(sys.argv[1]) as made: made.write_bytes(bytes(100_000))"
    )

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.bin")],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert "FileError" in done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert not list(tmp_path.iterdir())


def test_no_folder_to_write_in(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written: No such file"):  # noqa: SIM117
        with atomic(tmp_path / "none" / "a.txt") as made:
            made.write_text("a")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    with atomic(tmp_path / "link") as made:
        made.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_links_in_a_circle_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with (
        pytest.raises(FileError, match="loop: cannot be written: Too many levels of symbolic"),
        atomic(tmp_path / "loop"),
    ):
        pass
    assert names(tmp_path) == ["loop"]


def test_a_device_is_written_to(tmp_path: Path) -> None:
    with atomic("/dev/null") as made:
        made.write_text("gone")
    assert Path("/dev/null").is_char_device()
    with (
        pytest.raises(FileError, match="/dev/full: cannot be written"),
        atomic("/dev/full") as made,
    ):
        made.write_text("x")
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_packing_is_recognised(tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "text"
    path.write_bytes(pack("一行\n二行\n".encode()))
    assert lines(path) == ["一行", "二行"]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_damaged_packing(tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "text"
    packed = pack(bytes(range(256)) * 200)
    middle = len(packed) // 2
    for damaged in (
        packed[:-9],
        packed[:middle],
        packed[:middle] + b"\xff\xff\xff" + packed[middle + 3 :],
        packed[:10] + b"\xff" * 40 + packed[50:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="is packed but damaged"), open_bytes(path) as file:
            file.read()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"a\r\rb", ["a", "", "b"]),
        (b"a\r", ["a"]),
        (b"a\rb\n", ["a", "b"]),
        (b"a\rb\r\n", ["a", "b"]),
        (b"a\r\rb\r\rc\n", ["a", "", "b", "", "c"]),
        (b"a\rb\n\n", ["a\rb", ""]),
        (b"a\rb\nc\rd", ["a\rb", "c\rd"]),
        (b"a\x0b\x0c\x1c\x85".replace(b"\x85", "\x85\u2028".encode()), ["a\x0b\x0c\x1c\x85\u2028"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", ["a", "\ufeffb"]),
        (b"a\x00b\n", ["a\x00b"]),
    ],
)
def test_line_ends(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    assert lines(path) == expected
    if not content.startswith(b"\xef") and content.isascii():
        assert lines(path, "gb18030") == expected


def test_gb18030(tmp_path: Path) -> None:
    path = tmp_path / "text"
    text = "中文㎏𠮷\n二行"
    path.write_bytes("\ufeff".encode("gb18030") + text.encode("gb18030"))
    assert lines(path, "gb18030") == text.split("\n")
    with pytest.raises(FileError, match=r"text:1: not utf-8 text; found b.*such as gb18030"):
        lines(path)


def test_utf8_with_mark(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("\ufeffa\n\ufeffb", encoding="utf-8")
    assert lines(path, "utf-8-sig") == ["a", "\ufeffb"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-99", "hex", "with\0nul"])
def test_encodings_that_cannot_be(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    path.write_text("a")
    with pytest.raises(FenjieError, match="expected utf-8 or gb18030"):
        lines(path, encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_utf_16_is_named_where_its_mark_is_there(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    path.write_bytes("王小明\n".encode("utf-16"))
    with pytest.raises(FileError, match=rf"text:1: UTF-16 text; expected {encoding}: convert it"):
        lines(path, encoding)


def test_a_lone_surrogate_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\xed\xa0\x80\n")
    with pytest.raises(FileError, match="text:2: not utf-8"):
        lines(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in tmp_path / "none", tmp_path:
        with pytest.raises(FileError, match="cannot be read"):
            lines(path)
        with pytest.raises(FileError, match="cannot be read"):
            sha256(path)


def test_a_broken_pipe_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a")
    with pytest.raises(BrokenPipeError), open_bytes(path):
        raise BrokenPipeError


def test_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a").startswith("ba7816bf")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left"), r"^out: cannot be written: No space left$"),
        (OSError(28, "No space left", "out/a"), r"^out/a: cannot be written: No space left$"),
        (OSError(2, "No such file", "in.txt"), r"^in\.txt: No such file$"),
        (OSError(9, "Bad file descriptor", 7), r"^out: cannot be written: Bad file"),
    ],
)
def test_what_is_refused_in_a_folder_is_one_line(error: OSError, message: str) -> None:
    with pytest.raises(FileError, match=message), refusals(Path("out")):
        raise error


def test_what_is_printed_is_no_file_of_a_folder() -> None:
    with pytest.raises(BrokenPipeError), refusals(Path("out")):
        raise BrokenPipeError(32, "Broken pipe")


def test_texts_are_written_alike_on_every_system() -> None:
    source = Path(files.__file__).parent
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "write_text":
                named = {one.arg for one in node.keywords}
                assert named >= {"encoding", "newline"}, f"{path}:{node.lineno}"
