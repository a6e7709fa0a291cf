"""What a segmenter is trained on: its sentences, and the words that it is shown or knows."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from fenjie.corpus import write
from fenjie.evaluation.standard_scores import StandardScores
from fenjie.lexicon.indexer import Indexer
from fenjie.recipe.recipe import VocabularyRecipe, loads
from fenjie.tasks.segmentation import (
    Segmentation,
    make_indexers,
    single_sentences,
    without_whitespace,
)
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence

CPU = torch.device("cpu")
MODEL = "[model]\ndim = 8\nheads = 2\nhidden = 8\nlayers = 2\n"


def words(*texts: str) -> list[Sentence]:
    return [Sentence.from_words(text.split()) for text in texts]


def test_a_word_with_whitespace_inside_becomes_several() -> None:
    sentence = Sentence.from_words(["王 小明", " ", "在", "北\u3000京"])
    assert without_whitespace(sentence).words == ["王", "小明", "在", "北", "京"]


def test_a_line_is_cut_after_sentences_where_a_word_ends_too() -> None:
    (line,) = words("来 。 走 吧 ！好 了 。 去")
    found = [" ".join(sentence.words) for sentence in single_sentences(line)]
    assert found == ["来 。", "走 吧 ！好", "了 。", "去"]


def known(indexer: Indexer, word: str) -> bool:
    """Whether a word of two characters is found by the last lexicon."""
    return bool(indexer.lexicons[-1].match(word).word.size)


def test_the_rarest_words_are_hidden_while_a_model_is_trained() -> None:
    """Always known in training, and never in new text, they would be trusted too much."""
    train = words("北京 很 大", "北京 和 上海", "北京 上海 天津")
    recipe = VocabularyRecipe(words=2)
    indexer, training = make_indexers([train], [None], recipe, Normaliser())
    found = {w: (known(indexer, w), known(training, w)) for w in ("北京", "上海", "天津")}
    assert found == {"北京": (True, True), "上海": (True, False), "天津": (False, False)}


def test_each_standard_has_the_words_of_its_own_corpora(tmp_path: Path) -> None:
    """And all those of a dictionary, and those that all standards together have often enough."""
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("广州 9\n", encoding="utf-8")
    recipe = VocabularyRecipe(words=2, lexicon=(str(dictionary),))
    parts = [words("北京 上海", "北京"), words("天津 上海", "天津")]
    indexer, _ = make_indexers(parts, ["one", "two"], recipe, Normaliser())
    of_both = {"广州", "北京", "上海", "天津"}
    for standard, own in (("one", {"北京"}), ("two", {"天津"})):
        reads = indexer.of(standard)
        assert {word for word in of_both if known(reads, word)} == own
        general = reads.lexicons[0]
        assert {word for word in of_both if general.match(word).word.size} == of_both


def test_words_of_the_held_out_share_are_new_on_dev_and_known_on_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    write(words("一 二", "三 四", "五 六", "七 八", "九 十"), "one.txt", "spaced")
    write(words("甲 乙", "丙 丁", "戊 己", "庚 辛", "壬 癸"), "two.txt", "spaced")
    files = 'train = ["{0}.txt"]\ndev = 0.2\ntest = ["{1}.txt"]\n'
    one = Segmentation(loads("[data]\n" + files.format("one", "one") + MODEL))
    assert (one.dev(CPU).oov, one.test("one.txt", CPU).oov) == (2, 0)
    corpus = '[[data.corpora]]\nstandard = "{0}"\n' + files
    both = corpus.format("one", "two") + corpus.format("two", "one")
    task = Segmentation(loads(both + MODEL))
    dev = task.dev(CPU)
    assert isinstance(dev, StandardScores)
    assert {name: scores.oov for name, scores in dev.standards.items()} == {"one": 2, "two": 2}
    assert task.test("two.txt", CPU).oov == 10, "words of another standard are new"
