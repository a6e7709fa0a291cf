"""One way from texts to batches: row, passages, windows, batches."""

from __future__ import annotations

from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.lexicon import Lexicon
from fenjie.runtime.batching import Limits
from fenjie.runtime.reading import Reader
from fenjie.text.normalise import Normaliser
from fenjie.text.split import sentences
from fenjie.text.vocabulary import Vocabulary

LIMITS = Limits(window=8, overlap=2, first=0, characters=100, padding=4)
INDEXER = Indexer(Vocabulary("在北京大学说好上海。"))


def test_each_character_of_each_text_is_read() -> None:
    reader = Reader(Normaliser(), INDEXER, sentences, LIMITS)
    texts = ["在北京 大学。\n说好", "", "在上海" * 5]
    row, edges = reader.row(texts)
    assert len(row.codes) == sum(not character.isspace() for character in "".join(texts))
    assert len(edges) == 4, "three passages: two sentences, then one"
    view = reader.view(row, edges)
    read = [0] * len(row.codes)
    for batch in view.batches():
        for number, length, ids in zip(batch.windows, batch.lengths, batch.ids, strict=True):
            start = int(view.windows.start[number])
            own = INDEXER("".join(map(chr, row.codes[start : start + length].tolist())))
            assert ids[:length, 0].tolist() == own[:, 0].tolist()
            for place in range(start, start + int(length)):
                read[place] += 1
    assert min(read) == 1
    assert max(read) > 1, "windows of a long passage overlap"


def test_words_are_found_within_a_passage() -> None:
    lexicon = Lexicon.build(["北京", "大学说"])
    reader = Reader(Normaliser(), INDEXER, sentences, LIMITS, lexicon)
    found = []
    for text in ("在北京大学。说好", "在北京大学说"):
        row, edges = reader.row([text])
        for batch in reader.view(row, edges).batches():
            for starts, ends, count in zip(batch.start, batch.end, batch.words, strict=True):
                found += list(zip(starts[:count].tolist(), ends[:count].tolist(), strict=True))
    assert sorted(found) == [(1, 2), (1, 2), (3, 5)]


def test_words_of_a_view_count_once() -> None:
    lexicon = Lexicon.build(["北京", "上海", "海上"])
    reader = Reader(Normaliser(), INDEXER, sentences, LIMITS, lexicon)
    view = reader.view(*reader.row(["在 北京", "", "上海" * 8]))
    assert len(view.windows.start) > 2, "some words are in two windows"
    start, end = view.words()
    assert start.tolist() == [1, *range(3, 18)] and (end - start == 2).all()
    nothing = reader.view(*reader.row(["说好"])).words()
    assert [len(column) for column in nothing] == [0, 0]
