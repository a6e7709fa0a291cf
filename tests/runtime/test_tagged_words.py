"""A model that tags words, as a segmenter."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.decoding.beginnings import log_odds
from fenjie.runtime.decoding.forward_backward import Steps
from fenjie.runtime.load import load_entity_tagger, load_segmenter
from fenjie.runtime.segmenter import Segmenter

TEXTS = ["", " ", "商", "商品和服务", "商品　和\t服务\r\n", "市场价格3.5%", "商品和服务。" * 300]


@pytest.fixture
def segment(tiny_words: Path) -> Segmenter:
    return load_segmenter(tiny_words)


def test_it_is_loaded_as_what_it_is_for(tiny_words: Path) -> None:
    assert isinstance(fenjie.load(tiny_words), Segmenter)
    assert isinstance(load_segmenter(tiny_words), Segmenter)
    with pytest.raises(FenjieError, match="for the task 'segment'; expected 'ner'; fenjie segment"):
        load_entity_tagger(tiny_words)
    with pytest.raises(FenjieError, match="no standard 'pku'; expected none"):
        fenjie.load(tiny_words, standard="pku")


def test_words_begin_where_the_crf_says(segment: Segmenter) -> None:
    text = "商品和服务的市场价格"
    folder = segment.folder
    scored = segment._reader.read([text])._lattices.scored(segment._score)  # type: ignore[union-attr]
    ((passage,),) = scored
    steps = Steps.of(folder.transitions)
    lengths = np.array([len(text)])
    (expected,) = log_odds(passage.scores[None], lengths, steps, folder.tags.begins)
    (found,) = segment.log_odds([text])
    np.testing.assert_array_equal(found[1:], expected[1:])
    starts = [0, *(at for at in range(1, len(text)) if expected[at] > 0)]
    assert [span.start for span in segment(text).spans] == starts


def test_a_list_is_its_texts_and_a_long_text_its_lines(segment: Segmenter) -> None:
    alone = [segment(text) for text in TEXTS]
    assert segment(TEXTS) == alone
    assert all(sentence.tiled for sentence in alone)
    line = "商品和服务的市场价格\n"
    assert segment.cut(line * 4000) == segment.cut(line) * 4000


def test_user_words_and_rules_go_before_the_model(segment: Segmenter) -> None:
    segment.words.add("品和服", force=True)
    assert "品和服" in segment.cut("商品和服务")
    assert "iPhone15" in segment.cut("和iPhone15商品")
    assert segment.cut("商品 和")[-2:] == [" ", "和"]


def test_copies_and_other_processes(segment: Segmenter) -> None:
    segment.words.add("品和服", force=True)
    other = segment.copy()
    other.words.remove("品和服")
    again = pickle.loads(pickle.dumps(segment))
    assert again.cut(TEXTS) == segment.cut(TEXTS) != other.cut(TEXTS)


def test_pytorch_finds_the_same_words(tiny_words: Path, segment: Segmenter) -> None:
    from fenjie.store.load import predict

    assert predict(segment.folder, TEXTS) == segment(TEXTS)
