"""The tagger of entities around a made-up network: what must hold whatever the scores are."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fenjie
from fenjie.errors import FenjieError, FileError
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.units import UnitVectors
from fenjie.lexicon.word_vectors import WordVectors
from fenjie.runtime import parts, scorer
from fenjie.runtime.checksums import seal
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.load import load_entity_tagger, load_segmenter
from fenjie.runtime.model_files import TRANSITIONS
from fenjie.text.span import Entity, Sentence, Span
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import Vocabulary, bigrams

TEXT = "张三丰和李小福在北京大学说：ＡＢＣ３㎏。"
WORDS = ["张", "三", "丰", "张三", "张三丰", "北京", "北京大学", "大学", "李小福", "小福"]
TEXTS = [
    "", " ", "\n\n", "张", TEXT, "张三丰 和\n李小福\r\n", TEXT * 40, "😂👨‍👩‍👧", "\0\x01", "\ud800",
    "مرحبا بالعالم", "北京大学" * 300, "e\u0301\u3000北　京",
]  # fmt: skip


class Network:
    """Stands for a session: scores by character, and by the vectors of the words around it."""

    def __init__(self, path: Path, threads: int, inputs: tuple[str, ...]) -> None:
        self.reads_words = "vectors" in inputs
        self.inputs = inputs[:6]
        self.calls: list[tuple[NDArray[Any], ...]] = []
        self.table = np.random.default_rng(0).normal(size=(1000, 9)).astype(np.float32)

    def __call__(self, *values: NDArray[Any], release: bool = False) -> NDArray[np.float32]:
        self.calls.append(values)
        assert len(values) == (6 if self.reads_words else 2)
        scores = 2 * self.table[values[0][..., 0] % 1000]
        if self.reads_words:
            _, _, start, end, words, vectors = values
            assert vectors.shape == (*start.shape, 4)
            assert start.shape[1] >= 1
            for row, count in enumerate(words.tolist()):
                for word in range(count):
                    scores[row, start[row, word] : end[row, word] + 1, 1:5] += vectors[row, word]
        return scores


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a folder of a model of entities, without a network."""
    monkeypatch.setattr(scorer, "Session", Network)

    def made(words: list[str] | None = WORDS, text: str = "") -> Path:
        folder = tmp_path / "model"
        folder.mkdir()
        Indexer(Vocabulary.count(TEXT), Vocabulary.count(bigrams(TEXT))).save(folder)
        (folder / "config.toml").write_text(
            f'format = 1\nname = "tiny"\ntask = "ner"\narchitecture = "flat"\n[text]\n{text}\n'
        )
        (folder / "labels.txt").write_text("LOC\nPER\n")
        (folder / "model.onnx").write_bytes(b"")
        tags = TagSet(["LOC", "PER"])
        legal = np.concatenate((tags.allowed, [tags.begins, tags.ends]))
        np.save(folder / TRANSITIONS, np.where(legal, 0, -np.inf).astype(np.float32))
        if words is not None:
            vectors = np.random.default_rng(1).normal(size=(len(words), 4))
            WordVectors(UnitVectors.build(words, [1] * len(words), vectors)).save(folder)
        seal(folder)
        return folder

    return made


@pytest.fixture
def tag(make: Make) -> EntityTagger:
    return load_entity_tagger(make())


def check(sentence: Sentence, text: str) -> None:
    """What holds of every result."""
    assert sentence.text == text
    last = 0
    for entity in sentence.entities:
        assert last <= entity.start < entity.end
        assert text[entity.start : entity.end] == entity.text
        assert entity.text == entity.text.strip()
        assert entity.confidence is not None
        assert 0 <= entity.confidence <= 1
        last = entity.end


def certain(entity: Entity) -> bool:
    """Whether the user forces it."""
    return entity.confidence == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("words", [WORDS, None])
def test_a_list_is_its_texts(make: Make, words: list[str] | None) -> None:
    tag = load_entity_tagger(make(words))
    alone = [tag(text) for text in TEXTS]
    assert tag(TEXTS) == alone
    assert tag(text for text in TEXTS) == alone
    assert list(tag.stream(TEXTS)) == alone
    assert tag([]) == []
    for text, sentence in zip(TEXTS, alone, strict=True):
        check(sentence, text)
    assert sum(len(sentence.entities) for sentence in alone) > 9


def test_entities_are_spans_with_their_texts() -> None:
    spans = (Span(0, 2, "PER", 0.5), Span(2, 3), Span(3, 5, "LOC"))
    assert Sentence("张三在北京", spans).entities == [
        Entity("张三", "PER", 0, 2, 0.5),
        Entity("北京", "LOC", 3, 5),
    ]


def test_entities_of_some_labels_alone(tag: EntityTagger) -> None:
    assert tag.labels == ("LOC", "PER")
    persons = tag.only(["PER", "PER"])
    assert persons.labels == ("PER",)
    expected = [sentence.only({"PER"}) for sentence in tag(TEXTS)]
    assert persons(TEXTS) == expected != tag(TEXTS)
    assert list(persons.stream(TEXTS, workers=1)) == expected
    assert persons.copy().labels == persons.labels
    again = pickle.loads(pickle.dumps(persons))
    assert again.labels == persons.labels and again(TEXTS) == expected
    assert persons.only(tag.labels)(TEXTS) == tag(TEXTS)
    persons.lexicon.add("和李", label="LOC", force=True)
    assert not any(span.label == "LOC" for span in persons(TEXT).spans)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["PER", "ORG"], "the model knows no label 'ORG'; expected some of LOC, PER"),
        ([None], "the model knows no label None"),
        ([], "found no label; expected some of LOC, PER"),
        ("PER", "found 'PER'; expected labels, such as a list of them"),
    ],
)
def test_labels_that_the_model_does_not_know(tag: EntityTagger, labels: Any, message: str) -> None:
    with pytest.raises(FenjieError, match=message):
        tag.only(labels)


def test_long_texts_are_cut_at_paragraphs(
    tag: EntityTagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "张三丰和李小福。\n\n  在北京大学说\n" * 40
    whole = tag(text)
    monkeypatch.setattr(parts, "PART", 50)
    assert tag(text) == whole
    assert tag([text, "北京", text]) == [whole, tag("北京"), whole]
    check(tag(text), text)


def test_threads_share_a_tagger(tag: EntityTagger) -> None:
    expected = tag(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(tag, [TEXTS] * 8))


def test_added_words_are_seen_at_once(tag: EntityTagger) -> None:
    def words() -> int:
        tag("福在北京说")
        return int(tag._score._session.calls[-1][4][0])  # type: ignore[attr-defined]

    assert words() == 1
    tag.lexicon.add("福在", "京说", "福在")
    assert words() == 3
    assert "福在" in tag.lexicon
    tag.lexicon.remove("福在", "北京")
    assert words() == 1
    assert "北京" not in tag.lexicon
    tag.lexicon.add("北京")
    assert words() == 2
    assert len(tag.lexicon) == 8
    assert tag.lexicon.entities == {}


def test_forced_words_are_entities(tag: EntityTagger) -> None:
    text = "他和小福说，小福 说ａｂ ab福"
    tag.lexicon.add("和小", "小福说", "ab", label="PER", force=True)
    tag.lexicon.add("，", "和小福", label="LOC", force=True)
    sentence = tag(text)
    check(sentence, text)
    found = [(e.text, e.label) for e in sentence.entities if certain(e)]
    assert found == [
        ("和小福", "LOC"), ("，", "LOC"), ("ａｂ", "PER"), ("ab", "PER"),
    ]  # fmt: skip
    assert "小福说" in tag.lexicon
    assert tag.lexicon.entities["ab"] == "PER"
    tag.lexicon.add("和小福", label="PER", force=True)
    assert ("和小福", "PER") in [(e.text, e.label) for e in tag(text).entities]
    tag.lexicon.remove("和小", "小福说", "ab", "，", "和小福")
    assert tag.lexicon.entities == {}
    assert not [e for e in tag(text).entities if certain(e)]


def test_preferred_words_are_entities_where_the_model_allows(tag: EntityTagger) -> None:
    text = "他和小福说，小福 说ａｂ ab福"
    plain = tag(text)
    tag.lexicon.add("小福说", "ab", label="PER", weight=1e30)
    sentence = tag(text)
    check(sentence, text)
    found = [(e.text, e.label) for e in sentence.entities]
    assert {("小福说", "PER"), ("ａｂ", "PER"), ("ab", "PER")} <= set(found)
    assert all(0.5 < e.confidence <= 1 for e in sentence.entities if e.text == "小福说")
    assert tag.lexicon.entities["ab"] == "PER"
    tag.lexicon.add("他和", label="LOC", force=True)
    assert ("他和", "LOC") in [(e.text, e.label) for e in tag(text).entities]
    tag.lexicon.remove("小福说", "ab", "他和")
    assert tag(text) == plain


def test_words_of_symbols_are_forced(tag: EntityTagger) -> None:
    tag.lexicon.add("😂福", label="PER", weight=1)
    text = "说😂福"
    assert ("😂福", "PER") in [(e.text, e.label) for e in tag(text).entities]


def test_a_forced_entity_holds_pieces_together(tag: EntityTagger) -> None:
    text = "张三丰说。" * 50
    name = "丰说。张三丰"
    tag.lexicon.add(name, label="PER", force=True)
    sentence = tag(text)
    check(sentence, text)
    first = [e for e in sentence.entities if e.text == name]
    assert len(first) == text.count(name)
    tag.lexicon.add("和" * 1000, label="LOC", force=True)
    (only,) = tag("和" * 1000).entities
    assert certain(only)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_any_stretch_may_be_forced(tag: EntityTagger, size: int) -> None:
    text = "张三丰 和\n李小福在北京大学说：“４２”"
    for start in range(len(text) - size + 1):
        word = text[start : start + size]
        if any(map(str.isspace, word)) or word in "４２":
            continue
        tag.lexicon.add(word, label="LOC", force=True)
        sentence = tag(text)
        check(sentence, text)
        tag.lexicon.remove(word)
        inside_number = word[-1] == "４" or word[0] == "２"
        sure = [e for e in sentence.entities if e.text == word and e.label == "LOC"]
        assert len(sure) == (not inside_number)
        assert all(e.confidence == pytest.approx(1) for e in sure)


def test_a_name_with_spaces_is_found_where_each_is_one_space(make: Make) -> None:
    tag = load_entity_tagger(make())
    tag.lexicon.add("Tim  Cook", "李 四", label="PER", force=True)
    texts = [
        "说Tim Cook和Tim\u3000Cook，",
        "TimCook，Tim  Cook",
        "Tim\nCook和Tim Cooks",
        "李 四说李四",
    ]
    found = [[e.text for e in one.entities if certain(e)] for one in tag(texts)]
    assert found == [["Tim Cook", "Tim\u3000Cook"], [], [], ["李 四"]]
    for text, names in zip(texts, found, strict=True):
        sentence = tag("，" * 999 + text)
        assert [e.text for e in sentence.entities if certain(e)] == names
        check(sentence, "，" * 999 + text)


def test_words_are_normalised_as_texts_are(make: Make) -> None:
    tag = load_entity_tagger(make(text="compatibility = true\ndigits = true"))
    tag.lexicon.add("㎏", "e\u0301", "７", label="LOC", force=True)
    found = [e.text for e in tag("3㎏，kg，\u00e9，e\u0301，7，8").entities if certain(e)]
    assert found == ["㎏", "kg", "\u00e9", "e\u0301", "7"]


@pytest.mark.parametrize(
    "words",
    [{"小福说": "PER", "福在": None, "，": None}, "words.txt", ["福在"]],
)
def test_words_from_the_start(make: Make, tmp_path: Path, words: object) -> None:
    file = tmp_path / "words.txt"
    file.write_bytes("\ufeff小福说 3 per\r\n# 福\r\n\r\n福在 5 n\r\n， 3 x\r\n".encode())
    given: Any = file if words == "words.txt" else words
    tag = fenjie.load(make(), words=given)
    assert isinstance(tag, EntityTagger)
    assert "福在" in tag.lexicon
    assert "，" not in tag.lexicon
    assert tag.lexicon.entities == ({} if isinstance(words, list) else {"小福说": "PER"})


def test_refused_words(tag: EntityTagger, make: Make, tmp_path: Path) -> None:
    before = len(tag.lexicon)
    with pytest.raises(FenjieError, match="no label 'PRE'; expected one of LOC, PER"):
        tag.lexicon.add("云", label="PRE")
    with pytest.raises(FenjieError, match="whitespace"):
        tag.lexicon.add("云计算", "a b")
    with pytest.raises(FenjieError, match="2 to 31 characters"):
        tag.lexicon.add("云计算", "云")
    with pytest.raises(FenjieError, match="no word of the lexicon: '没有'"):
        tag.lexicon.remove("北京", "没有")
    with pytest.raises(FenjieError, match="expected one of LOC, PER"):
        tag.lexicon.update({"云": "PER", "云计算": None, "算": "X"})
    file = tmp_path / "words.txt"
    file.write_text("云计算 PER\n云 ORG\n")
    with pytest.raises(FileError, match=r"words.txt:2: neither a label .* found 'ORG'; expected"):
        tag.lexicon.read(file)
    file.write_bytes("云计算 PER\n".encode("gb18030"))
    with pytest.raises(FileError, match=r"words.txt:1: not utf-8"):
        tag.lexicon.read(file)
    assert len(tag.lexicon) == before


def test_a_model_that_reads_no_words(make: Make) -> None:
    tag = load_entity_tagger(make(None))
    with pytest.raises(FenjieError, match="reads characters alone"):
        tag.lexicon.add("云计算")
    with pytest.raises(FenjieError, match="no word with a label: '云计算'"):
        tag.lexicon.remove("云计算")
    tag.lexicon.add("云计算", label="PER")
    assert "云计算" in tag.lexicon
    assert [e.text for e in tag("云计算").entities] == ["云计算"]


def test_a_copy_has_words_of_its_own(tag: EntityTagger) -> None:
    tag.lexicon.add("福在")
    tag.lexicon.add("和小", label="PER", force=True)
    other = tag.copy()
    other.lexicon.add("京说")
    other.lexicon.add("小福说", label="LOC", force=True)
    other.lexicon.remove("福在", "北京", "和小")
    assert "福在" in tag.lexicon and "北京" in tag.lexicon and "京说" not in tag.lexicon
    assert tag.lexicon.entities == {"和小": "PER"}
    assert "京说" in other.lexicon and "福在" not in other.lexicon
    assert other.lexicon.entities == {"小福说": "LOC"}
    tag.lexicon.add("在北")
    assert "在北" not in other.lexicon
    text = "他和小福说"
    assert [e.text for e in other(text).entities if certain(e)] == ["小福说"]
    assert [e.text for e in tag(text).entities if certain(e)] == ["和小"]

    def words(one: EntityTagger) -> int:
        one("福在北京说")
        return int(one._score._session.calls[-1][4][0])  # type: ignore[attr-defined]

    assert (words(tag), words(other)) == (3, 1)


def test_a_copy_of_a_model_that_reads_no_words(make: Make) -> None:
    tag = load_entity_tagger(make(None))
    other = tag.copy()
    other.lexicon.add("云计算", label="PER")
    assert [e.text for e in other("云计算").entities] == ["云计算"]
    assert tag.lexicon.entities == {}


def test_models_of_another_task(make: Make, tiny_model: Path) -> None:
    with pytest.raises(FenjieError, match="a model for the task 'ner'; expected 'segment'"):
        load_segmenter(make())
    with pytest.raises(FenjieError, match="a model for the task 'segment'; expected 'ner'"):
        load_entity_tagger(tiny_model)


def test_damaged_folders(make: Make) -> None:
    folder = make()
    labels = (folder / "labels.txt").read_bytes()
    for content, message in [
        ("LOC\n", r"transitions.npy: does not fit labels.txt; found"),
        ("LOC\nLOC\n", r"labels.txt: empty or repeated label"),
    ]:
        (folder / "labels.txt").write_text(content)
        seal(folder)
        with pytest.raises(FileError, match=message):
            load_entity_tagger(folder)
    (folder / "labels.txt").write_bytes(labels)
    (folder / TRANSITIONS).unlink()
    seal(folder)
    with pytest.raises(FileError, match=r"transitions.npy: the model has no such file"):
        load_entity_tagger(folder)
