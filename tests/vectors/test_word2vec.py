"""Vectors out of raw text: what is read, counted and learnt, and that it comes out the same."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim", reason="needs the extra `train`")

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon.units import UnitVectors
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import END
from fenjie.vectors import texts as module
from fenjie.vectors.imported import import_vectors
from fenjie.vectors.texts import (
    Prepared,
    Source,
    Stream,
    line_bigrams,
    line_characters,
    prepare,
    segment,
    streams,
)
from fenjie.vectors.word2vec import METHODS, Settings, count, learn_table, train_vectors

LINES = [
    "北京的经理和上海的工程师去北京开会。",
    "上海　的ＡＢ公司，经理说：很好！",
    "",
    "工程师说 他们 明天去上海。",
]


def quiet(stage: str, done: int, total: int) -> None:
    assert 0 <= done <= total, stage


@pytest.fixture
def text(tmp_path: Path) -> Source:
    path = tmp_path / "text"
    path.write_bytes(lzma.compress("\n".join(LINES * 5).encode()))
    return Source(path)


@pytest.fixture
def annotated(tmp_path: Path) -> Source:
    path = tmp_path / "train.bmes"
    path.write_text("北 B-LOC\n京 E-LOC\n的 O\n\n经 O\n理 O\n", encoding="utf-8")
    return Source(path, annotated=True)


def ready(sources: list[Source], work: Path, simplify: bool = False) -> list[Prepared]:
    found = prepare(sources, work, Normaliser(simplify=simplify), quiet)
    segment(sources, found, quiet)
    return found


def test_units_of_a_line() -> None:
    assert line_characters("北 京\u3000A\n") == ["北", "京", "A"]
    assert line_bigrams("北京人 说\n") == ["北京", "京人", f"说{END}"]
    assert line_bigrams(" \n") == line_characters("\n") == []


def test_bigrams_are_those_that_a_model_reads() -> None:
    from fenjie.text.vocabulary import bigrams

    assert line_bigrams("我们去北京") == bigrams("我们去北京")


def test_a_long_line_comes_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("好" * 25_000 + "\n\n坏\n", encoding="utf-8")
    stream = Stream([path], line_characters)
    assert [len(piece) for piece in stream] == [10_000, 10_000, 5_000, 1]
    assert [len(piece) for piece in stream] == [10_000, 10_000, 5_000, 1]


def test_texts_are_normalised_and_segmented(
    text: Source, annotated: Source, tmp_path: Path
) -> None:
    found = ready([text, annotated], tmp_path / "work")
    assert [one.lines for one in found] == [len(LINES) * 5, 2]
    assert found[0].characters == 5 * sum(map(len, LINES))
    assert found[1].text.read_text(encoding="utf-8") == "北京的\n经理\n"
    first = found[0].text.read_text(encoding="utf-8").split("\n")
    assert first[1] == "上海 的AB公司,经理说:很好!"
    units = streams(found, Normaliser())
    words = [word for piece in units["words"] for word in piece]
    characters = [unit for piece in units["characters"] for unit in piece]
    assert "".join(words) == "".join(characters)
    assert "北京" in words
    assert "AB" in words


def test_words_are_simplified_like_the_text(tmp_path: Path) -> None:
    pytest.importorskip("opencc", reason="needs the extra `traditional`")
    path = tmp_path / "old.txt"
    path.write_text("上海的經理說話。\n", encoding="utf-8")
    found = ready([Source(path)], tmp_path / "work", simplify=True)
    units = streams(found, Normaliser(simplify=True))
    assert "".join(next(iter(units["words"]))) == "上海的经理说话。"
    assert "".join(next(iter(units["characters"]))) == "上海的经理说话。"


def test_an_interrupted_segmentation_goes_on(text: Source, tmp_path: Path) -> None:
    (whole,) = ready([text], tmp_path / "whole")
    content = whole.words.read_bytes()
    (one,) = prepare([text], tmp_path / "work", Normaliser(), quiet)
    part = one.words.with_name(f"{one.words.name}.part")
    for size in (0, 1, len(content) // 2, len(content)):
        one.words.unlink(missing_ok=True)
        part.write_bytes(content[:size])
        segment([text], [one], quiet)
        assert one.words.read_bytes() == content
        assert not part.exists()


def test_what_is_segmented_is_not_segmented_again(
    text: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ready([text], tmp_path / "work")
    monkeypatch.setattr(module, "_segment", None)
    assert ready([text], tmp_path / "work") == found


def test_texts_that_cannot_be_used(tmp_path: Path, text: Source) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"\n\n")
    with pytest.raises(FileError, match="empty: holds no text"):
        prepare([Source(empty)], tmp_path / "work", Normaliser(), quiet)
    with pytest.raises(FileError, match="is the same text as text"):
        prepare([text, text], tmp_path / "work", Normaliser(), quiet)
    with pytest.raises(FileError, match="missing: cannot be read"):
        prepare([Source(tmp_path / "missing")], tmp_path / "work", Normaliser(), quiet)


def test_counts_are_cut_by_minimum_and_limit(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("三三三二二一 bb aa " + "长" * 32 + "\n", encoding="utf-8")
    stream = Stream([path], str.split)
    counts = count("words", stream, Settings(minimum=1), 1, quiet)
    assert list(counts.kept) == ["aa", "bb", "三三三二二一"], "no key for 32 characters"
    assert (counts.pieces, counts.units, counts.types) == (1, 4, 4)
    characters = Stream([path], line_characters)
    counts = count("characters", characters, Settings(minimum=2), 1, quiet)
    assert counts.kept == {"长": 32, "三": 3, "a": 2, "b": 2, "二": 2}
    assert list(counts.kept) == ["长", "三", "a", "b", "二"]
    limited = count("words", stream, Settings(minimum=1, words=2), 1, quiet)
    assert list(limited.kept) == ["aa", "bb"]
    with pytest.raises(FenjieError, match="none of the words occurs 2 times or more"):
        count("words", stream, Settings(minimum=2), 1, quiet)


def test_a_vectors_folder_holds_what_the_text_holds(
    text: Source, annotated: Source, tmp_path: Path
) -> None:
    output = tmp_path / "vectors"
    settings = Settings(dim=4, minimum=1, epochs=1)
    train_vectors(
        [text, annotated], output, settings, work=tmp_path / "work", command="ran", report=quiet
    )
    characters = UnitVectors.open(output, "characters")
    expected = Counter("".join(Normaliser()(line).text for line in LINES * 5 + ["北京的经理"]))
    del expected[" "]
    assert dict(zip(*characters.units, strict=True)) == expected
    assert characters.dim == 4
    bigrams = UnitVectors.open(output, "bigrams")
    assert bigrams.units.counts[bigrams.rows(["北京"])] == 11
    assert bigrams.rows([f"。{END}"]) >= 0
    assert bigrams.rows(["海 "]) == -1
    assert (UnitVectors.open(output, "words").rows(["北京", "工程师"]) >= 0).all()
    card = (output / "README.md").read_text(encoding="utf-8")
    assert "ran" in card
    assert "| text | 20 |" in card
    assert not (output / "minutes").exists()


def test_learning_moves_like_words_together(tmp_path: Path) -> None:
    """Two groups of characters that never meet: neighbours lie in one's own group."""
    generator = np.random.default_rng(0)
    groups = ["甲乙丙丁戊己", "子丑寅卯辰巳"]
    path = tmp_path / "text.txt"
    lines = ("".join(generator.choice(list(groups[i % 2]), 20)) for i in range(2000))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    one = Prepared("text.txt", "key", 2000, 40_000, path, path)
    for name in ("characters", "bigrams"):
        folder = learn_table(name, [one], Settings(dim=8, minimum=1), tmp_path, quiet)
        table = UnitVectors.open(folder, name)
        names = table.units.names
        vectors = table(np.arange(len(table)))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = vectors @ vectors.T
        same = np.array(
            [[(a[0] in groups[0]) == (b[0] in groups[0]) for a in names] for b in names]
        )
        assert cosines[same].mean() > cosines[~same].mean() + 0.5, name


def test_a_finished_table_is_not_learnt_again(text: Source, tmp_path: Path) -> None:
    work = tmp_path / "work"
    found = ready([text], work)
    settings = Settings(dim=4, minimum=1, epochs=1)
    first = learn_table("words", found, settings, work, quiet)
    time = (first / "words.npy").stat().st_mtime_ns
    assert learn_table("words", found, settings, work, quiet) == first
    assert (first / "words.npy").stat().st_mtime_ns == time
    more = replace(settings, bigrams=7)
    assert learn_table("words", found, more, work, quiet) == first, "another table's setting"
    for other in (replace(settings, words=7), replace(settings, dim=5)):
        assert learn_table("words", found, other, work, quiet) != first


def test_one_worker_gives_the_same_files_in_any_process(text: Source, tmp_path: Path) -> None:
    """Neither the hashes of Python's strings nor anything else of a process may matter."""
    code = (
        "import sys; from pathlib import Path; from fenjie.vectors.texts import Source; "
        "from fenjie.vectors.word2vec import Settings, train_vectors; out = Path(sys.argv[2]); "
        "train_vectors([Source(sys.argv[1])], out, Settings(dim=4, minimum=1, epochs=2), "
        "work=Path(f'{out}-work'), command='', report=lambda *_: None)"
    )
    folders = [tmp_path / seed for seed in "17"]
    for folder in folders:
        environment = {**os.environ, "PYTHONHASHSEED": folder.name}
        command = [sys.executable, "-c", code, str(text.path), str(folder)]
        subprocess.run(command, check=True, env=environment, timeout=300)
    for path in folders[0].iterdir():
        if path.name != "README.md":  # it says how long it took
            assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name
    assert {path.name for path in folders[0].iterdir()} >= {f"{name}.npy" for name in METHODS}


def test_import_reports_each_line_that_it_skips(tmp_path: Path) -> None:
    characters = tmp_path / "uni.vec"
    characters.write_text("</s> 0 0 0\n北 1 -2 0\n京 x 1 0\n北 5 5 5\n", encoding="utf-8")
    words = tmp_path / "words.vec"
    words.write_text("2 3\n北京 1 2 3\n上海 4 5 6\n", encoding="utf-8")
    skipped: list[str] = []
    output = tmp_path / "vectors"
    tables = import_vectors(
        {"characters": characters, "words": words}, output, lambda one: skipped.append(str(one))
    )
    assert [line.split(": ")[0] for line in skipped] == [f"{characters}:3", f"{characters}:4"]
    assert {name: (len(one), one.dim) for name, one in tables.items()} == {
        "characters": (2, 3),
        "words": (2, 3),
    }
    found = UnitVectors.open(output, "characters")
    assert found.units.names == ["</s>", "北"]
    np.testing.assert_allclose(found(found.rows(["北"])), [[1, -2, 0]], atol=0.02)
    assert not (output / "bigrams.npy").exists()
