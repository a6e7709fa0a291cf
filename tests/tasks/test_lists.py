"""Lists of entities whose marks are taken out."""

from __future__ import annotations

import pytest

from fenjie.tasks.lists import without_marks
from fenjie.text.span import Sentence, Span


def marked(text: str) -> Sentence:
    """A sentence from a text with its spans in brackets, such as `[李鹏 PER]、…`."""
    plain, spans = "", []
    for part in text.replace("]", "[").split("["):
        name, _, label = part.partition(" ")
        if label:
            spans.append(Span(len(plain), len(plain) + len(name), label))
        plain += name
    return Sentence(plain, tuple(spans))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("委员：[李鹏 PER]、[乔石 PER]、[彭真 PER]等", "委员：[李鹏 PER][乔石 PER][彭真 PER]等"),
        ("[李鹏 PER]、[乔石 PER]在[北京 LOC]", "[李鹏 PER][乔石 PER]在[北京 LOC]"),
        (
            "[山西 LOC]、[李鹏 PER]，[江苏 LOC]、[山东 LOC]",
            "[山西 LOC]、[李鹏 PER]，[江苏 LOC][山东 LOC]",
        ),
        ("[江苏 LOC]，[山东 LOC]", "[江苏 LOC][山东 LOC]"),
    ],
)
def test_marks_between_entities_of_one_label_are_taken_out(given: str, expected: str) -> None:
    assert without_marks(marked(given), {"PER", "LOC"}) == marked(expected)


@pytest.mark.parametrize(
    "given",
    [
        "没有实体",
        "[李鹏 PER]在、[北京 LOC]",
        "[李鹏 PER]、和[乔石 PER]",
        "[李鹏 PER][乔石 PER]",
        "[李鹏 PER]和[乔石 PER]",
        "[外交部 ORG]、[财政部 ORG]",
        "、[李鹏 PER]、",
    ],
)
def test_a_sentence_without_such_a_list_gives_nothing(given: str) -> None:
    assert without_marks(marked(given), {"PER", "LOC"}) is None


def test_no_mark_is_taken_out_of_an_entity() -> None:
    sentence = marked("[和平、发展 ORG]、[友好 ORG]")

    assert without_marks(sentence, {"ORG"}) == marked("[和平、发展 ORG][友好 ORG]")
