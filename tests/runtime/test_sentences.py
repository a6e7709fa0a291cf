"""From the scores of gaps to words, whatever the scores are."""

from __future__ import annotations

import numpy as np

from fenjie.lexicon import Lexicon
from fenjie.lexicon.indexer import Indexer
from fenjie.runtime.batching import Batch, Limits
from fenjie.runtime.sentences import SentenceReader
from fenjie.text.normalise import Normaliser
from fenjie.text.vocabulary import Vocabulary

LETTERS = "abcdefgh商品和服务"
INDEXER = Indexer(Vocabulary(LETTERS))


def reader(**settings: bool) -> SentenceReader:
    limits = Limits(window=6, overlap=2, first=1, characters=20, padding=2)
    return SentenceReader(Normaliser(), INDEXER, limits=limits, **settings)


def all_parted(batch: Batch) -> np.ndarray:
    """Scores that make every gap a boundary."""
    gaps = np.zeros((len(batch.ids), batch.ids.shape[1] - 1, 2), np.float32)
    gaps[..., 1] = 1
    return gaps


def none_parted(batch: Batch) -> np.ndarray:
    return -all_parted(batch)


def words(texts: list[str], score: object, **settings: bool) -> list[list[str]]:
    found = reader(**settings).read(texts).sentences(score)  # type: ignore[arg-type]
    assert [sentence.text for sentence in found] == texts
    return [sentence.words for sentence in found]


def test_the_scores_decide_between_characters() -> None:
    assert words(["商品和服务", "", "商"], all_parted) == [[*"商品和服务"], [], ["商"]]
    assert words(["商品和服务" * 3], none_parted) == [["商品和服务" * 3]]


def test_whitespace_and_sentences_part_words_whatever_the_scores() -> None:
    assert words(["商品  和\n服务"], none_parted) == [["商品", "  ", "和", "\n", "服务"]]


def test_rules_keep_what_is_one() -> None:
    assert words(["商abc品"], all_parted) == [["商", "abc", "品"]]
    assert words(["商abc品"], all_parted, keep_unsplittable=False) == [[*"商abc品"]]


def test_a_gap_that_two_windows_score_is_decided_once() -> None:
    rng = np.random.default_rng(0)
    text = "".join(rng.choice(list(LETTERS[-5:]), size=50))

    def by_ids(batch: Batch) -> np.ndarray:
        gaps = np.zeros((len(batch.ids), batch.ids.shape[1] - 1, 2), np.float32)
        gaps[..., 1] = (batch.ids[:, 1:, 0] % 2) - 0.5
        return gaps

    (found,) = words([text], by_ids)
    ids = INDEXER(text)[:, 0]
    starts = np.cumsum([0, *map(len, found)])[:-1].tolist()
    assert starts == [0, *(place for place in range(1, 50) if ids[place] % 2)]


def test_known_words_go_before_unknown_ones_where_the_scores_are_in_doubt() -> None:
    indexer = Indexer(Vocabulary(LETTERS), None, [Lexicon.build(["和服务", "商品"])])
    limits = Limits(window=6, overlap=2, first=1, characters=20, padding=2)
    settings = Normaliser(compatibility=True), indexer, True, limits

    def before_two(batch: Batch) -> np.ndarray:
        """Scores that part 和, 服 and the letter g from what stands before them."""
        gaps = np.zeros((len(batch.ids), batch.ids.shape[1] - 1, 2), np.float32)
        parts = np.isin(batch.ids[:, 1:, 0], indexer("和服g")[:, 0])
        gaps[..., 1] = np.where(parts, 1, -1)
        return gaps

    def cut(texts: list[str], doubt: float) -> list[list[str]]:
        found = SentenceReader(*settings, doubt).read(texts).sentences(before_two)
        return [sentence.words for sentence in found]

    texts = ["商品和服务", "商品和 服务", "和\n服务", "", "和服务㎏", "商品商品和服务商品和服务"]
    before = [["商品", "和", "服务"], ["商品", "和", " ", "服务"], ["和", "\n", "服务"], []]
    assert cut(texts[:4], 0) == cut(texts[:4], 0.9) == before
    after = [
        ["商品", "和服务"],
        *before[1:],
        ["和", "服务㎏"],
        ["商品商品", "和", "服务商品", "和服务"],
    ]
    assert cut(texts, 1.1) == after == [cut([text], 1.1)[0] for text in texts]
