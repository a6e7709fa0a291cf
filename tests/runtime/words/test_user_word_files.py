"""Files of user words."""

from __future__ import annotations

from pathlib import Path

import pytest

import fenjie
from fenjie.errors import FileError
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_word_files import read_labelled, read_words
from fenjie.runtime.words.user_words import UserWord


def test_a_file_as_jieba_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    content = (
        "\ufeff云计算 5\r\n李小福 2 nr\r\n创新办 3 i\n凱特琳\tnz\n台中  \n\n 大模型\n"
        "# a comment\n#\n#话题\nC#\n杰\nHanLP nz 1 n 2\nPKU 0.5 NN\n"
    )
    file.write_bytes(content.encode())
    assert {word: known.weight for word, known in read_words(file).items()} == {
        **{"云计算": 5, "李小福": 2, "创新办": 3, "凱特琳": 10, "台中": 10, "大模型": 10},
        **{"#话题": 10, "C#": 10, "杰": 10, "HanLP": 1, "PKU": 0.5},
    }
    assert set(read_words(file, force=True).values()) == {UserWord(FORCED)}
    file.write_text("和服 force\n云计算 force 7\n大模型 7 n force\n", encoding="utf-8")
    assert read_words(file) == dict.fromkeys(["和服", "云计算", "大模型"], UserWord(FORCED))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("New York", "York"),
        ("云\u3000原生", "原生"),
        ("云原生 100 名词", "名词"),
        ("iPhone 15 Pro", "Pro"),
        ("云计算 -5", "-5"),
        (f"云 {'9' * 400}", "9"),
    ],
)
def test_what_may_not_stand_after_a_word_is_named(tmp_path: Path, line: str, found: str) -> None:
    file = tmp_path / "words.txt"
    file.write_text(f"商品\n{line}\n", encoding="utf-8")
    message = rf"words\.txt:2: neither a frequency nor a part of speech .*; found '{found}"
    with pytest.raises(FileError, match=message):
        read_words(file)


def test_a_word_has_one_label(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("李小福 nr per 7 PER\n", encoding="utf-8")
    assert read_labelled(file, ["PER", "LOC"]) == {"李小福": UserWord(7, "PER")}
    file.write_text("李小福 PER\n北京 ns LOC 7 PER\n", encoding="utf-8")
    message = r"words\.txt:2: two labels after a user word; found 'LOC PER'; expected one of them"
    with pytest.raises(FileError, match=message):
        read_labelled(file, ["PER", "LOC"])


def test_files_that_cannot_be_read(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nothing\.txt: cannot be read"):
        fenjie.load(tiny_model, words=tmp_path / "nothing.txt")
    file = tmp_path / "words.txt"
    file.write_bytes("商品\n服务\n".encode("gb18030"))
    with pytest.raises(FileError, match=r"words\.txt:1: not utf-8 text; expected user words in"):
        fenjie.load(tiny_model, words=file)
    file.write_bytes(b"")
    assert len(fenjie.load(tiny_model, words=file).words) == 0
