"""Writes the records of training runs into the pages and files that show them.

    python -m benchmarks.tables

Writes `docs/results.md`: every published table beside our figures, and every recipe that was run;
`docs/cells.md`: every cell of the papers; the table of claims in `docs/evidence.md`, and what it
says; that of hostile cases in `docs/promises.md`; those of user words and of large files in their
how-tos; that of tools side by side in `README.md`, and its picture; and
`src/fenjie/cli/scores.json`, which `fenjie models --architectures` prints. A test holds that all
but the picture are what the records give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import hostile, peer_tables, scale, user_words
from benchmarks.machine import ROOT, where
from benchmarks.reproduce import cells, claims
from benchmarks.reproduce.comparison import markdown
from benchmarks.reproduce.published import find_table, table_names
from benchmarks.reproduce.records import Records, test_f1
from benchmarks.scripts import parser, run
from benchmarks.training import RECIPES, table_of
from fenjie.cli.architectures import MECHANISMS
from fenjie.errors import FenjieError
from fenjie.files import atomic
from fenjie.recipe.recipe import Recipe

PAGE, SCORES = ROOT / "docs" / "results.md", ROOT / "src" / "fenjie" / "cli" / "scores.json"
EVIDENCE, PROMISES = ROOT / "docs" / "evidence.md", ROOT / "docs" / "promises.md"
CELLS, README = ROOT / "docs" / "cells.md", ROOT / "README.md"
LARGE, WORDS = ROOT / "docs" / "howto" / "large.md", ROOT / "docs" / "howto" / "user-words.md"

HEAD = """\
# Measured beside published

This page is written by `python -m benchmarks.tables` from the
[records of training runs](../benchmarks/results/training.json). F1 on test in per cent, by exact
spans; mean ± standard deviation over seeds. Δ is the difference to the row named before it: as
published, and measured as the mean over the seeds that both have, with p of the paired t-test,
two-sided. ‡ marks figures with BERT, which ours have not: there the differences compare, not the
figures.
[How to run a table](howto/reproduce.md); [the papers' keys](../references.bib).
"""


HEAD_OF_CELLS = """\
# Every cell of the papers

Written by `python -m benchmarks.tables` from [recipes/papers](../recipes/papers), the records of
runs and the results of benchmarks; `python -m benchmarks.reproduce --list` prints the same. A cell
**stands** where ours is measured (the command beside it measures it anew), **can be run** by that
command, at the root of the repository with the [data](howto/data.md) and
[vectors](howto/vectors.md), or **cannot be had**, with the reason. F1 on test in per cent,
mean ± standard deviation over seeds. ‡ marks figures with BERT, which ours have not. Most recipes
learn otherwise than the papers' (Adam, fewer epochs, other dropout and vectors): each shows its
settings, the table [flat-training](results.md#flat-training) has FLAT's own; claims are tested in
[evidence](evidence.md).
"""


def main() -> None:
    """Write the files."""
    parser(__doc__).parse_args()
    for path, text in written().items():
        with atomic(path) as file:
            file.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    peer_tables.draw(peer_tables.measured())
    print(peer_tables.PICTURE.relative_to(ROOT))


def written() -> dict[Path, str]:
    """The files and their texts. To be called at the root of the repository."""
    records = Records()
    tables = [f"## {name}\n\n{markdown(find_table(name), records)}" for name in table_names()]
    every = f"## Every recipe that was run\n\n{table_of(records)}"
    scores = json.dumps(best(records), ensure_ascii=False, indent=2) + "\n"
    peers = peer_tables.markdown(peer_tables.measured()).removesuffix("\n")
    peers = f"{peers} ({where(peer_tables.RECORD)})"
    every_cell = list(cells.Cells(records))
    head = f"{HEAD_OF_CELLS}\n{len(every_cell)} cells: {cells.counts(every_cell)}.\n"
    return {
        CELLS: f"{head}\n{cells.markdown(every_cell)}",
        PAGE: "\n".join([HEAD, *tables, every]),
        SCORES: scores,
        EVIDENCE: filled(
            EVIDENCE,
            {"claims in words": claims.in_words(records), "claims": claims.markdown(records)},
        ),
        PROMISES: filled(PROMISES, {"hostile cases": hostile.markdown(hostile.read())}),
        README: filled(README, {"peers": f"{peers}\n"}),
        LARGE: filled(LARGE, {"large files": scale.markdown(), "costs": scale.markdown_of_costs()}),
        WORDS: filled(WORDS, {"user words": user_words.markdown()}),
    }


def filled(page: Path, tables: Mapping[str, str]) -> str:
    """A page with tables between the marks of their names, `<!-- NAME -->`."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        head, begin, rest = text.partition(f"<!-- {name} -->\n\n")
        _, end, tail = rest.partition(f"<!-- end of {name} -->")
        if not end:
            raise FenjieError(f"{page}: no place for the table of {name}")
        text = f"{head}{begin}{table}\n{end}{tail}"
    return text


def best(records: Records) -> dict[str, dict[str, dict[str, Any]]]:
    """The test F1 by system and data set, of the recipe that is best on dev.

    Of words it is said whether the test was open: with dictionaries or vectors; of entities,
    whether the system stands over our own encoder.
    """
    found: dict[str, dict[str, tuple[float, dict[str, Any]]]] = {}
    for name in records:
        try:
            recipe = records.recipe(name)
        except FenjieError:  # of a setting that is no more
            continue
        system = system_of(Path(name), recipe)
        # several corpora have one dev score
        if system is None or recipe.data.corpora or not recipe.data.test:
            continue
        runs = records.runs(name)
        dev = mean(run["dev"]["f1"] for run in runs)
        value: dict[str, Any] = {"f1": round(mean(map(test_f1, runs)), 2), "seeds": len(runs)}
        if recipe.task == "segment":
            value["open"] = bool(recipe.vocabulary.lexicon or recipe.vocabulary.vectors)
        elif recipe.model.pretrained.name:
            value["encoder"] = True
        of_one = found.setdefault(system, {})
        data = Path(recipe.data.test[0]).parts[1]
        if data not in of_one or dev > of_one[data][0]:
            of_one[data] = (dev, value)
    return {
        name: {data: value for data, (_, value) in sorted(of_one.items())}
        for name, of_one in sorted(found.items())
    }


def system_of(path: Path, recipe: Recipe) -> str | None:
    """The architecture or mechanism that a recipe stands for in the list of systems.

    Those in `recipes` itself count, and in `recipes/msra` those that have the name of a system. A
    CRF over an encoder has recipes in `recipes/encoder` alone. All others are ablations, variants
    and trials: None.
    """
    mechanism = next((name for name in MECHANISMS if path.stem.startswith(name)), None)
    if path.parent == RECIPES or (path.parent == RECIPES / "msra" and path.stem == mechanism):
        return mechanism or recipe.architecture
    own = recipe.architecture.replace("_", "-")
    of_msra = path.parent == RECIPES / "msra" and path.stem == own
    of_encoder = path.parent == RECIPES / "encoder" and recipe.architecture == "bert_crf"
    return recipe.architecture if of_msra or of_encoder else None


if __name__ == "__main__":
    run(main)
