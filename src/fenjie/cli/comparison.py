"""`fenjie compare`: two systems on one annotated file, and whether they differ beyond chance."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fenjie.cli.options import Encoding, Format, Standard, path
from fenjie.errors import FenjieError, FileError, shorten

if TYPE_CHECKING:
    from fenjie.evaluation.significance import Comparison, Counts
    from fenjie.text.span import Sentence

ENTITY = "ENTITY"
"""The label of all entities where labels do not count."""

SIDE = (
    "A shipped model, a model folder, or a file with the same sentences annotated by any tool; "
    "several runs separated by commas, or as a pattern in quotes: 'runs/flat-weibo-*/model'."
)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=SIDE)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same for the other system.")],
    file: Annotated[Path, typer.Argument(help="The annotated file.", parser=path)],
    most: Annotated[
        int,
        typer.Option(
            "--differences", min=0, help="Number of sentences with different answers to show."
        ),
    ] = 0,
    samples: Annotated[
        int,
        typer.Option(min=100, max=1_000_000, help="Number of resampled test sets.", metavar="N"),
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the resampling.")] = 1,
    spans: Annotated[
        bool, typer.Option("--spans", help="Compare where entities are, whatever their label.")
    ] = False,
    standard: Standard = None,
    form: Format = None,
    encoding: Encoding = "utf-8",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two models or annotations: F1 of each, the difference, its interval and p.

    Runs of several seeds are paired by their order.
    """
    import numpy as np

    from fenjie.cli.prediction import annotated, check_segmented
    from fenjie.evaluation import significance
    from fenjie.evaluation.contrast import contrasts
    from fenjie.progress import Screen

    gold = annotated(file, form, encoding)
    sides = [_runs(one) for one in (a, b)]
    if len(sides[0]) != len(sides[1]):
        raise FenjieError(
            f"A has {len(sides[0])} runs, B has {len(sides[1])}; expected as many, for runs are "
            "paired by their order"
        )
    words = _words(sides[0] + sides[1], gold, standard)
    if words:
        check_segmented(file, gold)
    answers = [[_answers(run, file, gold, words, form, encoding, standard) for run in side]
               for side in sides]  # fmt: skip
    if spans:
        if words:
            raise FenjieError("--spans is for entities; found words")
        gold, answers = _unlabelled(gold), [[_unlabelled(run) for run in side] for side in answers]
    count = significance.word_counts if words else significance.entity_counts
    counts = [np.stack([count(gold, run) for run in side]) for side in answers]
    found = significance.compare(counts[0], counts[1], samples=samples, seed=seed)
    p = significance.t_test(found.differences)
    blocks = list(contrasts(gold, answers[0][0], answers[1][0], words=words))
    result = Result(file, words, len(gold), (a, b), counts, found, p, len(blocks))
    if as_json:
        from fenjie.tables.findings import json_text

        shown = [block.as_dict() for block in blocks[:most]]
        values = {**result.as_dict(), "seed": seed, "differences": shown}
        typer.echo(json_text(values))
        return
    from fenjie.cli.tables import contrast_blocks

    console = Screen(soft_wrap=True)
    console.print(result.table())
    for line in result.lines():
        console.print(line)
    if most:
        if len(answers[0]) > 1:
            console.print("answers below are those of the first run of each")
        console.print()
    for block in contrast_blocks(blocks, most):
        console.print(block)


def _runs(side: str) -> list[str]:
    """The runs that an argument names: itself, the parts between commas, what patterns match."""
    if Path(side).exists():
        return [side]
    found = []
    for part in filter(None, side.split(",")):
        magic = glob.has_magic(part) and not Path(part).exists()
        matches = glob.glob(part) if magic else [part]  # noqa: PTH207 - of paths, absolute ones too
        if not matches:
            raise FenjieError(f"nothing matches {shorten(part)}; expected models or files")
        found += sorted(matches, key=_natural)
    if not found:
        raise FenjieError("found no name of a model or file; expected one")
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts run-2 before run-10."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _words(runs: Sequence[str], gold: Sequence[Sentence], standard: str | None) -> bool:
    """Whether words are compared: by the tasks of the models, by the file where there is none."""
    from fenjie.cli.prediction import holds_words
    from fenjie.runtime.folder import ModelFolder

    tasks = {}
    for run in runs:
        if not Path(run).is_file():
            try:
                folder = ModelFolder.open(run)
            except FileError:
                raise
            except FenjieError as error:
                raise FenjieError(f"no file, {error}") from error
            folder.check_standard(standard)
            tasks[run] = folder.finds_words
    if len(set(tasks.values())) > 1:
        names = [
            next(run for run, words in tasks.items() if words is want) for want in (True, False)
        ]
        raise FenjieError(f"{names[0]} finds words, {names[1]} entities; expected one task")
    if not tasks and standard is not None:
        raise FenjieError("--standard is for a model; found files alone")
    words = holds_words(gold)
    if tasks and words and not all(tasks.values()):
        raise FenjieError(f"{next(iter(tasks))} finds entities, and the file holds words")
    return next(iter(tasks.values()), words)


def _answers(
    run: str,
    file: Path,
    gold: Sequence[Sentence],
    words: bool,
    form: str | None,
    encoding: str,
    standard: str | None,
) -> list[Sentence]:
    """The answers of a model, or those in a file."""
    from fenjie.cli.prediction import answers_in, predict
    from fenjie.runtime.folder import ModelFolder

    if Path(run).is_file():
        return answers_in(Path(run), file, gold, words, form, encoding)
    return predict(ModelFolder.open(run), [sentence.text for sentence in gold], standard)


def _unlabelled(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The same entities with one label."""
    return [
        replace(sentence, spans=tuple(replace(span, label=ENTITY) for span in sentence.spans))
        for sentence in sentences
    ]


@dataclass(frozen=True)
class Result:
    """A comparison with what it is of, to be shown.

    Attributes:
        file: the annotated file.
        words: whether words are compared.
        sentences: number of sentences.
        names: the systems as they were named.
        counts: of each, `[runs, sentences, 3]`.
        found: the comparison.
        p: of the t-test over runs; None where there is none.
        different: number of sentences whose answers (of the first runs) differ.
    """

    file: Path
    words: bool
    sentences: int
    names: tuple[str, str]
    counts: Sequence[Counts]
    found: Comparison
    p: float | None
    different: int

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Precision and recall of all runs together and F1 of each, for both systems."""
        rows = []
        pairs = zip(self.names, self.counts, (self.found.one, self.found.other), strict=True)
        for name, counts, f1 in pairs:
            gold, predicted, correct = (int(value) for value in counts.sum((0, 1)))
            precision = correct / predicted if predicted else None
            recall = correct / gold if gold else None
            rows.append({"name": name, "precision": precision, "recall": recall, "f1": list(f1)})
        return rows

    def as_dict(self) -> dict[str, Any]:
        """The comparison for JSON; scores are shares, the differences those of B less A."""
        one, other = self.scores
        return {
            "file": str(self.file),
            "task": "words" if self.words else "entities",
            "sentences": self.sentences,
            "a": one,
            "b": other,
            "difference": self.found.difference,
            "interval": list(self.found.interval),
            "p_bootstrap": self.found.p_bootstrap,
            "p_randomisation": self.found.p_randomisation,
            "p_t_test": self.p,
            "samples": self.found.samples,
            "different": self.different,
        }

    def table(self) -> Any:
        """The scores of both in per cent."""
        from statistics import mean, stdev

        from fenjie.cli.tables import plain
        from fenjie.evaluation.shares import per_cent

        what = "words" if self.words else "entities"
        table = plain("", f"{what} of {self.file.name}", "runs", "P", "R", "F1",
                      text=(f"{what} of {self.file.name}",))  # fmt: skip
        for letter, row in zip("AB", self.scores, strict=True):
            spread = f" ± {per_cent(stdev(row['f1']))}" if len(row["f1"]) > 1 else ""
            shares = (value if (value := row[k]) is not None else float("nan")
                      for k in ("precision", "recall"))  # fmt: skip
            f1 = f"{per_cent(mean(row['f1']))}{spread}"
            table.add_row(letter, row["name"], str(len(row["f1"])), *map(per_cent, shares), f1)
        return table

    def lines(self) -> list[str]:
        """The difference, its interval and p, in words."""
        from fenjie.evaluation.significance import f1

        found, runs = self.found, len(self.found.one)
        low, high = map(_points, found.interval)
        tests = [f"bootstrap {_p(found.p_bootstrap)}", f"randomisation {_p(found.p_randomisation)}"]
        if self.p is not None:
            tests.append(f"t-test over {runs} runs {_p(self.p)}")
        one, other = (f1(counts.sum(0)) for counts in self.counts)
        better = f"F1 of B is higher in {(other > one).sum():,}, of A in {(other < one).sum():,}"
        by, over = (" by the first runs", "over all runs, ") if runs > 1 else ("", "")
        return [
            f"B − A {_points(found.difference)}, 95 % interval {low} to {high} "
            f"({self.sentences:,} sentences resampled {found.samples:,} times)",
            f"p: {', '.join(tests)}",
            f"{self.different:,} sentences are answered differently{by}; {over}{better}",
        ]


def _points(value: float) -> str:
    return f"{100 * value:+.2f}".replace("-", "−")


def _p(value: float) -> str:
    return f"{value:.4f}"
