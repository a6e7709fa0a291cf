"""Files of words and vectors: every form, every kind of damage."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import Lexicon, UnitVectors
from fenjie.lexicon.word_files import Skipped, guess, read_vectors, read_words

LIST = "中国\n中国人\n\n的\n人民\n"
DICTIONARY = "中国 100 ns\n中国人\t20\n的 3188252 uj\n人民\n"
MIXED = "中国\n中国人\n的\n人民 5 n\n"
TAGGED = "中国\n中国人 n\n的 uj\n人民\n"
CORE = "中国 ns 100\n中国人 n 2 nz 1\n的 u 3\n人民 n 5\n"
HEADLESS = "中国 0.5 -1 2e-1\n中国人 1 2 3 \n的 .5 6 7\n人民 1 1 1\n"
VECTORS = "4 3\n" + HEADLESS
NAMES = ["中国", "中国人", "的", "人民"]
FLOATS = np.array([[0.5, -1, 0.2], [1, 2, 3], [0.5, 6, 7], [1, 1, 1]], np.float32)
BINARY = b"4 3\n" + b"".join(
    name.encode() + b" " + row.tobytes() + b"\n" for name, row in zip(NAMES, FLOATS, strict=True)
)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("list", LIST),
        ("list", "\ufeff" + LIST.replace("\n", "\r\n")),
        ("list", LIST.replace("\n", "\r")),
        ("list", LIST.rstrip().replace("\n", "\r") + "\n"),
        ("dictionary", DICTIONARY),
        ("dictionary", "\ufeff" + DICTIONARY.replace("\n", "\r\n")),
        ("dictionary", DICTIONARY.replace("\n", "\r").rstrip()),
        ("dictionary", CORE),
        ("dictionary", MIXED),
        ("dictionary", TAGGED),
        ("vectors", VECTORS),
        ("vectors", HEADLESS),
        ("vectors", "\ufeff" + HEADLESS.replace("\n", "\r\n").replace(" ", "\t")),
        ("binary", BINARY),
        ("binary", BINARY.replace(b"\n", b"").replace(b"4 3", b"4 3\n")),
    ],
)
def test_forms(tmp_path: Path, form: str, content: str | bytes, pack: type[bytes]) -> None:
    raw = content.encode() if isinstance(content, str) else content
    path = write(tmp_path / "words", pack(raw))
    assert guess(path) == form
    assert sorted(read_words(path)) == sorted(NAMES)
    assert sorted(Lexicon.read(path)) == sorted(["中国", "中国人", "人民"])
    if form in ("vectors", "binary"):
        table = UnitVectors.read(path, dtype=np.float32)
        assert table.units.names == NAMES
        assert (table.table == FLOATS).all()


def test_a_large_binary_file(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(9000, 20)).astype(np.float32)
    names = [f"词{number}" for number in range(9000)]
    lines = [name.encode() + b" " + row.tobytes() for name, row in zip(names, vectors, strict=True)]
    table = UnitVectors.read(write(tmp_path / "b", b"9000 20\n" + b"\n".join(lines)))
    assert table.units.names == names
    assert np.abs(table(np.arange(9000)) - vectors).max() < 0.02


def test_the_form_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "words", "New York\n中国 5\n")
    assert list(read_words(path, "dictionary")) == ["New", "中国"]
    with pytest.raises(FileError, match="words:1: no line holds a word"):
        list(read_words(path, "list"))


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "的\n了\n"])
def test_a_lexicon_of_no_words(tmp_path: Path, content: str) -> None:
    assert len(Lexicon.read(write(tmp_path / "words", content))) == 0


@pytest.mark.parametrize(
    "lines", ["New York\n中国\n", "中国\n新 词\nhello world\n", "iPhone 15\n小米\n华为\n"]
)
def test_phrases_make_no_dictionary(tmp_path: Path, lines: str) -> None:
    assert guess(write(tmp_path / "words", lines)) == "list"


def test_lines_of_a_list_that_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "words", f"中国\nNew York\n{'长' * 32}\n中国\n{'久' * 31}\n")
    skipped: list[Skipped] = []
    assert list(Lexicon.read(path, report=skipped.append)) == ["中国", "久" * 31]
    assert [(skip.line, skip.reason) for skip in skipped] == [
        (2, "a word cannot hold whitespace"),
        (3, "a word of more than 31 characters"),
    ]
    assert str(skipped[0]).endswith(
        "words:2: skipped: a word cannot hold whitespace; found 'New York'"
    )
    match = r"lines skipped: 2; the first: .*words:2: skipped"
    with pytest.warns(UserWarning, match=match) as warned:
        Lexicon.read(path)
    assert warned[0].filename == __file__, "where it is read, not a line of fenjie's"


def test_lines_of_a_dictionary_that_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "words", "中国 1 n\n柴塔村\t3?\n人民 5\n")
    skipped: list[Skipped] = []
    assert list(read_words(path, report=skipped.append)) == ["中国", "人民"]
    assert [skip.line for skip in skipped] == [2]


MALFORMED = (
    b"</s> 1 2 3 4\n"
    b"\xe4\xb8\xad 1 2 3 4\n"  # 中
    b"\xe4\xb8\xad\xe5\x9b\xbd 1 2 3\n"
    b"1 2 3 4\n"
    b"New York 1 2 3 4\n"
    b"\xff\xfe 1 2 3 4\n"
    b"word 1 two 3 4\n"
    b"none 1 nan 3 4\n"
    b"large 1 1e99 3 4\n"
    b"\n"
    b"\xe4\xb8\xad 5 6 7 8\n"
    b"\xc2\xa0 1 2 3 4\n"  # a no-break space
    b"\xe3\x80\x80 5 6 7 8"  # an ideographic space, and no line end
)


def test_malformed_lines_of_vectors(tmp_path: Path) -> None:
    path = write(tmp_path / "ctb.50d.vec", MALFORMED)
    skipped: list[Skipped] = []
    table = UnitVectors.read(path, report=skipped.append)
    assert table.units.names == ["</s>", "中", "\xa0", "\u3000"]
    assert np.allclose(table(table.rows(["中"])), [1, 2, 3, 4], atol=0.02)
    assert [(skip.line, skip.reason) for skip in skipped] == [
        (3, "expected 5 columns, a word and numbers; there are 4"),
        (4, "expected 5 columns, a word and numbers; there are 4"),
        (5, "expected 5 columns, a word and numbers; there are 6"),
        (6, "a word that is not utf-8"),
        (7, "what should be a finite number is none"),
        (8, "what should be a finite number is none"),
        (9, "what should be a finite number is none"),
        (11, "a repeated word, of which the first stands"),
    ]


def test_a_line_of_vectors_tells_them_where_they_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_text("王 1 2 3\n京 1 2 x\n海 1\n", encoding="utf-8")
    skipped: list[Skipped] = []
    table = UnitVectors.read(path, report=skipped.append)
    assert (table.units.names, table.dim) == (["王"], 3)
    assert [(skip.line, skip.found) for skip in skipped] == [(3, "'海 1'"), (2, "'京'")]
    assert guess(path) == "dictionary"


def test_a_batch_of_which_nothing_is_left(tmp_path: Path) -> None:
    content = "中国 1 2 3\n" * 10_000 + "人民 1 2 3\n"
    with pytest.warns(UserWarning, match="lines skipped: 9,999"):
        assert len(UnitVectors.read(write(tmp_path / "v", content))) == 2


@pytest.mark.parametrize("promised", ["3", "9"])
@pytest.mark.parametrize("content", [HEADLESS.encode(), BINARY[4:]], ids=["text", "binary"])
def test_a_header_with_a_wrong_number_of_words(
    tmp_path: Path, content: bytes, promised: str
) -> None:
    path = write(tmp_path / "v", f"{promised} 3\n".encode() + content)
    skipped: list[Skipped] = []
    table = UnitVectors.read(path, report=skipped.append)
    assert table.units.names == NAMES
    assert [skip.line for skip in skipped] == [1]
    assert f"the header promises {promised} words" in skipped[0].reason


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("4 5\n" + HEADLESS, r"v:1: the header is wrong; .*expected 3 numbers a word"),
        (BINARY.replace(b"4 3", b"4 2"), "v:2: damaged, or its header is wrong"),
        (b"4 3\n" + b"\x80" * 9999, "v:1: damaged, or its header is wrong"),
        (BINARY[:-5], "v:4: damaged, or its header is wrong"),
        (b"4 90\n" + b"\x00\xff" * 9999, "v:1: damaged, or its header is wrong"),
        (b"4 999999999\n" + BINARY[4:], "v:1: damaged, or its header is wrong"),
        (b"4 " + b"9" * 5000 + b"\n" + b"\x00\xff" * 9999, "holds no vectors, but a list"),
        ("", "holds no vectors"),
        (LIST, "holds no vectors, but a list"),
        (DICTIONARY, "holds no vectors, but a dictionary"),
        (b"\xff 1 2 3\n", "v:1: no line holds a word; here, a word that is not utf-8"),
    ],
)
def test_what_is_no_file_of_vectors(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(FileError, match=message):
        UnitVectors.read(write(tmp_path / "v", content))


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("binary", "", "v:1: no header"),
        ("vectors", "", "v: holds no vectors"),
        ("vectors", "5 3\n", "v: holds no vectors; expected 5 of 3 numbers"),
    ],
)
def test_a_form_that_was_named_wrongly(
    tmp_path: Path, form: str, content: str, message: str
) -> None:
    with pytest.raises(FileError, match=message):
        list(read_vectors(write(tmp_path / "v", content), form))  # type: ignore[arg-type]


def test_a_form_that_there_is_not(tmp_path: Path) -> None:
    path = write(tmp_path / "v", "中国 1\n")
    for reader in read_words, read_vectors:
        with pytest.raises(FenjieError, match="unknown form of words 'vector'; expected one of li"):
            list(reader(path, "vector"))  # type: ignore[arg-type, operator]


def test_a_file_of_no_vectors(tmp_path: Path) -> None:
    table = UnitVectors.read(write(tmp_path / "v", "0 50\n"))
    assert (len(table), table.dim) == (0, 50)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        Lexicon.read(tmp_path / "none")
    with pytest.raises(FileError, match="packed but damaged"):
        Lexicon.read(write(tmp_path / "gz", gzip.compress(LIST.encode())[:-9]))
    with pytest.raises(FileError, match=r"gb:2: not utf-8; .*expected words in utf-8"):
        Lexicon.read(write(tmp_path / "gb", b"abc\n" + "中国".encode("gb18030")))
