"""The sentences in which two systems answer differently."""

from __future__ import annotations

import json

from fenjie.cli.tables import contrast_block, contrast_blocks
from fenjie.evaluation.contrast import contrasts
from fenjie.text.span import Sentence, Span

TEXT = "李雷在北京市说"
GOLD = Sentence(TEXT, (Span(0, 2, "PER"), Span(3, 6, "LOC")))
ONE = Sentence(TEXT, (Span(0, 2, "PER"), Span(3, 5, "LOC")))


def test_entities() -> None:
    both = list(contrasts([GOLD, GOLD], [ONE, ONE], [ONE, GOLD], words=False))
    (block,) = both
    assert (block.number, block.spans, block.right) == (2, 2, (1, 2))
    assert contrast_block(block).plain == (
        "sentence 2 · right of 2: A 1, B 2\n"
        "  gold  [李雷 PER]在[北京市 LOC]说\n"
        "  A     [李雷 PER]在[北京 LOC]市说\n"
        "  B     [李雷 PER]在[北京市 LOC]说"
    )
    assert json.loads(json.dumps(block.as_dict()))["a"] == "[李雷 PER]在[北京 LOC]市说"
    assert [text.plain for text in contrast_blocks(both * 3, 1)][-1] == "… 2 more sentences differ"
    assert not list(contrast_blocks(both, 0))


def test_words() -> None:
    long = ["前"] * 30
    gold, one, other = (
        [Sentence.from_words([*long, *words, *long])]
        for words in (["我", "在", "北京"], ["我在", "北京"], ["我", "在", "北", "京"])
    )
    (block,) = contrasts(gold, one, other, words=True)
    assert block.right == (61, 62)
    shown = block.as_dict()
    assert shown["a"] == f"… {'前 ' * 20}我在 北京{' 前' * 20} …"
    assert shown["b"] == f"… {'前 ' * 20}我 在 北 京{' 前' * 20} …"
    assert ("我在", "spurious") in block.one and ("北京", "right") in block.one
    assert ("北京", "missed") in block.gold
