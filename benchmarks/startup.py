"""The cost of a start: installed size, import time, first word, memory.

    python -m benchmarks.startup [--runs 11]

fenjie is installed without extras into a virtual environment of its own (build/benchmarks), as a
user has it. Every figure is the median over fresh processes; times are wall seconds from the start
of the process, so they hold the start of Python too, which is shown for comparison.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import venvs
from benchmarks.machine import ONE_THREAD, ROOT, save
from benchmarks.scripts import parser, run, typed

TEXT = "商品和服务"
PEAK = "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
"""Not `getrusage`: its peak is inherited from the process that started this one."""

SNIPPETS = {
    "Python alone": "pass",
    "import fenjie": "import fenjie",
    'fenjie.load("segment")': 'import fenjie; fenjie.load("segment")',
    "first word from Python": f"import fenjie; fenjie.lcut({TEXT!r})",
    "first word, segment-fast": f'import fenjie; fenjie.load("segment-fast").cut({TEXT!r})',
}


def main() -> None:
    """Measure each way to begin, print and save."""
    runs = parser(__doc__, runs=(11, "processes, of which the median counts")).parse_args().runs
    python, size = venvs.make("fenjie", str(ROOT), "python3.11")
    command = [str(python.with_name("fenjie"))]
    rows = [
        {"what": what, **measure([str(python), "-c", f"{code}; {PEAK}"], runs)}
        for what, code in SNIPPETS.items()
    ]
    rows.append({"what": "fenjie --help", **measure([*command, "--help"], runs)})
    for words in ("segment", "segment --fast"):
        way = measure([*command, *words.split()], runs, TEXT)
        rows.append({"what": f"echo … | fenjie {words}", **way})
    show(rows, size)
    result = {"command": typed(), "installed_mib": size, "rows": rows}
    print(save("startup", result).relative_to(ROOT))


def measure(command: list[str], runs: int, text: str = "") -> dict[str, Any]:
    """Median wall seconds of a command, and its peak memory where it prints that last."""
    seconds, output = [], ""
    for _ in range(runs + 1):  # the first fills the caches and is not counted
        start = time.perf_counter()
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            cwd=Path(command[0]).parent,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": ""},
        )
        seconds.append(time.perf_counter() - start)
        output = done.stdout
    result: dict[str, Any] = {"seconds": round(median(seconds[1:]), 3)}
    last = output.split()[-1:]
    if "-c" in command and last and last[0].isdigit():
        result["memory_mib"] = round(int(last[0]) / 2**10, 1)
    return result


def show(rows: list[dict[str, Any]], size: float) -> None:
    """Print the table."""
    table = Table("from the start of the process to …", "seconds", "memory MiB")
    for row in rows:
        table.add_row(row["what"], f"{row['seconds']:.3f}", str(row.get("memory_mib", "")))
    table.caption = f"installed, with all that it needs: {size:.1f} MiB"
    Console().print(table)


if __name__ == "__main__":
    run(main)
