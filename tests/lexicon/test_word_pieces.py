"""Characters and the word pieces that hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="needs the extra `bert`")

from hypothesis import given
from hypothesis import strategies as st

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import word_pieces as module
from fenjie.lexicon.word_pieces import NONE, PieceTokenizer, WordPieceBatch, word_pieces
from tests.tiny_encoder import CHARACTERS, VOCABULARY, write_bytes

UNKNOWN, FIRST, LAST = (VOCABULARY.index(name) for name in ("[UNK]", "[CLS]", "[SEP]"))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tokenizer") / "vocab.txt"
    path.write_text("".join(f"{piece}\n" for piece in VOCABULARY), encoding="utf-8")
    return word_pieces(path, {})


@pytest.fixture(scope="module")
def by(tokenizer: str) -> PieceTokenizer:
    return PieceTokenizer(tokenizer, 512)


@pytest.fixture(scope="module")
def by_bytes(tmp_path_factory: pytest.TempPathFactory) -> PieceTokenizer:
    folder = tmp_path_factory.mktemp("bytes")
    write_bytes(folder)
    return PieceTokenizer.open(folder / "tokenizer.json", 512)


def held(by: PieceTokenizer, text: str) -> list[str]:
    """The piece of each character, several joined by a blank."""
    found = by(text)
    rows = ([VOCABULARY[found.pieces[i]] for i in row if i != NONE] for row in found.piece.tolist())
    return [" ".join(row) for row in rows]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("北京大学", ["北", "京", "大", "学"]),
        ("abc北", ["ab", "ab", "##c", "北"]),
        ("ABcd", ["ab", "ab", "##cd", "##cd"]),
        ("café", ["cafe"] * 4),  # the accent is dropped, the place stays
        ("cafe\u0301京", ["cafe"] * 4 + ["[UNK]", "京"]),  # the accent is a character
        ("0123", ["[UNK]"] * 4),  # a word of which one piece is unknown is unknown
        ("12３", ["[UNK]"] * 3),
        ("122", ["1", "##2", "##2"]),
        ("鬱北", ["[UNK]", "北"]),
        ("𠀀😀北", ["[UNK]", "[UNK]", "北"]),  # beyond the first plane: one character, one place
        ("北\x00京", ["北", "[UNK]", "京"]),  # the tokenizer drops it
        ("\u200b\ufeff北\x07", ["[UNK]", "[UNK]", "北", "[UNK]"]),
        ("北\ud800京", ["北", "[UNK]", "京"]),  # half a character
        ("[SEP]北", ["[UNK]"] * 5 + ["北"]),  # text, not what stands at the end
        ("", []),
        ("\x00", ["[UNK]"]),
    ],
)
def test_alignment(by: PieceTokenizer, text: str, pieces: list[str]) -> None:
    assert held(by, text) == pieces
    found = by(text)
    assert found.windows.tolist() == [len(found.pieces)]
    assert (found.pieces[0], found.pieces[-1]) == (FIRST, LAST)
    assert found.pieces.tolist().count(LAST) == 1


def test_pieces_stand_in_the_order_of_their_characters(by: PieceTokenizer) -> None:
    found = by("北\x00京\x07\x07abc\x00")
    names = [VOCABULARY[piece] for piece in found.pieces]
    assert names == [
        "[CLS]", "北", "[UNK]", "京", "[UNK]", "[UNK]", "ab", "##c", "[UNK]", "[SEP]",
    ]  # fmt: skip


def test_bytes(by_bytes: PieceTokenizer) -> None:
    found = by_bytes("鬱a😀")
    assert found.piece[:, 1].tolist()[1] == NONE
    assert (found.piece[[0, 2]] != NONE).sum(axis=1).min() >= 2
    places = found.piece[found.piece != NONE]
    assert sorted(places) == list(range(1, len(found.pieces) - 1))


TEXTS = st.text(
    st.one_of(st.sampled_from(CHARACTERS + "abcABC２é"), st.characters(codec="utf-8")), max_size=60
)


@given(TEXTS, st.integers(4, 40))
def test_every_character_has_a_piece_in_windows_of_any_size(
    tokenizer: str, text: str, room: int
) -> None:
    whole, parts = PieceTokenizer(tokenizer, 512)(text), PieceTokenizer(tokenizer, room)(text)
    assert whole.piece.shape == parts.piece.shape
    assert len(whole.piece) == len(text)
    assert not len(text) or (whole.piece[:, 0] != NONE).all()
    assert parts.windows.max() <= room
    assert parts.windows.sum() == len(parts.pieces)
    there = whole.piece != NONE
    assert (there == (parts.piece != NONE)).all()
    assert (whole.pieces[whole.piece[there]] == parts.pieces[parts.piece[there]]).all()


def test_a_piece_is_taken_from_the_window_in_which_it_stands_most_central(tokenizer: str) -> None:
    text = CHARACTERS[:30] * 3
    found = PieceTokenizer(tokenizer, 22)(text)
    begins = np.cumsum(found.windows) - found.windows
    cut = [(0, 20), (15, 35), (30, 50), (45, 65), (60, 80), (70, 90)]
    assert found.windows.tolist() == [22] * len(cut)
    for place, (token,) in enumerate(found.piece.tolist()):
        number = int(np.searchsorted(begins, token, side="right")) - 1
        start, end = cut[number]
        assert start <= place < end and token - begins[number] - 1 == place - start
        reach = [min(place - low, high - 1 - place) for low, high in cut if low <= place < high]
        assert min(place - start, end - 1 - place) == max(reach) or place in (0, 89)


def test_side_by_side(by: PieceTokenizer, by_bytes: PieceTokenizer, tokenizer: str) -> None:
    for cut in (by, by_bytes, PieceTokenizer(tokenizer, 8)):
        texts = ["北京大学" * 9, "鬱", "abc北ab", "我们\x00"]
        found = [cut(text) for text in texts]
        batch = WordPieceBatch.of(found)
        flat = batch.pieces.ravel()
        assert batch.piece.shape[:2] == (len(texts), max(map(len, texts)))
        assert batch.lengths.tolist() == [n for text in found for n in text.windows]
        for row, text in zip(batch.piece, found, strict=True):
            there = text.piece != NONE
            length, parts = there.shape
            assert (row[:length, :parts][there] == NONE).sum() == 0
            assert (flat[row[:length, :parts][there]] == text.pieces[text.piece[there]]).all()
            assert (row[length:] == NONE).all() and (row[:, parts:] == NONE).all()


def test_settings_of_the_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"{piece}\n" for piece in [*VOCABULARY, "AB"]), encoding="utf-8")
    by = PieceTokenizer(word_pieces(path, {"do_lower_case": False}), 512)
    assert by("AB").pieces.tolist() == [FIRST, len(VOCABULARY), LAST]
    assert by("ab").pieces.tolist() == [FIRST, VOCABULARY.index("ab"), LAST]


def test_errors(tmp_path: Path, tokenizer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FileError, match=r"tokenizer\.json: is no tokenizer"):
        PieceTokenizer.open(path, 512)
    with pytest.raises(FileError, match="cannot be read"):
        PieceTokenizer.open(tmp_path / "none.json", 512)
    with pytest.raises(FenjieError, match="no room for text"):
        PieceTokenizer(tokenizer, 3)
    (tmp_path / "vocab.txt").write_text("北\n京\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"vocab\.txt: holds no \[PAD\]"):
        word_pieces(tmp_path / "vocab.txt", {})
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(FenjieError, match="pip install 'fenjie"):
        module.PieceTokenizer(tokenizer, 512)
