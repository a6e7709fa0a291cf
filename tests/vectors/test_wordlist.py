"""Words are gathered with the reasons for each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fenjie.errors import FenjieError
from fenjie.lexicon import Lexicon
from fenjie.text.normalise import Normaliser
from fenjie.vectors.texts import Source
from fenjie.vectors.wordlist import acceptable, gather, source_name
from tests.vectors.raw_text import LINES, quiet


def made(source: Source, dictionaries: list[Path], output: Path) -> Counter[str]:
    return gather(
        [source],
        dictionaries,
        output,
        Normaliser(),
        work=output.with_name("work"),
        report=quiet,
        skipped=lambda line: pytest.fail(str(line)),
    )


def test_words_of_several_sources(text: Source, tmp_path: Path) -> None:
    first, second = tmp_path / "dict-1.txt", tmp_path / "my.words.txt"
    first.write_text("北京 9 ns\n广州 9 ns\n明天 3\n", encoding="utf-8")
    second.write_text("北京\n工程师\n，经\n", encoding="utf-8")
    output = tmp_path / "lexicon.txt"
    names = [first, second]
    tally = made(text, names, output)
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines == ["北京 10 dict1 my", "工程师 10 my", "明天 5 dict1"]
    assert tally == {"dict1": 2, "dict1 alone": 1, "my": 2, "my alone": 1, "all": 3}
    assert sorted(Lexicon.read(output)) == ["北京", "工程师", "明天"]


def test_mined_words_have_their_reasons(tmp_path: Path) -> None:
    path, dictionary = tmp_path / "text.txt", tmp_path / "dict.txt"
    around = "一二三四五六七八九十百千万天地人水火山石"
    lines = [f"{a}{b}华为的{b}{a}" for a, b in zip(around, reversed(around), strict=True)]
    lines += [around] * 40
    path.write_text("\n".join(lines + LINES), encoding="utf-8")
    dictionary.write_text("北京\n", encoding="utf-8")
    output = tmp_path / "lexicon.txt"
    tally = made(Source(path), [dictionary], output)
    assert tally["mined alone"] == 0, "的 stands at the end"
    path.write_text("\n".join(lines + LINES).replace("的", ""), encoding="utf-8")
    made(Source(path), [dictionary], output)
    words = {line.split()[0]: line.split()[1:] for line in output.read_text("utf-8").splitlines()}
    assert words["华为"][:2] == ["20", "mined"]
    cohesion, variety = map(float, words["华为"][2:])
    assert cohesion > 3 and variety == pytest.approx(3.0)  # ln 20


def test_a_text_without_a_word(text: Source, tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("广州\n", encoding="utf-8")
    with pytest.raises(FenjieError, match="the text holds no word of any source"):
        made(text, [path], tmp_path / "o")
    assert not (tmp_path / "o").exists()


def test_words_that_may_stay() -> None:
    for word in ("妈妈", "B超", "乔治·布什", "CEO"):
        assert acceptable(word), word
    for word in ("妈", "哈哈哈", "2008", "·布什", "布什·", "你，好", "3月", "长" * 32):
        assert not acceptable(word), word


def test_names_of_sources() -> None:
    assert source_name(Path("a/THUOCL_IT.txt")) == "THUOCLIT"
    assert source_name(Path("词典.txt.xz")) == "dictionary"
    assert source_name(Path("Names（25W）.txt")) == "Names25"
