"""Speed of fenjie in other tools, beside the call of a list that does the same.

    python -m benchmarks.integrations

Sentences of Resume's test set, one thread, the shipped models. Times are CPU time, in turns; the
fastest pass counts. Needs `fenjie[all]`. Writes `benchmarks/results/integrations.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import fenjie
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from benchmarks.timing import fastest
from fenjie.corpus import read
from fenjie.recipe.recipe import locate

PASSES = 5


def main() -> None:
    """Time each way, print and save its speed as a ratio to the list."""
    parser(__doc__).parse_args()
    texts = [sentence.text for sentence in read(locate("ner/resume/test.char.bmes")).sentences]
    ratios = {**_spacy(texts), **_columns(texts)}
    print(ratios)
    characters = sum(map(len, texts))
    result = {
        "command": typed(),
        "sentences": len(texts),
        "characters": characters,
        "speed_relative_to_a_list": ratios,
    }
    save("integrations", result)


def _spacy(texts: list[str]) -> dict[str, float]:
    import spacy

    config = {"nlp": {"tokenizer": {"@tokenizers": "fenjie.words.v1"}}}
    nlp = spacy.blank("zh", config=config)
    entities: Any = nlp.add_pipe("fenjie_entities")
    tokenizer: Any = nlp.tokenizer
    segment, tag = tokenizer.segmenter, entities.tagger
    # Documents are made anew for each pass, outside of what is timed: entities are added to them.
    documents = iter([[nlp.make_doc(text) for text in texts] for _ in range(PASSES + 1)])
    return {
        **_ratio(lambda: tag(texts), {"spaCy, the component": lambda: all_of(entities, documents)}),
        **_ratio(
            lambda: (segment(texts), tag(texts)),
            {
                "spaCy, nlp.pipe(nlp.tokenizer.pipe(texts))": lambda: list(
                    nlp.pipe(tokenizer.pipe(texts))
                ),
                "spaCy, nlp.pipe(texts)": lambda: list(nlp.pipe(texts)),
            },
        ),
    }


def all_of(component: Any, documents: Any) -> None:
    """Run a component on the next documents."""
    for _ in component.pipe(next(documents)):
        pass


def _columns(texts: list[str]) -> dict[str, float]:
    from fenjie.integrations.hf_datasets import Entities
    from fenjie.integrations.sklearn import Words

    words, entities = Words(), Entities()
    segment, batch = fenjie.load("segment"), {"text": texts}
    return {
        **_ratio(
            lambda: segment(texts),
            {
                "scikit-learn, Words().transform": lambda: words.transform(texts),
                "scikit-learn, tokenizer=Words().cut": lambda: [words.cut(one) for one in texts],
            },
        ),
        **_ratio(lambda: entities.tagger(texts), {"datasets, Entities": lambda: entities(batch)}),
    }


def _ratio(listed: Callable[[], Any], others: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """The speed of other ways, that of a list being 1."""
    times = fastest({"list": listed, **others}, PASSES)
    return {name: round(times["list"] / times[name], 3) for name in others}


if __name__ == "__main__":
    run(main)
