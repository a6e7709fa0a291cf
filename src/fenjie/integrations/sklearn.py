r"""scikit-learn: words for `CountVectorizer` and `TfidfVectorizer`.

    >>> vectorizer = make_pipeline(Words(), TfidfVectorizer(token_pattern=r"\S+"))
    >>> vectorizer.fit_transform(["商品和服务", "他说的确实在理"])

`Words()` works on all texts at once. `TfidfVectorizer(tokenizer=Words().cut)` finds the same words
text by text, which takes longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import needing
from fenjie.runtime.load import Words as UserWords
from fenjie.runtime.load import load_segmenter
from fenjie.runtime.segmenter import Segmenter

with needing("fenjie.integrations.sklearn needs", "sklearn"):
    from sklearn.base import BaseEstimator, TransformerMixin

_LOADING = Lock()
"""Held while a model is loaded, so that threads that use it at the same time have the same one."""


class Words(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg, misc]
    r"""A transformer: texts to their words, separated by spaces.

    It learns nothing. Pickled or cloned, it is its settings, and loads the model by itself. Its
    texts are split again by `token_pattern=r"\S+"`: no word of fenjie's holds whitespace.
    """

    def __init__(
        self,
        model: str | PathLike[str] = "segment",
        *,
        words: UserWords = (),
        threads: int = 1,
    ) -> None:
        """Take the settings, which scikit-learn may change until the model is used.

        Args:
            model: a shipped model that finds words, or the path of a model folder.
            words: user words, or the path of a file of them.
            threads: number of threads that one call may use.
        """
        self.model, self.words, self.threads = model, words, threads

    def fit(self, texts: Iterable[str], y: object = None) -> Self:
        """Learn nothing."""
        return self

    def transform(self, texts: Iterable[str]) -> list[str]:
        """The words of each text, separated by spaces; whitespace of the text is none of them."""
        return [" ".join(_words(sentence.words)) for sentence in self._loaded().stream(texts)]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The name of its column of texts: a pipeline asks each of its steps for names.

        Args:
            input_features: the name of the column; `text` where it has none.
        """
        return np.asarray(["text"] if input_features is None else input_features, dtype=object)

    def cut(self, text: str) -> list[str]:
        """The words of a text, for the parameter `tokenizer` of a vectorizer."""
        return _words(self._loaded().cut(text))

    def set_params(self, **params: Any) -> Self:
        """Change settings; the model is loaded anew."""
        with _LOADING:
            self.__dict__.pop("_segmenter", None)
            changed: Self = super().set_params(**params)
        return changed

    def _loaded(self) -> Segmenter:
        found: Segmenter | None = self.__dict__.get("_segmenter")
        if found is not None:
            return found
        with _LOADING:
            if "_segmenter" not in self.__dict__:
                self._segmenter = load_segmenter(self.model, threads=self.threads, words=self.words)
            return self._segmenter

    def __getstate__(self) -> dict[str, Any]:
        """The settings."""
        return {key: value for key, value in super().__getstate__().items() if key != "_segmenter"}

    def __sklearn_is_fitted__(self) -> bool:
        """Always: there is nothing to learn."""
        return True

    def __sklearn_tags__(self) -> Any:
        """It takes texts, and needs no fitting."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _words(words: Iterable[str]) -> list[str]:
    return [word for word in words if not word.isspace()]
