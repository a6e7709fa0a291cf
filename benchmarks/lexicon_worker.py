"""One structure for word lists, measured in a process of its own. Run by `benchmarks.lexicon`.

    python lexicon_worker.py build TOOL WORDS SAVED RESULT
    python lexicon_worker.py match TOOL SAVED LINES RESULT

`build` makes the structure from a file of words, one per line, and saves it; `match` opens the
saved file, in another process, and finds every occurrence of every word in some lines. It imports
nothing of fenjie but as one of the tools. All times are CPU time.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pickle import loads
from typing import Any

Match = Callable[[list[str]], int]
"""Finds all words in some lines; returns their number."""

LONGEST = 31


def build_fenjie(words: Path, saved: Path) -> None:
    from fenjie.lexicon import Lexicon

    Lexicon.read(words, "list").save(saved)


def open_fenjie(saved: Path) -> Match:
    from fenjie.lexicon import Lexicon

    lexicon = Lexicon.open(saved)
    return lambda lines: sum(len(lexicon.match(line).word) for line in lines)


def open_fenjie_batched(saved: Path) -> Match:
    import numpy as np

    from fenjie.lexicon import Lexicon
    from fenjie.text.vocabulary import code_points

    lexicon = Lexicon.open(saved)

    def match(lines: list[str]) -> int:
        found = 0
        for low in range(0, len(lines), 256):
            part = lines[low : low + 256]
            ends = np.cumsum([len(line) for line in part])
            found += len(lexicon.match_codes(code_points("".join(part)), ends).word)
        return found

    return match


def build_marisa(words: Path, saved: Path) -> None:
    import marisa_trie

    marisa_trie.Trie(words.read_text(encoding="utf-8").split("\n")).save(str(saved))


def open_marisa(saved: Path) -> Match:
    import marisa_trie

    trie = marisa_trie.Trie()
    trie.mmap(str(saved))

    def match(lines: list[str]) -> int:
        prefixes = trie.prefixes
        return sum(
            len(prefixes(line[at : at + LONGEST])) for line in lines for at in range(len(line))
        )

    return match


def build_ahocorasick_rs(words: Path, saved: Path) -> None:
    """It cannot be saved; it is built again where it is opened."""
    saved.write_bytes(words.read_bytes())
    open_ahocorasick_rs(saved)


def open_ahocorasick_rs(saved: Path) -> Match:
    import ahocorasick_rs

    automaton = ahocorasick_rs.AhoCorasick(
        saved.read_text(encoding="utf-8").split("\n"),
        implementation=ahocorasick_rs.Implementation.ContiguousNFA,
        store_patterns=False,
    )
    find = automaton.find_matches_as_indexes
    return lambda lines: sum(len(find(line, overlapping=True)) for line in lines)


def build_pyahocorasick(words: Path, saved: Path) -> None:
    import ahocorasick

    automaton = ahocorasick.Automaton(ahocorasick.STORE_LENGTH)
    for word in words.read_text(encoding="utf-8").split("\n"):
        automaton.add_word(word)
    automaton.make_automaton()
    automaton.save(str(saved))


def open_pyahocorasick(saved: Path) -> Match:
    import ahocorasick

    automaton = ahocorasick.load(str(saved), loads)  # which it asks for but does not need
    return lambda lines: sum(1 for line in lines for _ in automaton.iter(line))


MODULES = {
    "fenjie": "fenjie.lexicon",
    "fenjie-batched": "fenjie.lexicon",
    "marisa-trie": "marisa_trie",
    "ahocorasick_rs": "ahocorasick_rs",
    "pyahocorasick": "ahocorasick",
}
"""Imports are not counted."""

BUILD: dict[str, Callable[[Path, Path], None]] = {
    "fenjie": build_fenjie,
    "marisa-trie": build_marisa,
    "ahocorasick_rs": build_ahocorasick_rs,
    "pyahocorasick": build_pyahocorasick,
}

OPEN: dict[str, Callable[[Path], Match]] = {
    "fenjie": open_fenjie,
    "fenjie-batched": open_fenjie_batched,
    "marisa-trie": open_marisa,
    "ahocorasick_rs": open_ahocorasick_rs,
    "pyahocorasick": open_pyahocorasick,
}


def build(tool: str, words: Path, saved: Path) -> dict[str, Any]:
    """Build once."""
    import_module(MODULES[tool])
    start = time.process_time()
    BUILD[tool](words, saved)
    seconds = time.process_time() - start
    return {
        "build_cpu_s": round(seconds, 3),
        "build_peak_mib": peak_mib(),
        "saved_mb": round(saved.stat().st_size / 1e6, 2),
    }


def match(tool: str, saved: Path, lines_path: Path) -> dict[str, Any]:
    """Open, match a line, then match all lines for about a second."""
    lines = lines_path.read_text(encoding="utf-8").split("\n")
    import_module(MODULES[tool])
    before = memory_mib()
    start = time.process_time()
    find = OPEN[tool](saved)
    opened = time.process_time()
    find(lines[:1])
    first = time.process_time()
    passes: list[float] = []
    found = 0
    while not passes or sum(passes) < 1:
        begin = time.process_time()
        found = find(lines)
        passes.append(time.process_time() - begin)
    return {
        "open_cpu_ms": round((opened - start) * 1000, 2),
        "first_line_cpu_ms": round((first - opened) * 1000, 2),
        "characters_per_second": round(sum(map(len, lines)) / sorted(passes)[len(passes) // 2]),
        "found": found,
        "memory_mib": round(memory_mib() - before, 1),
    }


def peak_mib() -> float:
    """The most memory that this process has held, in MiB (Linux)."""
    return status_mib("VmHWM:")


def memory_mib() -> float:
    """The memory of this process alone, without the pages of files that it shares (Linux)."""
    return status_mib("RssAnon:")


def status_mib(name: str) -> float:
    """A line of /proc/self/status, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith(name))
    return round(int(line.split()[1]) / 1024, 1)


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    action, name, source, other, target = sys.argv[1:]
    measure = build if action == "build" else match
    measured = json.dumps(measure(name, Path(source), Path(other)))
    Path(target).write_text(measured, encoding="utf-8")
