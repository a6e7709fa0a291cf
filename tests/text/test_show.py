"""`fenjie.show`: on a terminal, and in a notebook that is none."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import fenjie
from fenjie.errors import FenjieError
from fenjie.text.span import Sentence, Span

ENTITIES = Sentence("王小明在北京大学", (Span(0, 3, "PER", 0.994), Span(4, 8, "ORG")))


def test_show_prints(capsys: pytest.CaptureFixture[str]) -> None:
    fenjie.show(ENTITIES)
    fenjie.show([Sentence.from_words(["商品", "\x1b[31m"]), ENTITIES])
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == third == "[王小明/PER]在[北京大学/ORG]"
    assert second == "商品 ␛[31m"


def test_what_is_no_sentence_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    fenjie.show([])
    assert capsys.readouterr().out == ""
    with pytest.raises(FenjieError, match="found '商品和服务'; expected sentences"):
        fenjie.show("商品和服务")  # type: ignore[arg-type]


def test_show_draws_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    display = SimpleNamespace(HTML=lambda page: page, display=drawn.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setattr("builtins.get_ipython", lambda: shell, raising=False)
    fenjie.show(ENTITIES)
    assert drawn == [ENTITIES._repr_html_()]
    shell.kernel = None
    fenjie.show(ENTITIES)
    assert len(drawn) == 1
