"""Texts are read, normalised, segmented and cut into units."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gensim", reason="needs the extra `train`")

from fenjie.errors import FileError
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import END
from fenjie.vectors import texts as module
from fenjie.vectors.texts import (
    Source,
    Stream,
    line_bigrams,
    line_characters,
    prepare,
    segment,
    streams,
)
from tests.vectors.raw_text import LINES, quiet, ready


def test_units_of_a_line() -> None:
    assert line_characters("北 京\u3000A\n") == ["北", "京", "A"]
    assert line_bigrams("北京人 说\n") == ["北京", "京人", f"说{END}"]
    assert line_bigrams(" \n") == line_characters("\n") == []


def test_bigrams_are_those_that_a_model_reads() -> None:
    from fenjie.text.vocabulary import bigrams

    assert line_bigrams("我们去北京") == bigrams("我们去北京")


def test_shares_have_keys_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("好\n", encoding="utf-8")
    keys = [Source(path, share=share).key() for share in (0.5, 0.1234567, 0.1234568, 1)]
    assert keys == [keys[3] + end for end in ("-0.5", "-0.1234567", "-0.1234568", "")]


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


def test_segmented_text_is_on_the_disk_before_it_has_its_name(
    text: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[str, bool]] = []

    def flush(part: Path) -> None:
        flushed.append((part.suffix, part.with_suffix("").exists()))

    monkeypatch.setattr(module, "flush", flush)
    prepared = ready([text], tmp_path / "work")
    assert flushed == [(".part", False)] and prepared[0].words.exists()


def test_what_is_segmented_is_not_segmented_again(
    text: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ready([text], tmp_path / "work")
    monkeypatch.setattr(module, "_segment", None)
    assert ready([text], tmp_path / "work") == found


def test_a_file_that_is_read_in_another_way_is_read_anew(annotated: Source, tmp_path: Path) -> None:
    (plain,) = prepare([Source(annotated.path)], tmp_path / "work", Normaliser(), quiet)
    (found,) = prepare([annotated], tmp_path / "work", Normaliser(), quiet)
    assert found.text.read_text(encoding="utf-8") == "北京的\n经理\n"
    assert plain.text.read_text(encoding="utf-8") != found.text.read_text(encoding="utf-8")


def test_texts_that_cannot_be_used(tmp_path: Path, text: Source) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"\n\n")
    with pytest.raises(FileError, match="empty: holds no text"):
        prepare([Source(empty)], tmp_path / "work", Normaliser(), quiet)
    with pytest.raises(FileError, match="is the same text as text"):
        prepare([text, text], tmp_path / "work", Normaliser(), quiet)
    with pytest.raises(FileError, match="missing: cannot be read"):
        prepare([text, Source(tmp_path / "missing")], tmp_path / "new", Normaliser(), quiet)
    assert not (tmp_path / "new").exists()
