"""fenjie in spaCy: texts are kept, entities stand where they are, pipelines are saved."""

from __future__ import annotations

import pickle
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy", reason="needs the extra `spacy`")

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin, SpanGroup
from spacy.tokens import Span as SpacySpan
from spacy.training import Example

import fenjie
from fenjie.errors import FenjieError
from fenjie.integrations import spacy as module
from fenjie.integrations.spacy import Entities, Words
from fenjie.runtime.words.preferred import FORCED
from fenjie.runtime.words.user_words import UserWord
from fenjie.text.span import Sentence, Span

TEXTS = [
    "",
    " ",
    "\n",
    "  \t ",
    "作为一门语言，汉语有悠久的历史；使用它的人占世界人口的五分之一。",
    "I   like cheese.",
    "他说：“ 今天　天气很好 ” 。\r\n\r\n我们去公园吧！ ",
    " 行首有空格",
    "行尾有空格 ",
    "中 英 mixed 文本 with２０２４年５月1日 and 3.14%",
    "网址 https://example.com/路径?问=1 与邮箱 a.b@example.com",
    "👨‍👩‍👧 家庭 é ñ ก็ ﷺ \u200b\ufeff 零宽",
    "\u3000\u3000全角空格　在段首",
    "a\x00b \x1b[31m",
    "﹏﹏…………——～～",
    "第一行\n第二行\n\n\n第五行",
]
"""Texts as spaCy's own tests of tokenizers have them: spaces of all sorts, odd characters."""


def blank(**tokenizer: object) -> Language:
    config = {"nlp": {"tokenizer": {"@tokenizers": "fenjie.words.v1", **tokenizer}}}
    return spacy.blank("zh", config=config)


def slowly(load: Callable[..., Any]) -> Callable[..., Any]:
    """Load a model so slowly that others come meanwhile."""

    def loaded(*given: Any, **settings: Any) -> Any:
        time.sleep(0.1)
        return load(*given, **settings)

    return loaded


@pytest.fixture(scope="module")
def nlp() -> Language:
    """A pipeline of the shipped models."""
    pipeline = blank()
    pipeline.add_pipe("fenjie_entities")
    return pipeline


@pytest.fixture(scope="module")
def tiny(tiny_model: Path, tiny_ner: Path) -> Language:
    """A pipeline of the tiny models, as folders."""
    pipeline = blank(model=str(tiny_model))
    pipeline.add_pipe("fenjie_entities", config={"model": str(tiny_ner)})
    return pipeline


def test_words_and_entities(nlp: Language) -> None:
    doc = nlp("王小明在北京大学读书")
    assert [token.text for token in doc] == fenjie.lcut(doc.text)
    found = [(ent.text, ent.label_, ent.start_char, ent.end_char) for ent in doc.ents]
    assert found == [("王小明", "PER", 0, 3), ("北京大学", "ORG", 4, 8)]
    assert all(0.5 < ent._.confidence <= 1 for ent in doc.ents)
    assert doc[-1].ent_iob_ == "O"
    assert {"LOC", "ORG", "PER"} <= set(nlp.get_pipe("fenjie_entities").labels)
    assert nlp.analyze_pipes()["summary"]["fenjie_entities"]["assigns"]


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_is_changed(nlp: Language, text: str) -> None:
    assert nlp(text).text == text
    doc = nlp.make_doc(text)
    assert doc.text == text
    words = [word for word in fenjie.lcut(text) if not word.isspace()]
    assert [token.text for token in doc if not token.is_space] == words


def test_spaces_are_those_of_spacy(nlp: Language) -> None:
    doc = nlp.make_doc("I   like cheese.")
    assert [token.text for token in doc] == ["I", "  ", "like", "cheese", "."]
    assert [token.whitespace_ for token in doc] == [" ", "", " ", "", ""]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_is_kept(tiny: Language, text: str) -> None:
    assert tiny(text).text == text


def test_many_at_a_time_are_as_one_by_one(nlp: Language) -> None:
    one = [nlp(text) for text in TEXTS]
    for docs in (nlp.pipe(TEXTS, batch_size=3), nlp.pipe(nlp.tokenizer.pipe(TEXTS))):
        for doc, expected in zip(docs, one, strict=True):
            assert [token.text_with_ws for token in doc] == [
                token.text_with_ws for token in expected
            ]
            assert [(e.start, e.end, e.label_) for e in doc.ents] == [
                (e.start, e.end, e.label_) for e in expected.ents
            ]


def test_tokens_are_split_at_entities(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "我爱北京大学"
    spans = (Span(1, 3, "PER", 0.5), Span(3, 5, "LOC"))
    doc = Doc(nlp.vocab, words=["我", "爱", "北京大学"], spaces=[False] * 3)
    component = Entities(nlp.vocab)
    monkeypatch.setattr(component, "_tagger", lambda _: Sentence(text, spans))
    component(doc)
    assert [token.text for token in doc] == ["我", "爱", "北", "京大", "学"]
    assert [(ent.text, ent.label_, ent._.confidence) for ent in doc.ents] == [
        ("爱北", "PER", 0.5),
        ("京大", "LOC", None),
    ]
    assert doc.text == text


def test_span_groups_keep_their_characters_where_tokens_are_split(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    doc = Doc(nlp.vocab, words=["我爱", "北京大学", "吗", "？"], spaces=[False] * 4)
    own = {"label": "X", "kb_id": "Q1", "span_id": "one"}
    spans = [SpacySpan(doc, 1, 3, **own), SpacySpan(doc, 2, 4, "Y")]
    doc.spans["found"] = SpanGroup(doc, name="found", attrs={"by": "hand"}, spans=spans)
    doc.spans["none"] = []
    spans[0]._.confidence = 0.25
    component = Entities(nlp.vocab)
    entities = (Span(1, 3, "PER", 0.5), Span(3, 5, "LOC"))
    monkeypatch.setattr(component, "_tagger", lambda text: Sentence(text, entities))
    component(doc)
    assert [token.text for token in doc] == ["我", "爱", "北", "京大", "学", "吗", "？"]
    first, second = doc.spans["found"]
    assert (first.text, first.label_, first.kb_id_, first.id_) == ("北京大学吗", "X", "Q1", "one")
    assert (second.text, second.label_, first._.confidence) == ("吗？", "Y", 0.25)
    assert doc.spans["found"].attrs == {"by": "hand"} and len(doc.spans["none"]) == 0


def test_a_pipeline_is_evaluated_as_others_of_spacy_are(nlp: Language) -> None:
    gold = {"entities": [(0, 3, "PER"), (4, 8, "LOC")]}
    example = Example.from_dict(nlp.make_doc("王小明在北京大学读书"), gold)
    scores = nlp.evaluate([example])
    assert (scores["ents_p"], scores["ents_r"], scores["ents_f"]) == (0.5, 0.5, 0.5)
    assert scores["ents_per_type"]["PER"]["f"] == 1
    meta = nlp.get_pipe_meta("fenjie_entities")
    assert meta.retokenizes and "ents_f" in meta.scores


def test_entities_of_others_are_kept(nlp: Language) -> None:
    other = blank()
    ruler = other.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "SCHOOL", "pattern": "北京大学"}])
    other.add_pipe("fenjie_entities")
    found = [(ent.text, ent.label_) for ent in other("王小明在北京大学读书").ents]
    assert found == [("王小明", "PER"), ("北京大学", "SCHOOL")]


def test_a_component_alone_works_with_spacys_tokenizer() -> None:
    pipeline = spacy.blank("zh")
    pipeline.add_pipe("fenjie_entities", name="names")
    assert [ent.text for ent in pipeline("王小明在北京大学读书").ents] == ["王小明", "北京大学"]


def test_a_saved_pipeline_has_models_and_words(
    tiny_model: Path, tiny_ner: Path, tmp_path: Path
) -> None:
    folders = {"words": tmp_path / "w", "entities": tmp_path / "e"}
    shutil.copytree(tiny_model, folders["words"])
    shutil.copytree(tiny_ner, folders["entities"])
    pipeline = blank(model=str(folders["words"]))
    pipeline.add_pipe("fenjie_entities", config={"model": str(folders["entities"])})
    pipeline.tokenizer.segmenter.words.add("确实在理")
    lexicon = pipeline.get_pipe("fenjie_entities").tagger.lexicon
    lexicon.add("和服", label="PER")
    lexicon.add("确实在")
    pipeline.to_disk(tmp_path / "saved")
    expected = pipeline("商品和服务，他说的确实在理")
    for folder in folders.values():
        shutil.rmtree(folder)
    again = spacy.load(tmp_path / "saved")
    for _ in range(2):
        doc = again("商品和服务，他说的确实在理")
        assert [token.text for token in doc] == [token.text for token in expected]
        assert [(e.text, e.label_) for e in doc.ents] == [(e.text, e.label_) for e in expected.ents]
        assert "和服" in [ent.text for ent in doc.ents]
        assert "确实在" in again.get_pipe("fenjie_entities").tagger.lexicon
        again.to_disk(tmp_path / "saved")  # over itself
        again = spacy.load(tmp_path / "saved")
    again.to_disk(tmp_path / "elsewhere")
    assert not list(tmp_path.rglob("*.pkl"))


def test_bytes_have_the_words(nlp: Language) -> None:
    pipeline = blank()
    pipeline.add_pipe("fenjie_entities")
    pipeline.tokenizer.segmenter.words.add("云计算平台")
    pipeline.get_pipe("fenjie_entities").tagger.lexicon.add("李教授", label="PER")
    again = blank()
    again.add_pipe("fenjie_entities")
    again.from_bytes(pipeline.to_bytes())
    assert [token.text for token in again("云计算平台")] == ["云计算平台"]
    assert [ent.text for ent in again("李教授").ents] == ["李教授"]
    pickled = pickle.loads(pickle.dumps(again.tokenizer))
    assert [token.text for token in pickled("云计算平台")] == ["云计算平台"]


def test_weights_and_force_of_words_are_kept(
    tiny_model: Path, tiny_ner: Path, tmp_path: Path
) -> None:
    def made() -> Language:
        pipeline = blank(model=str(tiny_model))
        pipeline.add_pipe("fenjie_entities", config={"model": str(tiny_ner)})
        return pipeline

    def known(pipeline: Language) -> list[dict[str, UserWord]]:
        lexicon = pipeline.get_pipe("fenjie_entities").tagger.lexicon
        return [pipeline.tokenizer.segmenter.words.known, lexicon.known]

    pipeline = made()
    pipeline.tokenizer.segmenter.words.add({"和服": 20000, "确实": None, "weak": 0.5})
    pipeline.tokenizer.segmenter.words.add("确实在理", force=True)
    lexicon = pipeline.get_pipe("fenjie_entities").tagger.lexicon
    lexicon.add("和服", label="PER", weight=3)
    lexicon.add("商品", label="ORG", force=True)
    lexicon.add("确实在")
    expected = [
        {
            "和服": UserWord(20000), "确实": UserWord(),
            "weak": UserWord(0.5), "确实在理": UserWord(FORCED),
        },
        {"确实在": UserWord(), "和服": UserWord(3, "PER"), "商品": UserWord(FORCED, "ORG")},
    ]  # fmt: skip
    assert known(pipeline) == expected
    assert known(made().from_bytes(pipeline.to_bytes())) == expected
    pipeline.to_disk(tmp_path / "saved")
    assert known(spacy.load(tmp_path / "saved")) == expected


def test_words_that_an_earlier_version_has_saved(tiny_model: Path, tiny_ner: Path) -> None:
    vocab = spacy.blank("zh").vocab
    words = Words(vocab, str(tiny_model)).from_bytes('["和服", "确实"]'.encode())
    assert words.segmenter.words.known == dict.fromkeys(["和服", "确实"], UserWord())
    entities = Entities(vocab, model=str(tiny_ner))
    entities.from_bytes('{"确实在": null, "和服": "PER"}'.encode())
    assert entities.tagger.lexicon.known == {"确实在": UserWord(), "和服": UserWord(label="PER")}


def test_threads_that_come_together_have_one_model(
    tiny_model: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocab = spacy.blank("zh").vocab
    words, entities = Words(vocab, str(tiny_model)), Entities(vocab, model=str(tiny_ner))
    for name in ("load_segmenter", "load_entity_tagger"):
        monkeypatch.setattr(module, name, slowly(getattr(module, name)))
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: id(words.segmenter), range(4)))) == 1
        assert len(set(pool.map(lambda _: id(entities.tagger), range(4)))) == 1


def test_documents_are_kept_with_their_confidence(nlp: Language) -> None:
    saved = DocBin(docs=[nlp("王小明在北京大学读书")], store_user_data=True).to_bytes()
    (doc,) = DocBin().from_bytes(saved).get_docs(nlp.vocab)
    assert all(0.5 < ent._.confidence <= 1 for ent in doc.ents)


@pytest.mark.slow
def test_several_processes(nlp: Language) -> None:
    docs = list(nlp.pipe(["王小明在北京大学读书"] * 20, n_process=2, batch_size=5))
    assert [len(doc.ents) for doc in docs] == [2] * 20


def test_a_model_of_another_task_is_named(tiny_ner: Path, tmp_path: Path) -> None:
    with pytest.raises(FenjieError, match="expected 'segment'"):
        blank(model=str(tiny_ner))("好")
    with pytest.raises(FenjieError, match="is not a saved part of a pipeline"):
        Words(spacy.blank("zh").vocab).from_disk(tmp_path)
