"""Structures for word lists side by side: building, opening, matching, memory.

    python -m benchmarks.lexicon [--rounds 3]

Three lists of words: jieba's dictionary, and 1.3 and 5 million words made by chance from its
characters and lengths. Other packages are installed into a virtual environment each (kept in
build/benchmarks). All take turns, `--rounds` times; figures are medians over the rounds, times are
CPU time on one core. The text is the test set of PKU, a call a line; `fenjie-batched` takes 256
lines at a time, as a tagger does. The dictionary and the text are read under FENJIE_DATA.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import venvs
from benchmarks.machine import ONE_THREAD, ROOT, save
from benchmarks.scripts import parser, run, typed
from fenjie import corpus
from fenjie.lexicon.word_files import read_words
from fenjie.recipe.recipe import locate
from fenjie.text.vocabulary import code_points

WORKER = Path(__file__).with_name("lexicon_worker.py")

PEERS = {
    "marisa-trie": "marisa-trie==1.4.1",
    "ahocorasick_rs": "ahocorasick-rs==1.0.3",
    "pyahocorasick": "pyahocorasick==2.3.1",
}

MADE = {"1.3 million": 1_300_000, "5 million": 5_000_000}
"""Lists of words made by chance."""

LARGEST = 2_000_000
"""Only fenjie is measured on longer lists."""

COLUMNS = {
    "build s": "build_cpu_s",
    "build peak MiB": "build_peak_mib",
    "file MB": "saved_mb",
    "open ms": "open_cpu_ms",
    "first line ms": "first_line_cpu_ms",
    "chars/s": "characters_per_second",
    "private MiB": "memory_mib",
}


def main() -> None:
    """Measure each structure on each list, print and save."""
    rounds = parser(__doc__, rounds=(3, "rounds, of which the median counts")).parse_args().rounds
    tools, missing = install()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = folder / "lines.txt"
        gold = corpus.read(locate("cws/pku/pku_test_gold.utf8"), "spaced").sentences
        texts = [sentence.text for sentence in gold if sentence.text]
        lines.write_text("\n".join(texts), encoding="utf-8")
        words = {"jieba": jieba_words(locate("lexicons/jieba/dict.txt"))}
        words |= {title: made_words(words["jieba"], size) for title, size in MADE.items()}
        lists = {
            title: {
                "words": len(listed),
                "tools": measure(tools, listed, lines, folder, rounds),
            }
            for title, listed in words.items()
        }
    show(lists, missing)
    result = {
        "command": typed(),
        "text": "PKU test (SIGHAN 2005)",
        "lines": len(texts),
        "characters": sum(map(len, texts)),
        "rounds": rounds,
        "lists": lists,
        "missing": missing,
    }
    print(save("lexicon", result).relative_to(ROOT))


def install() -> tuple[dict[str, Path], dict[str, str]]:
    """The interpreter for each tool, and why others are left out."""
    tools, missing = {"fenjie": Path(sys.executable)}, {}
    for name, requirement in PEERS.items():
        try:
            tools[name] = venvs.make(name, requirement, "python3.11")[0]
        except venvs.InstallError as error:
            missing[name] = str(error)
    return tools, missing


def jieba_words(path: Path) -> list[str]:
    """The words of jieba's dictionary that have 2 to 31 characters."""
    return sorted({word for word in read_words(path) if 2 <= len(word) <= 31})


def made_words(model: list[str], size: int) -> list[str]:
    """Different words of characters by chance, as frequent as in `model`, of its lengths."""
    random = np.random.default_rng(0)
    characters = code_points("".join(model))
    lengths = np.fromiter(map(len, model), np.int64)
    made: dict[str, None] = {}
    while len(made) < size:
        drawn = random.choice(lengths, size=1 << 19)
        text = random.choice(characters, size=int(drawn.sum())).tobytes().decode("utf-32-le")
        ends = np.cumsum(drawn).tolist()
        for end, length in zip(ends, drawn.tolist(), strict=True):
            made[text[end - length : end]] = None
    return list(made)[:size]


def measure(
    tools: dict[str, Path], words: list[str], lines: Path, folder: Path, rounds: int
) -> dict[str, dict[str, Any]]:
    """The medians of what the worker measures for each tool."""
    listed = folder / "words.txt"
    listed.write_text("\n".join(words), encoding="utf-8")
    runs: dict[str, list[dict[str, Any]]] = {}
    for _ in range(rounds):
        for tool, python in tools.items():
            if tool != "fenjie" and len(words) > LARGEST:
                continue
            saved = folder / "saved.npy"
            built = work(python, "build", tool, listed, saved)
            runs.setdefault(tool, []).append(built | work(python, "match", tool, saved, lines))
            if tool == "fenjie":
                batched = work(python, "match", "fenjie-batched", saved, lines)
                runs.setdefault("fenjie-batched", []).append(built | batched)
    found = {tool: run[0]["found"] for tool, run in runs.items()}
    if len(set(found.values())) > 1:
        raise SystemExit(f"the tools do not find the same words: {found}")
    return {
        tool: {key: median(run[key] for run in some) for key in some[0]}
        for tool, some in runs.items()
    }


def work(python: Path, action: str, tool: str, source: Path, other: Path) -> dict[str, Any]:
    """Run the worker once."""
    target = other.with_name("result.json")
    subprocess.run(
        [str(python), str(WORKER), action, tool, str(source), str(other), str(target)],
        env={**os.environ, **ONE_THREAD},
        check=True,
    )
    measured: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return measured


def show(lists: dict[str, Any], missing: dict[str, str]) -> None:
    """Print a table a list."""
    console = Console(width=110)
    for title, result in lists.items():
        console.print(f"{result['words']:,} words")
        table = Table(title, box=None, pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, justify="right")
        for tool, row in result["tools"].items():
            table.add_row(tool, *(f"{row[key]:,}" for key in COLUMNS.values()))
        console.print(table)
    for tool, reason in missing.items():
        console.print(f"left out: {tool}: {reason}", markup=False)


if __name__ == "__main__":
    run(main)
