"""Lattices out of texts, and entities out of their scores."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.lexicon import Lexicon
from fenjie.runtime.batching import Batch
from fenjie.runtime.decoding.crf import viterbi
from fenjie.runtime.decoding.entities import Decoder
from fenjie.runtime.lattices import LatticeReader
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Span
from fenjie.text.split import PASSAGE, window_of
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

TEXT = "张三丰和李小福在北京大学说：ＡＢＣ３㎏。"
WORDS = ["张三", "张三丰", "北京", "北京大学", "大学", "李小福", "小福"]
TAGS = TagSet(["LOC", "PER"])


class Scorer:
    """Scores that depend on a character and on the words that begin or end with it."""

    def __init__(self, tags: TagSet = TAGS) -> None:
        random = np.random.default_rng(1)
        self.characters = random.normal(size=(100, len(tags))).astype(np.float32)
        self.words = random.normal(size=(100, len(tags))).astype(np.float32)
        self.seen: list[Batch] = []

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        self.seen.append(batch)
        scores = self.characters[batch.ids[..., 0] % 100]
        for row, count in enumerate(batch.words.tolist()):
            for number in range(count):
                value = self.words[batch.word[row, number] % 100]
                scores[row, batch.start[row, number]] += value
                scores[row, batch.end[row, number]] -= value
        return scores


def table(tags: TagSet = TAGS, *, legal: bool = True) -> NDArray[np.float32]:
    made = np.random.default_rng(2).normal(size=(len(tags) + 2, len(tags))).astype(np.float32)
    allowed = np.concatenate((tags.allowed, [tags.begins, tags.ends]))
    return np.where(allowed, made, -np.inf) if legal else made


def reader(
    words: list[str] | None = WORDS,
    batch: int = 1000,
    passage: int = PASSAGE,
    **settings: bool,
) -> LatticeReader:
    normaliser = Normaliser(**settings)
    text = normaliser(TEXT).text
    indexer = Indexer(Vocabulary.count(text), Vocabulary.count(bigrams(text)))
    lexicon = None if words is None else Lexicon.build(words)
    return LatticeReader(normaliser, indexer, lexicon, batch, passage=passage)


def found(
    text: str, by: LatticeReader, tags: TagSet = TAGS, *, legal: bool = True
) -> tuple[Span, ...]:
    return by.read([text]).entities(Scorer(tags), tags, table(tags, legal=legal))[0]


def edges_of(spans: tuple[Span, ...]) -> set[int]:
    return {edge for span in spans for edge in (span.start, span.end)}


def test_the_model_reads_pieces_and_their_words() -> None:
    texts = ["张三丰 和李小福\n在北京大学。", "", "北京", " \n ", "和"]
    scorer, by = Scorer(), reader(batch=100)
    by.read(texts).entities(scorer, TAGS, table())
    seen = {}
    for batch in scorer.seen:
        for row, length in enumerate(batch.lengths.tolist()):
            ids, count = batch.ids[row, :length], int(batch.words[row])
            assert not batch.ids[row, length:].any()
            columns = [part[row, :count] for part in (batch.start, batch.end, batch.word)]
            assert not any(part[row, count:].any() for part in (batch.start, batch.end, batch.word))
            seen[ids.tobytes()] = sorted(zip(*(column.tolist() for column in columns), strict=True))
    expected = {}
    for piece in ("张三丰和李小福", "在北京大学。", "北京", "和"):
        assert by.finder is not None
        start, end, word = by.finder.match(piece)
        words = zip(start.tolist(), (end - 1).tolist(), word.tolist(), strict=True)
        expected[by.indexer(piece).tobytes()] = sorted(words)
    assert seen == expected


def test_the_best_tags_become_spans() -> None:
    text = "张三丰和李小福在北京大学说"
    for tags in (TAGS, TagSet(["A", "B", "C"]), TagSet([])):
        scorer, by = Scorer(tags), reader()
        by.read([text]).entities(scorer, tags, table(tags))
        (batch,) = scorer.seen
        path = viterbi(scorer(batch), batch.lengths, table(tags))
        assert found(text, by, tags) == tags.decode(path[0])


def test_ill_formed_tags_are_repaired() -> None:
    loose = table(legal=False)
    scorer = Scorer()
    (spans,) = reader().read([TEXT[:14]]).entities(scorer, TAGS, loose)
    path = viterbi(scorer(scorer.seen[0]), scorer.seen[0].lengths, loose)
    assert spans == TAGS.decode(path[0])


@pytest.mark.parametrize("words", [WORDS, [], None])
def test_texts_together_are_texts_alone(words: list[str] | None) -> None:
    texts = ["", " ", TEXT * 30, TEXT, "和", "\n\n", TEXT[:5], *(TEXT[i:] for i in range(12))]
    by = reader(words)
    alone = [found(text, by) for text in texts]
    assert by.read(texts).entities(Scorer(), TAGS, table()) == alone
    reading = reader(words, batch=100).read(texts)
    assert reading.entities(Scorer(), TAGS, table()) == alone
    assert reading.entities(Scorer(), TAGS, table()) == alone  # again
    assert by.read([]).entities(Scorer(), TAGS, table()) == []


def test_a_long_sentence_is_scored_in_windows_and_decoded_whole() -> None:
    text = "张三丰和李小福在北京大学说，" * 60
    whole = found(text, reader(passage=1000))
    scorer = Scorer()
    texts = ["和", text, TEXT, text[:61], text[:60]]
    found_ = reader(passage=40).read(texts).entities(scorer, TAGS, table())
    assert max(batch.ids.shape[1] for batch in scorer.seen) == window_of(40) == 60
    assert found_[1] == whole
    assert found_[2] == found(TEXT, reader())


def test_a_line_is_read_in_passages() -> None:
    scorer, text = Scorer(), TEXT * 5
    reading = reader(passage=2 * len(TEXT)).read([text])
    assert np.diff(reading.edges).tolist() == [2 * len(TEXT), 2 * len(TEXT), len(TEXT)]
    whole = found(text, reader())
    assert reading.entities(scorer, TAGS, table())[0] == whole


class Fixed:
    """Scores that make given tags the best ones."""

    def __init__(self, tags: str) -> None:
        numbers = {"O": 0, "B": 1, "M": 2, "E": 3, "S": 4}
        self.numbers = [numbers[tag] for tag in tags]

    def __call__(self, batch: Batch) -> NDArray[np.float32]:
        scores = np.zeros((*batch.ids.shape[:2], 5), dtype=np.float32)
        scores[0, np.arange(len(self.numbers)), self.numbers] = 1
        return scores


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("北 京\n", "BE", ["北 京"]),
        (" 北\n", "S", ["北"]),
        ("北㎏京", "OSOO", ["㎏"]),  # 北 k g 京
        ("北㎏京", "OBEO", ["㎏"]),
        ("北㎏京", "BEOO", ["北㎏"]),
        ("北㎏京", "BESO", ["北㎏"]),
        ("北㎏京", "OOBE", ["京"]),
        ("北e\u0301京", "OSO", ["e\u0301"]),
        ("北e\u0300\u0300京", "SBEO", ["北", "e\u0300\u0300"]),
        ("北q\u0301\u0302京", "OSOOO", ["q\u0301\u0302"]),
        ("北q\u0301\u0302京", "OOOBE", ["京"]),
        ("北q\u0301\u0302京", "OBESO", ["q\u0301\u0302"]),
        ("北q\u0301\u0302 京", "OOOBE", ["京"]),
        ("北 \u0301京", "OSS", ["\u0301", "京"]),
        ("\u0600 京", "SS", ["\u0600", "京"]),
        ("q\u0301\u0302", "OOS", []),
    ],
)
def test_offsets(text: str, tags: str, expected: list[str]) -> None:
    only = TagSet(["X"])
    by = reader(None, compatibility="㎏" in text or "\u0301" in text or "\u0300" in text)
    allowed = np.concatenate((only.allowed, [only.begins, only.ends]))
    legal = np.where(allowed, 0.0, -np.inf)
    (spans,) = by.read([text]).entities(Fixed(tags), only, legal)
    assert [span.of(text) for span in spans] == expected
    (_, spans, _) = by.read(["\n", text, ""]).entities(Fixed(tags), only, legal)
    assert [span.of(text) for span in spans] == expected


def test_confidence_is_the_share_of_the_paths() -> None:
    only = TagSet(["X"])
    allowed = np.concatenate((only.allowed, [only.begins, only.ends]))
    legal = np.where(allowed, 0.0, -np.inf)
    # Of two characters: O O, O S, S O, S S, B E
    (spans,) = reader().read(["北京"]).decoded(Fixed("BE"), Decoder(only, legal, True))
    weights = np.exp([0, 0, 0, 0, 2])
    assert [span.confidence for span in spans] == pytest.approx([weights[-1] / weights.sum()])
    plain = reader().read(["北京"]).entities(Fixed("BE"), only, legal)[0]
    assert plain[0].confidence is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("找a@b.com张", ["找", "张"]),
        ("见https://a.cn/张三吧", ["见", "张三吧"]),
        ("张😂三", ["张", "三"]),
        ("二○○八", ["二○○八"]),
        ("看www.a.com/张", ["看", "张"]),
    ],
)
def test_no_name_is_made_of_emoji_and_addresses(text: str, expected: list[str]) -> None:
    """A model that would take everything for one name."""
    tags = TagSet(["PER"])

    def score(batch: Batch) -> NDArray[np.float32]:
        scores = np.zeros((*batch.ids.shape[:2], len(tags)), dtype=np.float32)
        scores[..., 0] = -9
        scores[..., 2] = 9
        return scores

    legal = np.concatenate((tags.allowed, [tags.begins, tags.ends]))
    reading = LatticeReader(Normaliser(), Indexer(Vocabulary("张三")), None).read([text])
    (found,) = reading.entities(score, tags, np.where(legal, 0, -np.inf))
    assert [span.of(text) for span in found] == expected


@pytest.mark.parametrize("legal", [True, False])
def test_no_name_is_part_of_a_latin_word_or_number(legal: bool) -> None:
    text = "张三丰ABC北京大学2024说ＡＢＣ、A B和李小福iPhone15在ab张三"
    edges = edges_of(found(text, reader(width=True), legal=legal))
    inside = {place for place in range(1, len(text)) if text[place - 1 : place + 1] in INSIDE}
    assert not edges & inside
    assert edges_of(found(text, reader(), legal=legal))


INSIDE = ["AB", "BC", "20", "02", "24", "ＡＢ", "ＢＣ", "Ph", "ho", "on", "ne", "15", "ab"]


def test_whitespace_parts_latin_words() -> None:
    row = reader().read(["A B\n12 3AB a"]).row  # the model sees AB123ABa
    assert row.closed.nonzero()[0].tolist() == [3, 6]
    row = reader().read(["aB", "AB a", "A\u0085Ba"]).row  # the model sees aBABaABa
    assert row.closed.nonzero()[0].tolist() == [3, 7]
