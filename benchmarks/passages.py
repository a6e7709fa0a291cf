"""Entities by how much a model reads at once: in sentences, long lines, and without sentence ends.

    python -m benchmarks.passages [MODEL…] [--lengths N…]

The held-out sentences of five corpora are tagged as they are; in lines of 3,000 characters or more,
each corpus for itself, with 。 where a sentence has no end of its own; and in such lines without
。！？…；, as text from speech recognition. `passage` is how many characters are read at once where
the text allows it (`[input] passage` in a model's config.toml); the first rows of a model are with
its own. Speed is in characters per second of CPU time, one thread, over all five corpora. Writes
`benchmarks/results/passages.json`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Any

from benchmarks.corpora import scored, unmarked
from benchmarks.held_out import Corpora, held_out
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.folder import ModelFolder
from fenjie.text.span import Sentence, Span

LINE = 3000
ENDS = "。！？…；!?;"
_ENDED = re.compile(f"[{ENDS}][”’」』）】》]*$")


def main() -> None:
    """Score all lengths in all three forms, print and save."""
    options = parser(__doc__)
    options.add_argument("models", nargs="*", default=["ner", "ner-small"], help="names or folders")
    options.add_argument("--lengths", type=int, nargs="+", default=[48, 64, 100, 200, 340])
    chosen = options.parse_args()
    corpora = held_out()
    types, sentences = corpora["msra"]
    corpora["msra"] = types, unmarked(sentences)
    found: dict[str, list[dict[str, Any]]] = {}
    for model in chosen.models:
        own = ModelFolder.open(model).passage
        found[model] = [
            {"passage": passage, "form": name} | measured(model, passage, name, corpora)
            for passage in dict.fromkeys((own, *chosen.lengths))
            for name in FORMS
        ]
    save("passages", {"command": typed(), "found": found})


def measured(model: str, passage: int, form: str, corpora: Corpora) -> dict[str, Any]:
    """F1 of each corpus in a form, their mean, and the speed."""
    folder = ModelFolder.open(model)
    folder.config["input"]["passage"] = passage
    tagger = EntityTagger(folder)
    f1, characters, seconds = {}, 0, 0.0
    for name, (types, sentences) in corpora.items():
        gold = list(FORMS[form](sentences))
        texts = [sentence.text for sentence in gold]
        start = time.process_time()
        answers = tagger(texts)
        seconds += time.process_time() - start
        characters += sum(map(len, texts))
        f1[name] = 100 * (scored(gold, answers, types)["all"]["f1"] or 0)
    mean = sum(f1.values()) / len(f1)
    speed = characters / seconds
    by_corpus = "  ".join(f"{name} {value:.2f}" for name, value in f1.items())
    print(f"{model}  {passage:4}  {form:12}  {by_corpus}  mean {mean:.2f}  {speed:,.0f} a second")
    return {"f1": f1, "mean": mean, "characters_per_second": speed}


def ended(sentence: Sentence) -> Sentence:
    """A sentence with an end."""
    done = _ENDED.search(sentence.text)
    return sentence if done else Sentence(sentence.text + "。", sentence.spans)


def without_ends(sentence: Sentence) -> Sentence:
    """A sentence without the characters that end one."""
    text = sentence.text
    place = [0, *accumulate(character not in ENDS for character in text)]
    spans = (Span(place[s.start], place[s.end], s.label) for s in sentence.spans)
    kept = "".join(character for character in text if character not in ENDS)
    return Sentence(kept, tuple(span for span in spans if span.start < span.end))


def in_lines(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Sentences one after the other in lines of `LINE` characters or more."""
    text, spans = "", list[Span]()
    for sentence in sentences:
        spans += (Span(len(text) + s.start, len(text) + s.end, s.label) for s in sentence.spans)
        text += sentence.text
        if len(text) >= LINE:
            yield Sentence(text, tuple(spans))
            text, spans = "", []
    if text:
        yield Sentence(text, tuple(spans))


FORMS: dict[str, Callable[[Iterable[Sentence]], Iterable[Sentence]]] = {
    "sentences": iter,
    "lines": lambda sentences: in_lines(map(ended, sentences)),
    "without ends": lambda sentences: in_lines(map(without_ends, sentences)),
}


if __name__ == "__main__":
    run(main)
