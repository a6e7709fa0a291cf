"""Sentences written with their entities in brackets."""

from __future__ import annotations

import re

from fenjie.text.span import Sentence, Span


def sentence(marked: str) -> Sentence:
    """A sentence whose entities stand in brackets, each with its label."""
    text, spans = "", []
    for part in re.split(r"(\[[^]]+\])", marked):
        if part.startswith("["):
            name, label = part[1:-1].split("/")
            spans.append(Span(len(text), len(text) + len(name), label))
            text += name
        else:
            text += part
    return Sentence(text, tuple(spans))


def names(one: Sentence) -> list[str]:
    """The entities of a sentence."""
    return [span.of(one.text) for span in one.spans]
