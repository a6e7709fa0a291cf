"""The papers' claims: differences of two rows of a table, with p corrected for their number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.reproduce.comparison import measured
from benchmarks.reproduce.published import Table, find_table
from benchmarks.reproduce.records import Records, Run
from benchmarks.reproduce.sentences import unpacked
from fenjie.evaluation import significance
from fenjie.recipe.recipe import load


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
    Claim("FLAT over TENER (words, distances)", "flat-variants", "tener", True),
    Claim("FLAT's lexicon", "flat-variants", "no-lexicon", True),
    Claim("FLAT: characters see the words that contain them", "flat-variants", "msm", True),
    Claim("FLAT: attention beyond ten characters", "flat-variants", "mld", True),
    Claim("FLAT over BiLSTM-CRF", "systems", "flat"),
    Claim("Lattice LSTM over BiLSTM-CRF", "systems", "lattice-lstm"),
    Claim("SoftLexicon over BiLSTM-CRF", "systems", "soft-lexicon"),
    Claim("ATSSA on FLAT", "atssa", "atssa"),
    Claim("ATSSA's thresholds", "atssa", "no-selection", True),
    Claim("DSWA, scores scaled, on FLAT", "dswa", "flat-dswa"),
    Claim("DSWA on FLAT, both scaled", "dswa", "over-scaled"),
    Claim("DSWA on SoftLexicon (Transformer)", "dswa", "soft-lexicon-dswa"),
    Claim("Our encoder, in FLAT", "encoder", "no-encoder", True),
    Claim("Over our encoder, both tuned: FLAT over CRF", "encoder", "flat-tuned"),
    Claim("Over our encoder: ATSSA on FLAT", "encoder", "atssa"),
    Claim("Over our encoder: DSWA, scores scaled, on FLAT", "encoder", "flat-dswa"),
    Claim("Over our encoder: DSWA on FLAT, both scaled", "encoder", "over-scaled"),
    Claim("Over our encoder: DSWA on SoftLexicon", "encoder", "soft-lexicon-dswa"),
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
        seeds: the number of seeds that both rows have.
        sentences: the same by resampling the test sentences; None where they were not counted in
            every run of both rows.
    """

    published: float | None
    bert: bool
    change: float
    p: float
    interval: tuple[float, float]
    seeds: int
    sentences: tuple[float, float] | None

    def holds(self, value: float) -> bool:
        """Whether the interval has a value in it."""
        low, high = self.interval
        return low <= value <= high


def difference(claim: Claim, data: str, records: Records) -> Difference | None:
    """Compare the rows of a claim; None where one of them has no runs."""
    table = find_table(claim.table).choose([data], [])
    found, _ = measured(table, data, records)
    cells = dict(zip(table.rows, found, strict=True))
    cell = cells[claim.row]
    if cell.change is None or cell.p is None or cell.interval is None:
        return None
    sign = -1.0 if claim.loses else 1.0
    low, high = sorted(sign * end for end in cell.interval)
    resampled = by_sentences(table, claim.row, data, records)
    if resampled is not None:
        resampled = min(sign * end for end in resampled), max(sign * end for end in resampled)
    published = None if cell.published_change is None else sign * cell.published_change
    baseline = table.rows[claim.row].baseline
    assert baseline is not None
    seeds = len(cell.scores.keys() & cells[baseline].scores.keys())
    return Difference(
        published, cell.bert, sign * cell.change, cell.p, (low, high), seeds, resampled
    )


def by_sentences(table: Table, key: str, data: str, records: Records) -> tuple[float, float] | None:
    """The 95 % interval of a row's difference to its baseline over resampled test sentences.

    In points of F1; None where a run of one of them has no counts of its sentences.
    """
    row = table.rows[key]
    assert row.baseline is not None
    both: list[dict[int, Run]] = []
    for name in (table.rows[row.baseline].recipes[data], row.recipes[data]):
        runs = records.runs(name, load(Path(name)))
        both.append({int(run["seed"]): run for run in runs})
    seeds = sorted(both[0].keys() & both[1].keys())
    pairs = [[one[seed].get("sentences") or "" for seed in seeds] for one in both]
    if not seeds or not all(text for side in pairs for text in side):
        return None
    base, mine = (np.stack([unpacked(text) for text in side]) for side in pairs)
    low, high = significance.compare(base, mine).interval
    return 100 * low, 100 * high


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


def in_words(records: Records) -> str:
    """What the table says: which published gains ours rule out, and how many differences count."""
    found = {
        (claim, data): value
        for claim in CLAIMS
        for data in DATA
        if (value := difference(claim, data, records)) is not None
    }
    lines = [_ruled_out(found, data) for data in DATA]
    return "\n".join([*lines, _with_few_seeds(found), _below(found)]) + "\n"


Found = Mapping[tuple[Claim, str], Difference]
"""The differences by claim and data set."""


def _ruled_out(found: Found, data: str) -> str:
    """The gains published with BERT that lie above our interval, and those that it leaves open."""
    above, undecided = [], []
    for (claim, of), value in found.items():
        if of == data and value.bert and value.published is not None:
            named = f"{_named(claim)} ({_signed(value.published)})"
            if value.published > value.interval[1]:
                above.append(named)
            elif value.holds(0.0) and value.holds(value.published):
                undecided.append(named)
    return (
        f"- {DATA[data]}: the published gain lies above our interval for "
        f"{'; '.join(above) or '–'}. The interval holds both that gain and no difference, so "
        f"nothing is decided, for {'; '.join(undecided) or '–'}."
    )


def _with_few_seeds(found: Found) -> str:
    values = [value for (_, data), value in found.items() if data == "resume"]
    seeds = min(value.seeds for value in values)
    few = [value for value in values if value.seeds == seeds]
    widths = [high - low for low, high in (value.interval for value in few)]
    known = [(value, value.published) for value in few if value.published is not None]
    both = sum(value.holds(0.0) and value.holds(published) for value, published in known)
    return (
        f"- On Resume {len(few)} rows have {seeds} seeds, which leave intervals of "
        f"{min(widths):.1f} to {max(widths):.1f} points; of the {len(known)} of them with a "
        f"published difference {both} hold both it and no difference."
    )


def _below(found: Found) -> str:
    """The numbers of differences with a small p, by themselves and corrected."""
    corrected = dict(zip(found, holm([value.p for value in found.values()]), strict=True))
    survive = [_at(key) for key, p in corrected.items() if p < LEVEL]
    against = [
        _at(key)
        for key, value in found.items()
        if value.p < LEVEL and value.published is not None and value.published * value.change < 0
    ]
    alone = sum(value.p < LEVEL for value in found.values())
    return (
        f"- Of the {len(found)} differences {alone} have a p below {LEVEL} by themselves; "
        f"{len(survive)} of these survive the correction: {'; '.join(survive) or '–'}. "
        f"Against the paper: {'; '.join(against) or '–'}."
    )


def _at(key: tuple[Claim, str]) -> str:
    claim, data = key
    return f"{_named(claim)}, on {DATA[data]}"


def _named(claim: Claim) -> str:
    """The title within a sentence."""
    return claim.title.replace("Over our encoder", "over our encoder")


def _cells(found: Difference | None, corrected: Iterator[float]) -> tuple[str, str]:
    """The paper's difference, and ours with both p."""
    if found is None:
        return "", "–"
    p = next(corrected)
    paper = "" if found.published is None else _signed(found.published) + "‡" * found.bert
    change = f"**{_signed(found.change)}**" if p < LEVEL else _signed(found.change)
    low, high = found.interval
    text = f"{change} ({_signed(low)} to {_signed(high)}), {found.p:.3f}, {p:.2f}"
    if found.sentences is not None:
        low, high = found.sentences
        text += f"; by sentences {_signed(low)} to {_signed(high)}"
    return paper, text


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")
