"""The segmenter on a tiny random model: what must hold whatever the scores are."""

from __future__ import annotations

import resource
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.batching import Batch
from fenjie.runtime.checksums import seal
from fenjie.runtime.segmenter import Segmenter
from fenjie.runtime.sentences import LIMITS

TEXTS = [
    "", " ", "\n\n", "商", "商品和服务", "商品　和\t服务\r\n", "他说的确实在理。今天天气很好！" * 9,
    "价格3.5%", "😂👨‍👩‍👧", "\0\x01", "\ud800", "مرحبا بالعالم", "商品和服务" * 300,
]  # fmt: skip


@pytest.fixture(scope="module")
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


class Scripted:
    """Stands for a model: a boundary before every character of even id."""

    calls = 0

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        self.calls += 1
        ids, lengths = batch.ids, batch.lengths
        assert ids.shape[1] == lengths.max()
        assert ids.size <= LIMITS.characters * ids.shape[2] or len(ids) == 1
        even = (ids[:, 1:, 0] % 2 == 0).astype(np.float32)
        return np.stack((1 - even, even), axis=-1)


@pytest.fixture
def scripted(segment: Segmenter, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    session = Scripted()
    monkeypatch.setattr(segment, "_score", session)
    yield session


def test_words_tile_and_a_list_is_its_texts(segment: Segmenter) -> None:
    alone = [segment(text) for text in TEXTS]
    assert segment(TEXTS) == alone
    assert segment(text for text in TEXTS) == alone
    assert [segment.cut(text) for text in TEXTS] == [sentence.words for sentence in alone]
    for text, sentence in zip(TEXTS, alone, strict=True):
        assert sentence.text == text
        assert sentence.tiled
    assert segment([]) == []


def test_log_odds_of_texts_that_come_one_by_one(segment: Segmenter) -> None:
    found = segment.log_odds(text for text in TEXTS)
    for text, own in zip(TEXTS, found, strict=True):
        assert own.shape == (len(text),)
        np.testing.assert_allclose(own, segment.log_odds([text])[0], atol=1e-4)
    assert segment.log_odds(iter(())) == []
    with pytest.raises(FenjieError, match="text 2 is no text; found 3, expected str"):
        segment.log_odds(["商品", 3])  # type: ignore[list-item]


def test_whitespace_runs_are_words(segment: Segmenter) -> None:
    words = segment("  商品\u3000 \n和\r\n\r\n").words
    assert [word for word in words if word.isspace()] == ["  ", "\u3000 \n", "\r\n\r\n"]
    assert all(word.isspace() or not any(map(str.isspace, word)) for word in words)


def test_the_model_decides(segment: Segmenter, scripted: Scripted) -> None:
    vocabulary = segment.folder.indexer.characters
    text = "商品和服务他说的确实在理"
    ids = vocabulary.ids(text)
    expected = [0, *(i for i in range(1, len(text)) if ids[i] % 2 == 0)]
    assert [span.start for span in segment(text).spans] == expected


def test_whitespace_is_not_shown(segment: Segmenter, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Spy(Scripted):
        def __call__(self, batch: Batch) -> NDArray[np.float32]:
            seen.append(batch.ids)
            return super().__call__(batch)

    monkeypatch.setattr(segment, "_score", Spy())
    segment("商品 和\t服务")
    assert np.array_equal(seen[0][0], segment.folder.indexer("商品和服务"))


def test_windows_give_what_the_whole_would(segment: Segmenter, scripted: Scripted) -> None:
    text = "商品和服务他说的确实在理" * 200
    ids = segment.folder.indexer.characters.ids(text)
    expected = [0, *(np.flatnonzero(ids[1:] % 2 == 0) + 1).tolist()]
    assert [span.start for span in segment(text).spans] == expected
    assert scripted.calls > 1


def test_normalisation_that_changes_the_length(tiny_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    config = folder / "config.toml"
    config.write_text(config.read_text().replace("[text]\n", "[text]\ncompatibility = true\n"))
    seal(folder)
    segment = fenjie.load(folder)
    texts = ["商品３㎏和㈱服务", "e\u0301商品", "…商品", "ﬁ", "", "\u00a8商", "商品"]
    assert segment(texts) == [segment(text) for text in texts]
    assert all(sentence.tiled for sentence in segment(texts))


def test_atoms_can_be_left_to_the_model(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    with open(folder / "config.toml", "a") as file:
        file.write("[segment]\natoms = false\n")
    seal(folder)
    segment = fenjie.load(folder)

    class Cuts(Scripted):
        def __call__(self, batch: Batch) -> NDArray[np.float32]:
            return np.tile(np.float32([0, 1]), (*batch.ids[:, 1:, 0].shape, 1))

    monkeypatch.setattr(segment, "_score", Cuts())
    assert segment("3.5%").words == ["3", ".", "5", "%"]


def test_a_copy_has_words_of_its_own(segment: Segmenter) -> None:
    segment.words.add("和服")
    other = segment.copy()
    other.words.add("他说的")
    other.words.remove("和服")
    assert list(segment.words) == ["和服"] and list(other.words) == ["他说的"]
    assert "他说的" in other.cut("商品和服务，他说的确") and "和服" in segment.cut("商品和服务")
    segment.words.add("品和")
    assert list(other.words) == ["他说的"]


def test_threads_share_a_segmenter(segment: Segmenter) -> None:
    expected = segment(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(segment, [TEXTS] * 16))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from Linux")
def test_memory_does_not_grow(segment: Segmenter) -> None:
    def work(seed: int) -> None:
        sizes = np.random.default_rng(seed).integers(1, 300, 60)
        segment(["商品和服务" * int(size) for size in sizes])

    for seed in range(3):
        work(seed)
    before = _resident()
    for seed in range(12):
        work(seed)
    assert _resident() - before < 30 << 20


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
