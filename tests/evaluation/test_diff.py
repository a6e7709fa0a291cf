"""The diff that shows where predicted entities are not the gold ones."""

from __future__ import annotations

import json

from fenjie.cli.tables import diff_block
from fenjie.evaluation.diff import differences, plain
from fenjie.text.span import Sentence, Span


def sentence(text: str, *spans: tuple[int, int, str]) -> Sentence:
    return Sentence(text, tuple(sorted(Span(*span) for span in spans)))


TEXT = "李雷在北京市海淀区上班族"
GOLD = sentence(TEXT, (0, 2, "PER"), (3, 6, "LOC"), (6, 9, "LOC"), (9, 12, "PER"))
PREDICTED = sentence(TEXT, (0, 2, "ORG"), (2, 3, "LOC"), (3, 5, "LOC"), (6, 8, "ORG"))


def test_diff() -> None:
    (block,) = differences([Sentence("无"), GOLD], [Sentence("无"), PREDICTED])
    assert block.number == 2
    assert plain(block.gold) == "[李雷 PER]在[北京市 LOC][海淀区 LOC][上班族 PER]"
    assert plain(block.predicted) == "[李雷 ORG][在 LOC][北京 LOC]市[海淀 ORG]区上班族"
    assert diff_block(block).plain == (
        "sentence 2 · type: 李雷 PER → 李雷 ORG, spurious: 在 LOC, "
        "boundary: 北京市 LOC → 北京 LOC, both: 海淀区 LOC → 海淀 ORG, missed: 上班族 PER\n"
        "  gold       [李雷 PER]在[北京市 LOC][海淀区 LOC][上班族 PER]\n"
        "  predicted  [李雷 ORG][在 LOC][北京 LOC]市[海淀 ORG]区上班族"
    )
    assert json.dumps(block.as_dict())


def test_roles() -> None:
    (block,) = differences(
        [sentence("甲乙丙", (0, 1, "A"), (1, 2, "B"))],
        [sentence("甲乙丙", (0, 1, "A"), (2, 3, "B"))],
    )
    assert block.gold == (
        ("[", "right"), ("甲", "right"), (" A]", "right"),
        ("[", "missed"), ("乙", "missed"), (" B]", "missed"), ("丙", ""),
    )  # fmt: skip
    assert [role for _, role in block.predicted] == [*["right"] * 3, "", *["spurious"] * 3]


def test_the_context_is_short_and_cuts_no_entity() -> None:
    text = "一" * 50 + "北京" + "二" * 50
    gold = sentence(text, (10, 40, "X"), (50, 52, "LOC"), (60, 75, "X"), (90, 91, "X"))
    right = sentence(text, (10, 40, "X"), (60, 75, "X"), (90, 91, "X"))
    (block,) = differences([gold], [right])
    shown = plain(block.gold)
    assert shown.startswith("…[一一") and shown.endswith("二 X]…")
    assert shown.count("X]") == 2
    assert plain(block.predicted) == shown.replace("[北京 LOC]", "北京")


def test_nested_entities_and_line_ends_are_shown() -> None:
    gold = sentence("北京\n大学", (0, 5, "ORG"), (0, 2, "LOC"))
    (block,) = differences([gold], [Sentence("北京\n大学")])
    assert plain(block.gold) == "[[北京 LOC] 大学 ORG]"
    assert "\n" not in block.summary
