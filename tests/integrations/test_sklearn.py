"""fenjie in scikit-learn: the same words by list and by text, pickled and cloned."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra `sklearn`")

from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import fenjie
from fenjie.errors import FenjieError
from fenjie.integrations import sklearn as module
from fenjie.integrations.sklearn import Words
from fenjie.runtime.load import load_segmenter

TEXTS = ["商品 和服务\n", "他说的确实在理", "", "AI 与ＡＩ", "我们去北京。"]


def test_words_are_those_of_fenjie() -> None:
    found = Words().fit_transform(TEXTS)
    expected = [[word for word in fenjie.lcut(text) if not word.isspace()] for text in TEXTS]
    assert [line.split() for line in found] == expected
    assert [Words().cut(text) for text in TEXTS] == expected


def test_both_ways_give_the_same_table() -> None:
    by_list = make_pipeline(Words(), CountVectorizer(token_pattern=r"\S+"))
    by_text = CountVectorizer(tokenizer=Words().cut, token_pattern=None)
    assert (by_list.fit_transform(TEXTS) != by_text.fit_transform(TEXTS)).nnz == 0
    assert by_list[-1].vocabulary_ == by_text.vocabulary_


def test_pickled_and_cloned_it_is_its_settings(tiny_model: Path) -> None:
    words = Words(tiny_model, words=["和服务"])
    text = "商品和服务"
    expected = words.transform([text])
    for other in (pickle.loads(pickle.dumps(words)), clone(words)):
        assert other.get_params() == words.get_params()
        assert other.transform([text]) == expected
    assert len(pickle.dumps(words)) < 1000


def test_threads_that_come_together_have_one_model(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def load(*given: Any, **settings: Any) -> Any:
        calls.append(given)
        time.sleep(0.1)  # others come meanwhile
        return load_segmenter(*given, **settings)

    monkeypatch.setattr(module, "load_segmenter", load)
    words = Words(tiny_model)
    with ThreadPoolExecutor(4) as pool:
        assert len({tuple(found) for found in pool.map(words.cut, ["商品和服务"] * 4)}) == 1
    assert len(calls) == 1


def test_a_changed_setting_holds() -> None:
    words = Words()
    assert words.transform(["云计算平台"]) == ["云 计算 平台"]
    words.set_params(words=["云计算平台"])
    assert words.transform(["云计算平台"]) == ["云计算平台"]


def test_it_needs_no_fitting_and_is_searched_over() -> None:
    pipeline = make_pipeline(Words(), TfidfVectorizer(token_pattern=r"\S+"), MultinomialNB())
    with pytest.raises(NotFittedError):
        pipeline.predict(["商品"])
    assert Words().transform(["商品"]) == ["商品"]
    grid = GridSearchCV(pipeline, {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)]}, cv=2)
    grid.fit(["股市大涨", "银行降息", "球队夺冠", "前锋进球"], [0, 0, 1, 1])
    assert grid.best_params_


def test_a_pipeline_names_its_columns_by_words() -> None:
    pipeline = make_pipeline(Words(), CountVectorizer(token_pattern=r"\S+"))
    table = ColumnTransformer([("words", pipeline, 0)])
    table.fit(np.array([["商品和服务"]], dtype=object))
    assert table.get_feature_names_out().tolist() == ["words__和", "words__商品", "words__服务"]
    fitted = table.named_transformers_["words"]
    assert fitted.get_feature_names_out().tolist() == ["和", "商品", "服务"]
    assert Words().get_feature_names_out(["body"]).tolist() == ["body"]
    with config_context(transform_output="pandas"):  # a vectorizer wants texts, no table of them
        assert Words().fit_transform(["商品和服务"]) == ["商品 和 服务"]


def test_user_words_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("云计算平台\n", encoding="utf-8")
    words = Words(words=tmp_path / "words.txt")
    assert words.transform(["云计算平台"]) == ["云计算平台"]


def test_one_text_is_refused_where_several_are_read() -> None:
    with pytest.raises(FenjieError, match="expected texts, such as a list"):
        Words().transform("商品")
