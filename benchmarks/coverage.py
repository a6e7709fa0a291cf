"""Shares of the words, mentions and bigrams of annotated text that a lexicon has.

    python -m benchmarks.coverage [FOLDER_OR_FILE…]

A lexicon is a vectors folder, or a file of words. For the dev and test sets of Resume and Weibo,
the test set of MSRA, and the dev set of Youku: the words found per 100 characters, the share of the
mentions that are words (none of one character is), and the share of the different bigrams that
have vectors. Writes `benchmarks/results/coverage.json`.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.machine import ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.lexicon import Lexicon, UnitVectors, WordVectors
from fenjie.recipe.recipe import locate
from fenjie.text.normalise import Normaliser
from fenjie.text.span import Sentence
from fenjie.text.vocabulary import bigrams

CORPORA = {
    "Resume dev": "ner/resume/dev.char.bmes",
    "Weibo dev": "ner/weibo/weiboNER_2nd_conll.dev",
    "Youku dev": "ner/youku/dev.jsonl",
    "Resume": "ner/resume/test.char.bmes",
    "Weibo": "ner/weibo/weiboNER_2nd_conll.test",
    "MSRA": "ner/msra/test.bio",
}
"""The sets by name; those without the name of a part are test sets."""

DEFAULT = ["vectors", "vectors-modern", "lexicons/jieba/dict.txt"]

PAPERS = {"Resume": 78, "Weibo": 40, "MSRA": 49}
"""Words per 100 characters of the papers' lexicon (Li et al. 2020, FLAT, Table 1)."""


def main() -> None:
    """Count, print and save."""
    options = parser(__doc__)
    options.add_argument("lexicons", nargs="*", default=DEFAULT, help="vectors folders, or files")
    names = options.parse_args().lexicons
    corpora = {name: normalised(path) for name, path in CORPORA.items()}
    found = {name: counted(name, corpora) for name in names}
    show(found)
    result = {"command": typed(), "papers_words_per_100": PAPERS, "found": found}
    print(save("coverage", result).relative_to(ROOT))


def normalised(path: str) -> list[Sentence]:
    """The sentences of a corpus, in the width that vectors have."""
    normaliser = Normaliser(width=True)
    sentences = []
    for sentence in read(locate(path)).sentences:
        text = normaliser(sentence.text)
        sentences.append(Sentence(text.text, text.spans_from_origin(sentence.spans)))
    return sentences


def counted(name: str, corpora: dict[str, list[Sentence]]) -> dict[str, Any]:
    """The size of a lexicon, and its shares of each corpus."""
    folder = ROOT / name
    pairs = None
    if folder.is_dir():
        lexicon = WordVectors.open(folder).lexicon
        pairs = UnitVectors.open(folder, "bigrams")
    else:
        lexicon = Lexicon.read(locate(name))
    sizes = {"words": len(lexicon), "bigrams": None if pairs is None else len(pairs)}
    return sizes | {title: shares(lexicon, pairs, some) for title, some in corpora.items()}


def shares(
    lexicon: Lexicon, pairs: UnitVectors | None, sentences: list[Sentence]
) -> dict[str, float | None]:
    """The words per 100 characters and the shares of mentions and bigrams, in per cent."""
    statistics = lexicon.statistics(sentence.text for sentence in sentences)
    mentions = [
        sentence.text[span.start : span.end] for sentence in sentences for span in sentence.spans
    ]
    types = sorted({pair for sentence in sentences for pair in bigrams(sentence.text)})
    known = None if pairs is None else 100 * float((pairs.rows(types) >= 0).mean())
    return {
        "words_per_100": round(100 * statistics.words / statistics.characters, 1),
        "mentions": round(100 * float((lexicon.ids(mentions) >= 0).mean()), 1),
        "bigrams": known if known is None else round(known, 1),
    }


def show(found: dict[str, dict[str, Any]]) -> None:
    """Print a table for each measure."""
    console = Console(width=110)
    for measure in ("words_per_100", "mentions", "bigrams"):
        table = Table(measure, box=None, pad_edge=False)
        for column in ("words", *CORPORA):
            table.add_column(column, justify="right")
        for name, row in found.items():
            cells = [str(row[title][measure]) for title in CORPORA]
            table.add_row(name, f"{row['words']:,}", *cells)
        console.print(table)


if __name__ == "__main__":
    run(main)
