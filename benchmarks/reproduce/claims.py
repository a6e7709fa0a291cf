"""The papers' claims: differences of two rows of a table, with p corrected for their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.reproduce.comparison import measured
from benchmarks.reproduce.published import find_table
from benchmarks.reproduce.records import Records


class Claim(NamedTuple):
    """A claim of a paper.

    Attributes:
        title: the claim in words.
        table: the published table that tests it.
        row: the key of a row there, which is compared with its baseline.
        loses: whether the row is the one without the part that is said to help.
    """

    title: str
    table: str
    row: str
    loses: bool = False


CLAIMS = (
    Claim("FLAT's lexicon", "flat-variants", "no-lexicon", True),
    Claim("FLAT: characters see the words that contain them", "flat-variants", "msm", True),
    Claim("FLAT: attention beyond ten characters", "flat-variants", "mld", True),
    Claim("FLAT over BiLSTM-CRF", "systems", "flat"),
    Claim("Lattice LSTM over BiLSTM-CRF", "systems", "lattice-lstm"),
    Claim("SoftLexicon over BiLSTM-CRF", "systems", "soft-lexicon"),
    Claim("ATSSA on FLAT", "atssa", "atssa"),
    Claim("ATSSA's thresholds", "atssa", "no-selection", True),
    Claim("DSWA on FLAT, both by Adam", "dswa", "flat-dswa"),
    Claim("DSWA on SoftLexicon (Transformer)", "dswa", "soft-lexicon-dswa"),
)

DATA = {"weibo": "Weibo", "resume": "Resume"}
"""The data sets by their keys in the tables."""

LEVEL = 0.05
"""A difference whose corrected p is below this stands in bold."""


class Difference(NamedTuple):
    """A claim on one data set, in points of F1.

    Attributes:
        published: the paper's difference; None where it has none.
        bert: whether that is with BERT.
        change: ours, the mean over seeds.
        p: of the paired t-test, two-sided.
        interval: of the mean, 95 %, by the same test.
    """

    published: float | None
    bert: bool
    change: float
    p: float
    interval: tuple[float, float]


def difference(claim: Claim, data: str, records: Records) -> Difference | None:
    """Compare the rows of a claim; None where one of them has no runs."""
    table = find_table(claim.table).choose([data], [])
    cells, _ = measured(table, data, records)
    cell = dict(zip(table.rows, cells, strict=True))[claim.row]
    if cell.change is None or cell.p is None or cell.interval is None:
        return None
    sign = -1.0 if claim.loses else 1.0
    low, high = sorted(sign * end for end in cell.interval)
    published = None if cell.published_change is None else sign * cell.published_change
    return Difference(published, cell.bert, sign * cell.change, cell.p, (low, high))


def holm(values: Sequence[float]) -> list[float]:
    """Correct p-values for their number (Holm 1979), in the order given."""
    corrected, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = highest
    return corrected


def markdown(records: Records) -> str:
    """The table of the claims."""
    rows = [[difference(claim, data, records) for data in DATA] for claim in CLAIMS]
    corrected = iter(holm([found.p for row in rows for found in row if found is not None]))
    names = DATA.values()
    heads = [head for n in names for head in (f"paper, {n}", f"{n}: Δ (95 %), p, Holm")]
    lines = [f"| claim | {' | '.join(heads)} |", "|---|---|---|---|---|"]
    for claim, row in zip(CLAIMS, rows, strict=True):
        cells = [text for found in row for text in _cells(found, corrected)]
        lines.append(f"| {claim.title} | {' | '.join(cells)} |".replace("  ", " "))
    return "\n".join(lines) + "\n"


def _cells(found: Difference | None, corrected: Iterator[float]) -> tuple[str, str]:
    """The paper's difference, and ours with both p."""
    if found is None:
        return "", "–"
    p = next(corrected)
    paper = "" if found.published is None else _signed(found.published) + "‡" * found.bert
    change = f"**{_signed(found.change)}**" if p < LEVEL else _signed(found.change)
    low, high = found.interval
    return paper, f"{change} ({_signed(low)} to {_signed(high)}), {found.p:.3f}, {p:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")
