"""Sentences of raw text in which words cross what is spelt as a position, as training data.

    python -m benchmarks.silver.crossed TEXT… -o crossed.jsonl

`ner` takes 研究生 for a position in 研究生命科学 too, for text in which the words are 研究 and 生命
is rare. Here whole texts are searched for the positions of `recipes/words/positions.txt`. Sentences
are kept in which sure words of `segment` cross one; `ner` tags them, and what these words
cross is unmarked, as `benchmarks.silver.corrected` does.

Besides them stand copies of tagged sentences with another verb: 保护生态 becomes 研究生态, 关心员工
研究员工, and 学习生物 学生物; and without 一 before a measure word that is a surname, too: of
买了张沙发, which was 买了一张沙发, `ner` takes 张沙 for a person.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

import fenjie
from benchmarks.scripts import run
from benchmarks.silver.agreed import every_sentence, from_texts
from benchmarks.silver.corrected import Tagged, answers, crosses, uncrossed, with_model
from benchmarks.silver.roles import positions
from fenjie.corpus import write
from fenjie.text.span import Sentence, Span

BEFORE_ONE = "了个着来买换拍办订画写贴放看讲唱发送给点喝抽做"
"""After what 一 before a measure word may be left out."""

VERBS = (
    (
        re.compile(
            "(保护|改善|影响|恢复|发展|从事|关注|热爱|享受|关心|了解|改变|安排|指导|破坏|维持|体验|反映"
            "|描写|记录|学习|探索|讨论)(?=生(?:命|物|态|产|活|存|育|长|理))"
            "|(关心|培训|管理|考核|激励|鼓励|要求|安排|服务|通知)(?=员工)"
        ),
        "研究",
    ),
    (re.compile("学习(?=生(?:物|字|词))"), "学"),
    (re.compile(f"(?<=[{BEFORE_ONE}])一(?=张[^张])"), ""),
    (re.compile(f"(?<=[{BEFORE_ONE}])一(?=[包段项盘])"), ""),
)
"""Verbs and 一, by what stands beside them, and what stands in place of them: 研究生态, 学生物."""

EACH = 40
"""The number of sentences for a position and the character after it, at most."""

COPIES, TIMES = 600, 3
"""The number of copies for each verb, and how often a sentence stands in which `ner` errs."""

SEED = 1


def main() -> None:
    """Search, tag, unmark, write, say how many there are."""
    options = from_texts(__doc__)
    with_model(options)
    chosen = options.parse_args()
    texts = every_sentence(chosen.texts)
    right, mended = parted(answers(chosen.model, list(crossing(texts, positions())), False))
    copies = list(exchanged(chosen.model, texts, random.Random(SEED)))
    write([*right, *mended * TIMES, *copies], chosen.output, "jsonl")
    print(f"{len(right):,} sentences as `ner` tags them, {len(mended):,} mended")
    print(f"{len(copies):,} copies")


def crossing(texts: Sequence[str], pattern: re.Pattern[str]) -> Iterator[str]:
    """The texts in which sure words of `segment` cross a position."""
    having = [text for text in texts if pattern.search(text)]
    counts: Counter[str] = Counter()
    for text, odds in zip(having, fenjie.load("segment").log_odds(having), strict=True):
        for found in pattern.finditer(text):
            key = text[found.start() : found.end() + 1]
            if counts[key] < EACH and crosses(Span(*found.span(), "POSITION"), text, odds):
                counts[key] += 1
                yield text
                break


def parted(tagged: Iterable[Tagged]) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences in which sure words cross no mark, and the others without these marks."""
    right: list[Sentence] = []
    mended: list[Sentence] = []
    for one in tagged:
        sentence = uncrossed(one)
        (right if sentence.spans == one.names.spans else mended).append(sentence)
    return right, mended


def exchanged(model: str, texts: Sequence[str], chance: random.Random) -> Iterator[Sentence]:
    """So many tagged texts with each verb, which stands in them in place of another."""
    for pattern, verb in VERBS:
        having = [text for text in texts if pattern.search(text)]
        for one in answers(model, chance.sample(having, min(COPIES, len(having))), False):
            yield with_verb(one.names, pattern, verb)


def with_verb(sentence: Sentence, pattern: re.Pattern[str], verb: str) -> Sentence:
    """The sentence with a verb in place of others, or with nothing.

    An entity that holds one of them is dropped, and one right after nothing: 张亮 in 一张亮丽.
    """
    text = sentence.text
    found = [match.span() for match in pattern.finditer(text)]
    kept = (
        span
        for span in sentence.spans
        if all(end + (not verb) <= span.start or span.end <= start for start, end in found)
    )
    shift = np.zeros(len(text) + 1, dtype=np.int64)
    for start, end in found:
        shift[end:] += len(verb) - (end - start)
    spans = (
        replace(
            span, start=int(span.start + shift[span.start]), end=int(span.end + shift[span.end])
        )
        for span in kept
    )
    return Sentence(pattern.sub(verb, text), tuple(spans))


if __name__ == "__main__":
    run(main)
