"""Tables of vectors: kept small, opened at once, and refused where they are damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fenjie.errors import FenjieError, FileError
from fenjie.lexicon import UnitVectors, WordVectors
from fenjie.lexicon.number_types import pack, unpack

NAMES = ["的", "中国", "中", "国人", "中国人", "a b", "\u3000\\", "\ud800\n", "\x03"]
VECTORS = np.random.default_rng(0).normal(size=(len(NAMES), 8)).astype(np.float32)
COUNTS = [90, 80, 70, 60, 50, 40, 30, 20, 0]


def table(dtype: type = np.int8) -> UnitVectors:
    return UnitVectors.build(NAMES, COUNTS, VECTORS, dtype)


@pytest.mark.parametrize(("dtype", "error"), [(np.int8, 0.01), (np.float16, 1e-3), (np.float32, 0)])
def test_saved_and_opened(tmp_path: Path, dtype: type, error: float) -> None:
    made = table(dtype)
    made.save(tmp_path, "words")
    opened = UnitVectors.open(tmp_path, "words")
    assert opened.table.dtype == dtype
    assert (len(opened), opened.dim) == (len(NAMES), 8)
    assert opened.units.names == NAMES
    assert opened.units.counts.tolist() == COUNTS
    for tables in (made, opened):
        found, vectors = tables.lookup([*NAMES, "人", "", "中" * 40])
        assert found.tolist() == [True] * len(NAMES) + [False] * 3
        assert vectors.dtype == np.float32
        assert np.abs(vectors - VECTORS).max() <= error * np.abs(VECTORS).max()


def test_the_index_can_be_made_again(tmp_path: Path) -> None:
    table().save(tmp_path, "words")
    (tmp_path / "words.index.npy").unlink()
    assert UnitVectors.open(tmp_path, "words").rows(NAMES).tolist() == list(range(len(NAMES)))


@pytest.mark.parametrize(
    ("names", "counts", "vectors", "message"),
    [
        (["中", "中"], [1, 1], np.ones((2, 3)), "'中' is repeated"),
        (["中", ""], [1, 1], np.ones((2, 3)), "1 to 31 characters; found ''"),
        (["中" * 32], [1], np.ones((1, 3)), "1 to 31 characters"),
        (["中"], [1], np.full((1, 3), np.nan), "not finite"),
        (["中"], [1], np.ones((2, 3)), "as many counts and vectors"),
    ],
)
def test_what_is_no_table(
    names: list[str], counts: list[int], vectors: np.ndarray, message: str
) -> None:
    with pytest.raises(FenjieError, match=message):
        UnitVectors.build(names, counts, vectors)


def test_a_type_goes_by_its_name_too(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("2 2\n中 0.5 -0.25\n国 0.125 0.5\n", encoding="utf-8")
    for name, kept in ("int8", np.int8), ("float16", np.float16):
        for made in (
            UnitVectors.read(path, dtype=name),
            UnitVectors.build(["中", "国"], [0, 0], np.array([[0.5, -0.25], [0.125, 0.5]]), name),
        ):
            assert made.table.dtype == kept
            np.testing.assert_allclose(made.lookup(["中"])[1], [[0.5, -0.25]], atol=0.01)


@pytest.mark.parametrize("dtype", [np.int16, np.float64, "float", "four bits", None])
def test_a_type_that_no_table_has(tmp_path: Path, dtype: Any) -> None:
    path = tmp_path / "v.txt"
    path.write_text("1 2\n中 0.5 -0.25\n", encoding="utf-8")
    with pytest.raises(FenjieError, match="kept as int8, float16 or float32; found"):
        UnitVectors.read(path, dtype=dtype)
    with pytest.raises(FenjieError, match="kept as int8, float16 or float32; found"):
        UnitVectors.build(["中"], [0], np.ones((1, 2)), dtype)


@pytest.mark.parametrize(("dtype", "number"), [(np.float32, np.nan), (np.float16, 1e6)])
def test_numbers_that_are_not_finite(tmp_path: Path, dtype: type, number: float) -> None:
    vectors, message = np.full((1, 3), number), f"not finite in {np.dtype(dtype)}"
    with pytest.raises(FenjieError, match=message):
        UnitVectors.build(["中"], [1], vectors, dtype)
    with pytest.raises(FenjieError, match=message):
        table(dtype).with_rows(np.array([0]), np.full((1, 8), number))
    (tmp_path / "v.txt").write_text("1 2\n中 1e6 1\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"v\.txt: .*not finite in float16"):
        UnitVectors.read(tmp_path / "v.txt", dtype=np.float16)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    table().save(tmp_path, "words")
    with pytest.raises(FileError, match=r"bigrams\.npy: cannot be opened"):
        UnitVectors.open(tmp_path, "bigrams")
    np.save(tmp_path / "words.scale.npy", np.ones(2, np.float32))
    with pytest.raises(FileError, match=r"words\.scale\.npy: does not fit the table"):
        UnitVectors.open(tmp_path, "words")
    table().save(tmp_path, "words")
    for content in (b"", b"\xe4\t1\n", "中\t1\n".encode(), "中 1\n".encode() * len(NAMES)):
        (tmp_path / "words.txt").write_bytes(content)
        with pytest.raises(FileError, match=r"words\.txt: (does not fit|is no list)"):
            _ = UnitVectors.open(tmp_path, "words").units
    for line in ("中\t" + 20 * "9", "\\Uffffffff\t1", "\\U00110000\t1"):
        (tmp_path / "words.txt").write_text(f"{line}\n" * len(NAMES), encoding="utf-8")
        with pytest.raises(FileError, match=r"words\.txt: is no list of units and counts"):
            _ = UnitVectors.open(tmp_path, "words").units
    np.save(tmp_path / "words.npy", np.ones(3))
    with pytest.raises(FileError, match=r"words\.npy: is no table"):
        UnitVectors.open(tmp_path, "words")


def test_a_table_of_nothing(tmp_path: Path) -> None:
    UnitVectors.build([], [], np.empty((0, 5))).save(tmp_path, "words")
    words = WordVectors.open(tmp_path)
    assert words.dim == 5
    assert len(words.lexicon.match("中国").word) == 0
    assert words.table.rows(["中国"]).tolist() == [-1]


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_other_vectors_in_some_rows(dtype: type) -> None:
    before = table(dtype)
    after = before.with_rows(np.array([1]), np.full((1, 8), 100.0))
    assert np.allclose(after(np.array([1])), 100)
    assert (after(np.array([0, 2])) == before(np.array([0, 2]))).all()
    assert np.abs(before(np.array([1]))).max() < 10
    assert after.units.names == NAMES


def test_four_bits(tmp_path: Path) -> None:
    half = table().halved()
    half.save(tmp_path, "words")
    packed = np.load(tmp_path / "words.npy")
    assert packed.dtype == np.uint8 and packed.shape == (len(NAMES), 4)
    opened = UnitVectors.open(tmp_path, "words")
    rows = np.arange(len(NAMES))
    np.testing.assert_array_equal(opened.table, half.table)
    np.testing.assert_array_equal(opened(rows), half(rows))
    largest = np.abs(VECTORS).max(axis=1, keepdims=True)
    assert (np.abs(half(rows) - VECTORS) <= largest / 14 + largest / 250).all()
    with pytest.raises(FenjieError, match="an even size; found 3"):
        UnitVectors.build(["中"], [1], np.ones((1, 3))).halved()


def test_packing_keeps_each_number() -> None:
    numbers = np.arange(-8, 8, dtype=np.int8)
    whole = np.stack(np.meshgrid(numbers, numbers), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(unpack(pack(whole)), whole)
