"""Tables of scores and of errors, and the diff, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from fenjie.errors import shown
from fenjie.evaluation.shares import per_cent

if TYPE_CHECKING:
    from fenjie.evaluation.confusions import Confusion, ErrorReport
    from fenjie.evaluation.contrast import Contrast
    from fenjie.evaluation.diff import Difference, Piece, Role
    from fenjie.evaluation.entity_report import EntityReport
    from fenjie.evaluation.entity_scores import Counts, EntityScores
    from fenjie.evaluation.word_scores import WordScores
    from fenjie.tasks.task import Scores


def plain(*columns: str, text: Iterable[str] = (), title: str | None = None) -> Table:
    """A table without lines; the first column and those of `text` are aligned to the left."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(columns):
        table.add_column(name, justify="left" if index == 0 or name in text else "right")
    return table


def run_scores(rows: Mapping[str, Scores]) -> Table:
    """The scores of a training run in per cent, a row a file; a long path is told in lines."""
    table = plain("", *next(iter(rows.values())).figures)
    table.columns[0].overflow = "fold"  # the end of a path says more than its beginning
    for name, scores in rows.items():
        table.add_row(name, *map(per_cent, scores.figures.values()))
    return table


def word_scores(name: str, scores: WordScores, known: bool) -> Table:
    """Word scores in per cent; OOV and IV only where the words of training are known."""
    figures = {head: value for head, value in scores.figures.items() if known or "V" not in head}
    table = plain("", *figures, "words")
    table.add_row(name, *map(per_cent, figures.values()), f"{scores.gold:,}")
    return table


def entity_scores(name: str, scores: EntityScores) -> Iterator[Table]:
    """Entity scores in per cent: overall and by type, without types, by length, seen and unseen."""
    columns = ("P", "R", "F1", "gold", "predicted", "correct")
    table = plain(name, *columns)
    rows = {"all": scores.counts, **scores.labels}
    if scores.seen is not None and scores.unseen is not None:
        rows |= {"seen in training": scores.seen, "unseen": scores.unseen}
    rows["spans without types"] = scores.spans
    for head, counts in rows.items():
        table.add_row(head, *_cells(counts))
    yield table
    lengths = plain("length", *columns)
    for head, counts in scores.lengths.items():
        lengths.add_row(head, *_cells(counts))
    if scores.lengths:
        yield lengths


def _cells(counts: Counts) -> list[str]:
    shares = (counts.precision, counts.recall, counts.f1)
    return [*map(per_cent, shares), *(f"{count:,}" for count in counts)]


def word_errors(report: ErrorReport) -> Table:
    """The most frequent errors of a segmentation, a row each."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.kinds.items())
    return _confusions(report.confusions, kinds)


def entity_errors(report: EntityReport) -> Iterator[Table]:
    """The errors of an entity recogniser: the number of each kind, and the most frequent."""
    kinds = plain("errors", *report.kinds)
    kinds.add_row("all", *(f"{count:,}" for count in report.kinds.values()))
    groups = {**report.seen, **{f"length {name}": row for name, row in report.lengths.items()}}
    for name, row in groups.items():
        kinds.add_row(name, *(f"{count:,}" for count in row.values()))
    yield kinds
    yield _confusions(report.confusions)


def _confusions(confusions: Iterable[Confusion], title: str | None = None) -> Table:
    texts = ("error", "gold", "predicted", "examples")
    table = plain("count", *texts, text=texts, title=title)
    table.columns[0].justify = "right"
    for found in confusions:
        sides = ("–" if side is None else " ".join(side) for side in (found.gold, found.predicted))
        table.add_row(f"{found.count:,}", found.kind, *sides, "  ".join(found.examples))
    return table


STYLES: Mapping[Role, str] = {
    "": "",
    "right": "green",
    "missed": "bold yellow",
    "spurious": "bold red",
}
"""The styles of the parts of a diff in a terminal."""


def diff_block(difference: Difference) -> Text:
    """A block of the diff: a summary of the errors, gold and prediction."""
    text = Text(f"sentence {difference.number}", style="bold")
    text = Text.assemble(text, f" · {shown(difference.summary)}")
    return _with_rows(text, {"gold": difference.gold, "predicted": difference.predicted})


def contrast_block(contrast: Contrast) -> Text:
    """A sentence that two systems answer differently: the spans that each found, gold, both."""
    one, other = contrast.right
    text = Text(f"sentence {contrast.number}", style="bold")
    text = Text.assemble(text, f" · right of {contrast.spans}: A {one}, B {other}")
    return _with_rows(text, {"gold": contrast.gold, "A": contrast.one, "B": contrast.other})


def _with_rows(text: Text, rows: Mapping[str, Sequence[Piece]]) -> Text:
    width = max(map(len, rows)) + 2
    for head, pieces in rows.items():
        text.append(f"\n  {head:<{width}}")
        for piece, role in pieces:
            text.append(shown(piece), style=STYLES[role])
    return text


def diff_blocks(differences: Sequence[Difference], most: int) -> Iterator[Text]:
    """The first blocks of a diff, and the number of the others."""
    return _blocks([diff_block(one) for one in differences[:most]], len(differences))


def contrast_blocks(contrasts: Sequence[Contrast], most: int) -> Iterator[Text]:
    """The first sentences that two systems answer differently, and the number of the others."""
    return _blocks([contrast_block(one) for one in contrasts[:most]], len(contrasts) * bool(most))


def _blocks(shown_first: Sequence[Text], count: int) -> Iterator[Text]:
    for block in shown_first:
        yield block
        yield Text()
    if count > len(shown_first):
        yield Text(f"… {count - len(shown_first):,} more sentences differ")
