"""Texts of any length are worked on in parts."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import fenjie
from fenjie.errors import FileError
from fenjie.runtime import annotator, parts
from fenjie.runtime.checksums import seal
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.parts import chunks
from fenjie.runtime.seen import seen_words
from fenjie.runtime.segmenter import Segmenter
from fenjie.text.invisible import visible
from fenjie.text.span import Sentence, Span


@pytest.fixture(scope="module")
def segment(tiny_model: Path) -> Segmenter:
    return fenjie.load(tiny_model)


@pytest.fixture(scope="module")
def tag(tiny_ner: Path) -> EntityTagger:
    return fenjie.load(tiny_ner)


def test_a_tagger_shows_its_model(tag: EntityTagger) -> None:
    assert repr(tag) == f"<EntityTagger of {tag.folder.path}>"
    segment = fenjie.load("segment", standard="msr")
    assert repr(segment) == f"<Segmenter of {segment.folder.path}, standard msr>"


def test_long_texts_are_cut_at_paragraphs(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "商品和服务。\n\n  他说的确实在理\n" * 40
    whole = segment(text)
    monkeypatch.setattr(parts, "PART", 50)
    assert len(list(parts.parts(text))) > 5
    assert segment(text) == whole
    assert segment([text, "商品", text]) == [whole, segment("商品"), whole]


def test_a_long_text_is_cut_alike_alone_and_in_a_list(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART", 50)
    line = "商品和服务的价格上涨了" * 20
    assert list(chunks(["短", line, "短", "文"], 99)) == [["短"], [line], ["短", "文"]]
    assert segment(["短", line, "短"]) == [segment("短"), segment(line), segment("短")]


def with_invisible(text: str) -> str:
    """The text with a zero-width space after each character."""
    return "".join(one + "\u200b" for one in text)


@pytest.mark.parametrize("name", ["segment", "segment-fast"])
def test_invisible_characters_change_no_words(name: str) -> None:
    segment = fenjie.load(name)
    segment.words.add("京大\u00ad学的", force=True)
    texts = ["王小明在北京大学的办公室，2015年。", "我用iPhone手机", ""]
    for text, plain, other in zip(
        texts, segment(texts), segment(map(with_invisible, texts)), strict=True
    ):
        assert "".join(other.words) == with_invisible(text)
        assert [visible(word) for word in other.words] == plain.words
    assert "京大学的" in segment.words and "京大学的" in segment(texts[0]).words
    plain, other = segment.log_odds([texts[0], "".join(map(with_invisible, texts[0]))])
    np.testing.assert_allclose(other[::2], plain)
    assert np.isnan(other[1::2]).all()


def test_invisible_characters_change_no_entities() -> None:
    tag = fenjie.load("ner")
    tag.lexicon.add("李教\u200b授", label="PER", force=True)
    text = "王小明和李教授在北京大学"
    plain, other = tag([text, with_invisible(text)])
    assert [(e.text, e.label) for e in plain.entities] == [
        ("王小明", "PER"),
        ("李教授", "PER"),
        ("北京大学", "ORG"),
    ]
    assert [(visible(e.text), e.label, e.start) for e in other.entities] == [
        (e.text, e.label, 2 * e.start) for e in plain.entities
    ]
    assert seen_words(tag, [with_invisible(text)])[0].spans == tuple(
        Span(2 * span.start, 2 * span.end - 1) for span in seen_words(tag, [text])[0].spans
    )


def test_a_long_text_with_invisible_characters(
    segment: Segmenter, tag: EntityTagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "商品和服务。\n他在北京大学的确实在理" * 20
    monkeypatch.setattr(parts, "PART", 50)
    segment = segment.copy()
    segment.words.add("服务。", force=True)
    for annotate in (segment, tag):
        plain, other = annotate([text, with_invisible(text)])
        assert [visible(other.text[span.start : span.end]) for span in other.spans] == [
            text[span.start : span.end] for span in plain.spans
        ]


TEXTS = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


@pytest.mark.slow
def test_workers_find_the_same_with_the_same_user_words(
    tiny_model: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotator, "CHUNK", 20)
    segmenter = fenjie.load(tiny_model, words=["品和服", "说的确实"])
    assert segmenter(TEXTS * 3, workers=2) == segmenter(TEXTS * 3)
    assert segmenter(TEXTS) != fenjie.load(tiny_model)(TEXTS)
    tagger = fenjie.load(tiny_ner, words={"品和": "PER", "天气": None}, force=True)
    tagger.lexicon.remove("服务")
    assert tagger(TEXTS * 3, workers=2) == tagger(TEXTS * 3)
    assert tagger(TEXTS) != fenjie.load(tiny_ner)(TEXTS)
    assert list(tagger.stream([], workers=2)) == []


def test_a_tagger_is_pickled_as_its_folder_and_words(
    tiny_ner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(tiny_ner, tmp_path / "model"))
    tagger = fenjie.load(folder)
    tagger.lexicon.add("天气", "很好")
    tagger.lexicon.remove("很好", "商品")
    pickled = pickle.dumps(tagger)
    assert len(pickled) < 2000
    copy = pickle.loads(pickled)
    assert copy(TEXTS) == tagger(TEXTS)
    assert ("天气" in copy.lexicon, "很好" in copy.lexicon, "商品" in copy.lexicon) == (
        True,
        False,
        False,
    )
    with monkeypatch.context() as patch:
        patch.setattr(ModelFolder, "open", None)
        assert tagger.copy()(TEXTS) == tagger(TEXTS), "nothing is opened again"
    with (folder / "README.md").open("a") as card:
        card.write("another\n")
    seal(folder)
    with pytest.raises(FileError, match="the model has changed since it was loaded"):
        pickle.loads(pickled)


def whole(sentences: Iterable[Sentence]) -> Sentence:
    """The sentence that some sentences tile."""
    text, spans = "", list[Span]()
    for sentence in sentences:
        spans += [Span(len(text) + s.start, len(text) + s.end, s.label) for s in sentence.spans]
        text += sentence.text
    return Sentence(text, tuple(spans))


@pytest.mark.parametrize(
    "text",
    [
        *("商品和服务的价格上涨了" * 20, "他说的确实在理。" * 30, "", "短", "1" * 300, " " * 300),
        *(
            "商" + "a" * 300 + "品",
            "e\u0301" * 200,
            "3.5%, " * 50,
            "商\n  品" * 80,
            "ab-" * 99 + "  ",
        ),
    ],
)
def test_the_parts_of_a_long_text_have_its_spans(
    segment: Segmenter, tag: EntityTagger, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(parts, "PART", 50)
    for tagger in (segment, tag):
        texts = ["短", text, text, ""]
        found = [whole(sentences) for sentences in tagger.in_parts(texts)]
        assert found == tagger(texts)
    assert all(sentence.tiled for sentence in segment.in_parts([text]).__next__())


def test_runs_and_user_words_are_never_cut(
    segment: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART", 50)
    for run in ("1" * 333, "a" * 333, " " * 333, "e" + "\u0301" * 333):
        assert segment(run).words == [run]
        assert any(run in word for word in segment(f"商{run}品").words)
    numbers = [f"{number}.5%" for number in range(100)]
    assert segment(" ".join(numbers)).words[::2] == numbers
    segment.words.add(["商品和", "和服务"])
    try:
        assert segment("商品和" * 100).words == ["商品和"] * 100
        assert segment("和服务" * 100).words == ["和服务"] * 100
    finally:
        segment.words.remove(["商品和", "和服务"])
