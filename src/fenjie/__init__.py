"""fenjie finds the boundaries in Chinese text: words and named entities.

    >>> import fenjie
    >>> fenjie.lcut("商品和服务")
    ['商品', '和', '服务']
    >>> segment = fenjie.load("segment")
    >>> segment("商品和服务").spans[0]
    Span(start=0, end=2, label='W', confidence=None)

What this module offers is imported when first used, so that `import fenjie` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # that of `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from fenjie.errors import FenjieError, FileError
    from fenjie.lexicon import Lexicon
    from fenjie.runtime.entity_tagger import EntityTagger
    from fenjie.runtime.load import cut, lcut, load
    from fenjie.runtime.segmenter import Segmenter
    from fenjie.text.show import show
    from fenjie.text.span import Entity, Sentence, Span

__version__ = "1.0.0"

__all__ = [
    "Entity",
    "EntityTagger",
    "FenjieError",
    "FileError",
    "Lexicon",
    "Segmenter",
    "Sentence",
    "Span",
    "__version__",
    "cut",
    "lcut",
    "load",
    "show",
]

_HOMES = {
    "Entity": "fenjie.text.span",
    "EntityTagger": "fenjie.runtime.entity_tagger",
    "FenjieError": "fenjie.errors",
    "FileError": "fenjie.errors",
    "Lexicon": "fenjie.lexicon",
    "Segmenter": "fenjie.runtime.segmenter",
    "Sentence": "fenjie.text.span",
    "Span": "fenjie.text.span",
    "cut": "fenjie.runtime.load",
    "lcut": "fenjie.runtime.load",
    "load": "fenjie.runtime.load",
    "show": "fenjie.text.show",
}


def __getattr__(name: str) -> Any:
    if name == "jieba":
        return import_module("fenjie.jieba")
    if name not in _HOMES:
        raise AttributeError(f"module 'fenjie' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "jieba"})
