"""Vectors out of raw text: what is read, counted and learnt, and that it comes out the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim", reason="needs the extra `train`")

from fenjie.errors import FenjieError
from fenjie.lexicon.units import UnitVectors
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import END
from fenjie.vectors.texts import (
    Prepared,
    Source,
    Stream,
    line_characters,
)
from fenjie.vectors.word2vec import METHODS, Settings, count, learn_table, train_vectors
from tests.vectors.raw_text import LINES, quiet, ready


def test_counts_are_cut_by_minimum_and_limit(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("三三三二二一 bb aa " + "长" * 32 + "\n", encoding="utf-8")
    stream = Stream([path], str.split)
    counts = count("words", stream, Settings(minimum=1), 1, quiet)
    assert list(counts.kept) == ["aa", "bb", "三三三二二一"], "no key for 32 characters"
    assert counts.pieces == 1
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


@pytest.mark.slow
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
