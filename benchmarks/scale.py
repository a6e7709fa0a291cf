"""Large files: speed, two processes beside one, memory, first words through a pipe, killed runs.

    python -m benchmarks.scale PART [MODEL…] [--kilobytes 100000] [--turns 3] [--texts 2000000]

| part | measures |
|---|---|
| `speed` | characters per second of CPU time, lists of texts in one process; what much text costs |
| `processes` | seconds of one and of two processes on a file, in turns: needs two free cores |
| `words` | seconds from the start of a process to its first words, the file coming through a pipe |
| `memory` | peak memory on a file and a tenth of it, and on short texts and a tenth of them |
| `killed` | whether a run of two processes that is killed three times ends with the same bytes |

The text is the lines of PKU's test file (FENJIE_DATA), again and again. Commands are those of a
user, in processes of their own; seconds are wall time with the start of the processes, beside the
load of the machine before. Each part writes `benchmarks/results/scale-PART.json`;
`python -m benchmarks.tables` shows them in the pages.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import fenjie
from benchmarks.machine import RESULTS, ROOT, save, where
from benchmarks.scripts import parser, run, typed
from fenjie.recipe.recipe import locate

FENJIE = [sys.executable, "-m", "fenjie"]
COMMANDS = {"segment-fast": "segment", "segment": "segment", "ner": "tag", "ner-small": "tag"}
"""The shipped models, and the command of each."""

PARTS = ("speed", "processes", "words", "memory", "killed")

PEAK = (
    "import sys; from fenjie.cli import app; app(standalone_mode=False)\n"
    "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0], file=sys.stderr)"
)
"""Runs a command and prints its peak memory in KiB."""

CHARACTERS = 10_000_000_000
"""So many characters are counted up to: 30 GB of text."""

CORES = (1, 16, 256)


def main() -> None:
    """Measure a part, print and save."""
    options = parser(
        __doc__,
        kilobytes=(100_000, "size of the file"),
        turns=(3, "turns"),
        texts=(2_000_000, "short texts"),
        kills=(3, "times that a run is killed"),
    )
    options.add_argument("part", choices=PARTS)
    options.add_argument("models", nargs="*", default=list(COMMANDS))
    chosen = options.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model in chosen.models:
            for row in measured(chosen, folder, model):
                rows.append({"model": model, "load_before": round(os.getloadavg()[0], 2), **row})
                print(rows[-1], flush=True)
    result = {"command": typed(), "rows": kept(chosen.part, chosen.models) + rows}
    print(save(f"scale-{chosen.part}", result).relative_to(ROOT))


def kept(part: str, models: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of other models, measured before."""
    return [row for row in read(part) if row["model"] not in models]


def record(part: str) -> Path:
    """The file of what was measured of a part."""
    return RESULTS / f"scale-{part}.json"


def read(part: str) -> list[dict[str, Any]]:
    """The rows of a part; none where it was not measured."""
    path = record(part)
    rows: list[dict[str, Any]] = []
    if path.exists():
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows


def measured(chosen: Any, folder: Path, model: str) -> Iterator[dict[str, Any]]:
    """The rows of a part for a model."""
    size = chosen.kilobytes * 1000
    if chosen.part == "speed":
        yield speed(model, chosen.turns)
    elif chosen.part == "processes":
        yield processes(written(folder / "text.txt", size), model, chosen.turns)
    elif chosen.part == "words":
        yield first_words(written(folder / "text.txt", size), model, chosen.turns)
    elif chosen.part == "memory":
        yield from memory(folder, model, size, chosen.texts)
    else:
        yield killed(written(folder / "text.txt", size), model, chosen.kills)


def source() -> list[str]:
    """The lines of PKU's test file, without spaces."""
    path = locate("cws/pku/pku_test_gold.utf8")
    return [line.replace(" ", "") for line in path.read_text("utf-8").splitlines()]


def written(path: Path, size: int, shortest: int | None = None) -> Path:
    """A file of about so many bytes, of whole lines or of the first characters of each."""
    block = "".join(f"{line[:shortest]}\n" for line in source()).encode()
    with open(path, "wb") as file:
        for _ in range(size // len(block)):
            file.write(block)
        for line in cycle(block.splitlines(keepends=True)):
            if file.tell() >= size:
                break
            file.write(line)
    return path


def speed(model: str, turns: int) -> dict[str, Any]:
    """Characters per second of CPU time, the median of the turns."""
    tagger, texts = fenjie.load(model), source()
    tagger(texts[:100])
    found = []
    for _ in range(turns):
        begin = time.process_time()
        tagger(texts)
        found.append(sum(map(len, texts)) / (time.process_time() - begin))
    return {"characters": sum(map(len, texts)), "characters_per_second": round(median(found))}


def seconds(command: Sequence[Any]) -> float:
    """Wall seconds of a command."""
    begin = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True)
    return time.perf_counter() - begin


def command_of(model: str, text: Path, output: Path, *more: str) -> list[str]:
    """The command that writes what a model finds: words with spaces, entities as JSONL."""
    form = "spaced" if COMMANDS[model] == "segment" else "jsonl"
    words = [*FENJIE, COMMANDS[model], "-m", model, "-f", form, "-o", output, *more, text]
    return [str(word) for word in words]


def processes(text: Path, model: str, turns: int) -> dict[str, Any]:
    """Seconds of one and of two processes, in turns; the fastest of each counts."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(turns):
        for jobs, found in times.items():
            output = text.with_name("out")
            found.append(seconds(command_of(model, text, output, "--jobs", str(jobs))))
    one, two = min(times[1]), min(times[2])
    figures = {"seconds_one": one, "seconds_two": two, "ratio": one / two}
    return {
        "bytes": text.stat().st_size,
        "turns": turns,
        **{name: round(value, 3) for name, value in figures.items()},
    }


def first_words(text: Path, model: str, turns: int) -> dict[str, Any]:
    """Seconds from the start of the process to its first line, the least and the median."""
    found = []
    command = command_of(model, Path("-"), Path("-"))
    place = command.index("-o")
    del command[place : place + 2]
    for _ in range(turns):
        with open(text, "rb") as file:
            pipe = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            begin = time.perf_counter()
            with subprocess.Popen(command, stdin=pipe.stdout, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                found.append(time.perf_counter() - begin)
                process.kill()
            pipe.kill()
            pipe.wait()
    return {
        "bytes": text.stat().st_size,
        "seconds": round(min(found), 3),
        "seconds_median": round(median(found), 3),
    }


def memory(folder: Path, model: str, size: int, texts: int) -> Iterator[dict[str, Any]]:
    """Peak memory of one process on files and on a tenth of them: whole lines, short texts."""
    short = sum(len(line[:4].encode()) + 1 for line in source()) / len(source())
    for what, shortest, full in (("lines", None, size), ("short texts", 4, int(texts * short))):
        row: dict[str, Any] = {"what": what}
        for name, share in (("tenth", 0.1), ("whole", 1)):
            text = written(folder / "text.txt", int(full * share), shortest)
            command = command_of(model, text, folder / "out")[len(FENJIE) :]
            done = subprocess.run(
                [sys.executable, "-c", PEAK, *command], capture_output=True, text=True, check=True
            )
            row["bytes"] = text.stat().st_size
            row[f"peak_mib_{name}"] = round(int(done.stderr.split()[-1]) / 2**10, 1)
        yield row


def killed(text: Path, model: str, kills: int) -> dict[str, Any]:
    """Whether a run of two processes, killed again and again, ends with the same bytes."""
    whole, output = text.with_name("whole"), text.with_name("out")
    passed = seconds(command_of(model, text, whole, "--jobs", "2"))
    command = command_of(model, text, output, "--jobs", "2", "--resume")
    chance = random.Random(1)
    partial = output.with_name(output.name + ".partial") / "output"
    reached = []
    for _ in range(kills):
        with subprocess.Popen(command) as process:
            time.sleep(passed * chance.uniform(0.5, 1) / (kills + 1))
            process.send_signal(signal.SIGKILL)
        reached.append(partial.stat().st_size if partial.exists() else 0)
    subprocess.run(command, check=True)
    same = subprocess.run(["cmp", "-s", whole, output]).returncode == 0
    return {
        "bytes": text.stat().st_size,
        "kills": kills,
        "bytes_written_when_killed": reached,
        "bytes_written": whole.stat().st_size,
        "same_bytes": same,
    }


def markdown_of_costs() -> str:
    """What `CHARACTERS` cost by the part `speed`, if processes do not hinder each other."""
    heads = ["cores", *(f"`{row['model']}`" for row in read("speed"))]
    lines = []
    for cores in CORES:
        times = (CHARACTERS / row["characters_per_second"] / cores for row in read("speed"))
        lines.append([str(cores), *map(_in_words, times)])
    speeds = (f"{row['characters_per_second']:,}" for row in read("speed"))
    lines.append(["characters/s of a core", *speeds])
    reads = (3 * CORES[-1] * row["characters_per_second"] / 1e6 for row in read("speed"))
    lines.append([f"MB/s of text that {CORES[-1]} read", *(f"{value:,.0f}" for value in reads)])
    title = (
        "On paper, from the CPU time of one core with lists of texts (`python -m benchmarks.scale "
        f"speed`; {where(record('speed'))}), if\nprocesses do not hinder each other:"
    )
    return titled(title, heads, lines)


def _in_words(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 60:.1f} minutes" if seconds >= 60 else f"{seconds:.0f} seconds"


def markdown() -> str:
    """What was measured of large files, a paragraph and a table of each part."""
    return "\n".join(filter(None, (_of_memory(), _of_processes(), _of_words(), _of_killed())))


def titled(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A paragraph and a table in Markdown; nothing where it has no lines."""
    if not lines:
        return ""
    rows = [heads, ["---"] * len(heads), *lines]
    return f"{title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in rows)


def _of_memory() -> str:
    lines = []
    for row in read("memory"):
        size = f"{row['bytes'] / 1e6:,.0f} MB"
        peaks = (f"{row[f'peak_mib_{name}']:.0f} MiB" for name in ("tenth", "whole"))
        lines.append([f"`{row['model']}`", row["what"], size, *peaks])
    heads = ["model", "text", "size", "peak, a tenth of it", "peak"]
    return titled(
        f"Peak memory of one process (`memory`; {where(record('memory'))}):", heads, lines
    )


def _of_processes() -> str:
    lines = []
    for row in read("processes"):
        seconds = (f"{row[name]:.1f} s" for name in ("seconds_one", "seconds_two"))
        size = f"{row['bytes'] / 1e6:,.0f} MB"
        lines.append([f"`{row['model']}`", size, *seconds, f"{row['ratio']:.2f}"])
    heads = ["model", "file", "one process", "two", "× one"]
    title = f"Two processes beside one on two cores (`processes`; {where(record('processes'))}):"
    return titled(title, heads, lines)


def _of_words() -> str:
    lines = [
        [f"`{row['model']}`", f"{row['bytes'] / 1e6:,.0f} MB", f"{row['seconds']:.2f} s"]
        for row in read("words")
    ]
    title = (
        "From the start of a process to its first words, the file through a pipe "
        f"(`words`; {where(record('words'))}):"
    )
    return titled(title, ["model", "file", "first words"], lines)


def _of_killed() -> str:
    lines = []
    for row in read("killed"):
        size = f"{row['bytes'] / 1e6:,.0f} MB"
        same = "the same" if row["same_bytes"] else "**others**"
        lines.append([f"`{row['model']}`", size, str(row["kills"]), same])
    title = (
        "Two processes, killed and resumed, beside a run that was not disturbed "
        f"(`killed`; {where(record('killed'))}):"
    )
    return titled(title, ["model", "file", "times killed", "bytes"], lines)


if __name__ == "__main__":
    run(main)
