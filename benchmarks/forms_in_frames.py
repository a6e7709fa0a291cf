"""How often models find a surname in a form of address, exactly: 老王, 张某, the 赵 of 赵女士.

    python -m benchmarks.forms_in_frames [MODEL…]

Each surname stands in each form and in each of some sentences that we wrote. A count says how often
a model that marks persons, places and organisations has the person with both edges right. The
sentences are alike, so the share is that of the form, not of running text. Writes
`benchmarks/results/forms-in-frames.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.text.span import Span

SURNAMES = "王李张刘陈杨赵黄周吴徐孙马胡朱郭何林高罗方钟"
SAID = (
    "{}，您现在方便说话吗？",
    "这件事我已经跟{}说过了。",
    "{}昨天晚上给我打电话了。",
    "嗯，{}那边是怎么说的？",
    "刚才{}来过了，你不在。",
)
WRITTEN = (
    "犯罪嫌疑人{}已被刑事拘留。",
    "法院判决{}赔偿五万元。",
    "{}今年三十五岁，无业。",
)
TITLES = (
    *("总", "经理", "主任", "老师", "医生", "大夫", "教授", "先生", "女士", "师傅", "阿姨"),
    *("叔叔", "奶奶", "局长", "同志", "导", "队"),
)


class Framed(NamedTuple):
    """A sentence with a person.

    Attributes:
        form: the form of address.
        text: the sentence.
        person: where the name stands, the title left out.
    """

    form: str
    text: str
    person: Span


def main() -> None:
    """Tag the sentences by each model, print and save the counts by form."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner", "ner-small"], help="names or folders")
    found = {model: counts(model) for model in options.parse_args().models}
    for model, forms in found.items():
        for form, (right, of) in forms.items():
            print(f"{model}  {form}  {right} of {of}")
    save("forms-in-frames", {"command": typed(), "found": found})


def counts(model: str) -> dict[str, tuple[int, int]]:
    """For each form the number of sentences in which a model is right, and of all."""
    framed = list(sentences())
    tagged = fenjie.load(model)([one.text for one in framed])
    hits: dict[str, list[bool]] = {}
    for one, answer in zip(framed, tagged, strict=True):
        hits.setdefault(one.form, []).append(one.person in answer.spans)
    return {form: (sum(right), len(right)) for form, right in hits.items()}


def sentences() -> Iterator[Framed]:
    """The surnames in all forms and sentences."""
    for surname in SURNAMES:
        for form, name in (("老X", f"老{surname}"), ("小X", f"小{surname}")):
            yield from framed(form, name, "", SAID)
        yield from framed("X某", f"{surname}某", "", WRITTEN)
        for title in TITLES:
            yield from framed("X and a title", surname, title, SAID)


def framed(form: str, name: str, title: str, frames: tuple[str, ...]) -> Iterator[Framed]:
    """A name, with what follows it, in each of some sentences."""
    for frame in frames:
        start = frame.index("{}")
        span = Span(start, start + len(name), "PER")
        yield Framed(form, frame.format(name + title), span)


if __name__ == "__main__":
    run(main)
