"""Segmentation tools side by side: word F1, speed, start-up, memory and installed size.

    python -m benchmarks.peers [--only jieba,fenjie] [--rounds 3] [--lines 100]

Every tool is installed into a virtual environment of its own (kept in build/benchmarks) and runs in
a process of its own, on one core and one thread, one call a line, with the model that it comes
with. The tools take turns, `--rounds` times, so that a change of the machine's mood meets them all:
the speed is the median over the rounds, and `× jieba` is the median of the ratios within a round. A
tool that cannot be installed here is reported and left out. The test set is PKU (SIGHAN 2005) under
FENJIE_DATA; of a trial with some lines of it nothing is saved. `python -m benchmarks.tables` then
writes the table of the README and its picture.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import venvs
from benchmarks.machine import ONE_THREAD, ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie import corpus
from fenjie.evaluation import word_scores
from fenjie.recipe.recipe import locate
from fenjie.text.span import Sentence, Span

WORKER = Path(__file__).with_name("peer_worker.py")
REFERENCE = "jieba"


@dataclass(frozen=True)
class Tool:
    """A tool to measure.

    Attributes:
        name: its name in the table and in `peer_worker.LOADERS`.
        requirement: the package that pip installs.
        python: the interpreter that it installs on.
    """

    name: str
    requirement: str
    python: str = "python3.11"

    @property
    def environment(self) -> str:
        """The name of its virtual environment; two ways to use one tool share it."""
        return self.name.partition("-")[0]


TOOLS = (
    Tool("jieba", "jieba==0.42.1"),
    Tool("rjieba", "rjieba==0.2.2"),
    Tool("snownlp", "snownlp==0.12.3"),
    Tool("thulac", "thulac==0.2.2"),
    Tool("pkuseg", "pkuseg==0.0.25", "python3.7"),  # the last Python that it has a wheel for
    Tool("fenjie", str(ROOT)),
    Tool("fenjie-batched", str(ROOT)),
    Tool("fenjie-fast", str(ROOT)),
    Tool("fenjie-fast-batched", str(ROOT)),
)


def main() -> None:
    """Run each tool, print a table, write the result."""
    options = parse()
    gold, vocabulary = test_set()
    gold = gold[: options.lines or None]
    ready, rows = install([tool for tool in TOOLS if tool.name in options.only])
    runs: dict[str, list[dict[str, Any]]] = {tool.name: [] for tool in ready}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.txt")
        lines.write_text("\n".join(sentence.text for sentence in gold), encoding="utf-8")
        for _ in range(options.rounds):
            for tool in list(ready):
                try:
                    runs[tool.name].append(measured(tool, ready[tool][0], lines, Path(folder)))
                except subprocess.CalledProcessError as error:
                    del ready[tool], runs[tool.name]
                    rows.append({"tool": tool.name, "missing": last_line(error.stderr)})
    characters = sum(len(sentence.text) for sentence in gold)
    for tool, (_, size) in ready.items():
        row = {"tool": tool.name, "version": tool.requirement.partition("==")[2] or "this tree"}
        row |= summary(runs[tool.name], runs.get(REFERENCE), gold, vocabulary, characters)
        rows.append(row | {"installed_mib": size})
    show(rows)
    if options.lines:
        return
    text = {"test": "PKU (SIGHAN 2005)", "lines": len(gold), "characters": characters}
    result = {"command": typed(), **text, "rounds": options.rounds, "tools": rows}
    print(save("peers", result).relative_to(ROOT))


def parse() -> argparse.Namespace:
    """The options; `only` is a list of names of tools."""
    lines = (0, "lines of a trial; 0 for all of them, and the record")
    parsing = parser(__doc__, rounds=(3, "rounds, of which the median counts"), lines=lines)
    names = [tool.name for tool in TOOLS]
    parsing.add_argument("--only", default=",".join(names), help=f"of: {', '.join(names)}")
    options = parsing.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(names):
        parsing.error(f"unknown tool {sorted(unknown)[0]}; known: {', '.join(names)}")
    return options


def test_set() -> tuple[Sequence[Sentence], set[str]]:
    """The gold sentences of PKU test, and the words of its training set."""
    pku = locate("cws/pku")
    gold = corpus.read(pku / "pku_test_gold.utf8", "spaced").sentences
    known = (pku / "pku_training_words.utf8").read_text(encoding="utf-8").split()
    return [sentence for sentence in gold if sentence.text], set(known)


def install(
    tools: Sequence[Tool],
) -> tuple[dict[Tool, tuple[Path, float]], list[dict[str, Any]]]:
    """The tools that can be installed, with interpreter and size; a row for each that cannot."""
    ready, missing = {}, []
    for tool in tools:
        try:
            ready[tool] = venvs.make(tool.environment, tool.requirement, tool.python)
        except venvs.InstallError as error:
            missing.append({"tool": tool.name, "missing": str(error)})
    return ready, missing


def measured(tool: Tool, python: Path, lines: Path, folder: Path) -> dict[str, Any]:
    """Run the worker once; its measurements.

    Raises:
        CalledProcessError: the tool failed.
    """
    result = folder / "result.json"
    subprocess.run(
        [str(python), str(WORKER), tool.name, str(lines), str(result)],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": ""},
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


def last_line(text: str) -> str:
    """The last line of an error message, which holds the reason."""
    return (text.strip().splitlines() or ["failed without a word"])[-1]


def summary(
    runs: Sequence[dict[str, Any]],
    reference: Sequence[dict[str, Any]] | None,
    gold: Sequence[Sentence],
    vocabulary: set[str],
    characters: int,
) -> dict[str, Any]:
    """The scores of a tool's words and the medians of its measurements."""
    pairs = [segmented(a.text, b) for a, b in zip(gold, runs[0]["words"], strict=True)]
    scores = word_scores.score(gold, [sentence for sentence, _ in pairs], vocabulary)
    result = {
        "f1": round(100 * scores.f1, 2),
        "oov_recall": round(100 * scores.oov_recall, 2),
        "altered_lines": sum(altered for _, altered in pairs),
        "characters_per_second": round(median(characters / run["cpu_seconds"] for run in runs)),
        "startup_s": round(median(run["startup_s"] for run in runs), 3),
        "startup_cpu_s": round(median(run["startup_cpu_s"] for run in runs), 3),
        "memory_mib": round(median(run["memory_mib"] for run in runs), 1),
    }
    if reference is not None:
        ratios = [a["cpu_seconds"] / b["cpu_seconds"] for a, b in zip(reference, runs, strict=True)]
        result["speed_ratio"] = round(median(ratios), 3)
    return result


def segmented(text: str, words: Sequence[str]) -> tuple[Sentence, bool]:
    """The words as spans of `text`, which has no spaces; whether the tool altered the text.

    Words count by their lengths. Where a tool changed the number of characters, its line counts as
    one word.
    """
    kept = ["".join(word.split()) for word in words]
    sentence = Sentence.from_words(word for word in kept if word)
    if len(sentence.text) != len(text):
        return Sentence(text, (Span(0, len(text)),)), True
    return Sentence(text, sentence.spans), sentence.text != text


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table, the best F1 first, then the missing tools."""
    titles = ("F1", "OOV R", "chars/s", f"× {REFERENCE}", "start-up s", "peak MiB", "disk MiB")
    table = Table("tool", box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right")
    keys = ("characters_per_second", "speed_ratio", "startup_s", "memory_mib", "installed_mib")
    for row in sorted(rows, key=lambda row: -row.get("f1", 0)):
        if "missing" in row:
            continue
        values = [f"{row[key]:,}" if key in row else "–" for key in keys]
        table.add_row(row["tool"], f"{row['f1']:.2f}", f"{row['oov_recall']:.2f}", *values)
    console = Console()
    console.print(table)
    for row in rows:
        if "missing" in row:
            console.print(f"left out: {row['tool']}: {row['missing']}", markup=False)


if __name__ == "__main__":
    run(main)
